// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/plan/kernel_call.h"
#include "runner/built_in.h"
#include "runner/compiling/compiling.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::duration<double> kReferenceLimit{600};
constexpr std::chrono::seconds kReferenceVersionLimit{30};
constexpr std::chrono::minutes kReferenceCompileLimit{10};
/// What stands before the name of what the program has for itself.
constexpr std::string_view kOwn = "rooflinectl_reference";

/// A reference in C++ as a program of its own, which may crash: `runner/compiling/reference_main.h`.
struct ReferenceTask {
  std::filesystem::path source;      ///< absolute
  std::string place;                 ///< where the description names the function: `scale.cu:1:27`
  std::string text;                  ///< the program
  std::vector<std::string> options;  ///< of the compiler
  int architecture = 0;              ///< of device code beside the function: 90

  bool operator==(const ReferenceTask&) const = default;
};

// ---- the program ----

/// What a call as the user writes it has between its parentheses; nothing if the function alone is named.
std::optional<std::string_view> written_arguments(std::string_view function) {
  const std::size_t open = function.find('(');
  return open == std::string_view::npos ? std::nullopt : std::optional(function.substr(open + 1));
}

/// The axes that the call names, which are variables of the program.
std::vector<Axes::Axis> named_axes(const KernelCall& call, const Axes& axes) {
  std::vector<Axes::Axis> named;
  const auto written = written_arguments(call.reference);
  if (!written) return named;
  const std::set<std::string> names = identifiers_in(*written);
  for (const Axes::Axis& axis : axes) {
    const bool is_argument =
        std::ranges::find(call.arguments, axis.first, &CallArgument::name) != call.arguments.end();
    if (names.contains(axis.first) && !is_argument) named.push_back(axis);
  }
  return named;
}

/// Declares the arguments of the call, and calls it.
std::string call_text(const KernelCall& call, const Axes& axes) {
  const auto written = written_arguments(call.reference);
  const std::set<std::string> names = identifiers_in(written.value_or(""));
  std::string text;
  std::vector<std::string> in_order;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    // The user's names may be those of functions, too.
    const std::string name =
        names.contains(argument.name) ? argument.name : fmt::format("{}_argument_{}", kOwn, i);
    in_order.push_back(name);
    if (argument.kind == ArgumentKind::scalar) {
      text += fmt::format(
          "    [[maybe_unused]] const {0}::Native<{0}::{1}> {2} = "
          "{0}_values.scalar<{0}::Native<{0}::{1}>>();\n",
          kOwn, to_string(argument.type), name);
      continue;
    }
    text += fmt::format(
        "    {0}::Buffer {0}_buffer_{1} = {0}_values.buffer({2});\n"
        "    [[maybe_unused]] const {0}::Memory<{0}::{3}> {4}({0}_buffer_{1});\n",
        kOwn, i, is_read(argument.kind), to_string(argument.type), name);
  }
  for (const auto& [axis, value] : named_axes(call, axes)) {
    const bool is_number = std::holds_alternative<std::uint64_t>(value);
    text += is_number
                ? fmt::format("    [[maybe_unused]] const long long {} = {}_values.integer();\n", axis, kOwn)
                : fmt::format("    [[maybe_unused]] const char* const {} = {}_values.next().c_str();\n", axis,
                              kOwn);
  }
  text += fmt::format("#line 1 \"{}\"\n{}", kFunctionFile, call.reference);
  if (!written) text += fmt::format("({})", fmt::join(in_order, ", "));
  return text + fmt::format(";\n#line 1 \"{}\"\n", kArgumentsFile);
}

std::string program_text(const FileKernel& kernel, const KernelCall& call, const Axes& axes) {
  if (kernel.reference.cpp.find_first_of("\"\n\\") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("{}: a path that #include cannot name", kernel.reference.cpp));
  }
  std::string stores;
  for (const FileKernelArgument& result : results_of(kernel)) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i].name != result.name) continue;
      stores += fmt::format("    {0}::store_result<{0}::{1}>({0}_buffer_{2}, {0}_values.next());\n", kOwn,
                            to_string(call.arguments[i].type), i);
    }
  }
  // A file may have a main() of its own.
  return fmt::format(
      "#line 1 \"{}\"\n"
      "{}"
      "#define main rooflinectl_main_of_the_file\n"
      "#include \"{}\"\n"
      "#undef main\n"
      "int main(int argc, char** argv) {{\n"
      "  return {}::run(argc, argv, []({}::Values& {}_values) {{\n"
      "{}{}"
      "  }});\n"
      "}}\n",
      kArgumentsFile, embedded::reference_main(), kernel.reference.cpp, kOwn, kOwn, kOwn,
      call_text(call, axes), stores);
}

bool is_cuda(const fs::path& source) {
  return source.extension() == ".cu";
}

/// Those of nvcc that every compiler knows.
std::vector<std::string> options_of(const fs::path& source, const std::vector<std::string>& options) {
  if (is_cuda(source)) return options;
  std::vector<std::string> known;
  for (const std::string& option : options) {
    constexpr std::array<std::string_view, 4> kBegins = {"-D", "-U", "-I", "-std="};
    const bool is_known =
        std::ranges::any_of(kBegins, [&](std::string_view begin) { return option.starts_with(begin); });
    if (is_known) known.push_back(option);
  }
  return known;
}

// ---- compiling it ----

std::optional<Compiler> host_compiler(const std::string& program) {
  const FinishedProgram asked = run_program("/usr/bin/env", {program, "--version"}, kReferenceVersionLimit);
  if (asked.wait_status != 0) return std::nullopt;
  return Compiler{asked.output, program};
}

/// What the compiler says of the user's file only, or of how the function is called.
std::string errors_text(const ReferenceTask& task, const std::string& log, const fs::path& unit) {
  std::string of_user;
  for (const std::string& line : messages_in(log)) {
    // Of GCC, nvcc and clang: `static assertion failed: …`, `static assertion failed with "…"`,
    // `static_assert failed … "…"`.
    const bool is_assertion =
        line.starts_with(kArgumentsFile) && (line.find("static assertion failed") != std::string::npos ||
                                             line.find("static_assert failed") != std::string::npos);
    if (is_assertion) {
      const bool is_quoted = line.ends_with('"');
      std::string what = is_quoted ? line.substr(0, line.size() - 1) : line;
      what.erase(0, is_quoted ? what.rfind('"') + 1 : what.rfind("failed: ") + 8);
      return fmt::format("{}: {}", task.place, what);
    }
    if (!line.starts_with(fmt::format("In file included from {}", kArgumentsFile))) of_user += line + "\n";
  }
  return fmt::format("{}", fmt::join(errors_in(of_user, unit.string(), task.place), "\n"));
}

/// Asks for the one that sources like this task's need. Throws Error(environment) if there is none.
Compiler require_host_compiler(const ReferenceTask& task) {
  if (is_cuda(task.source)) {
    const auto compiler = find_compiler();
    if (compiler && !compiler->program.empty()) return *compiler;
    throw Error(ErrorKind::environment,
                fmt::format("{}: a reference in a .cu file needs nvcc, which was not found", task.place),
                "put the function into a .cpp file beside it, or set CUDA_HOME to the toolkit's folder");
  }
  if (const char* const chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') {
    if (auto compiler = host_compiler(chosen)) return *compiler;
  }
  for (const char* const usual : {"c++", "g++", "clang++"}) {
    if (auto compiler = host_compiler(usual)) return *compiler;
  }
  throw Error(ErrorKind::environment,
              fmt::format("{}: no C++ compiler was found for the reference", task.place),
              "install g++, or set CXX");
}

/// The program that computes the reference of a kernel for points like this one: the same for all sizes.
ReferenceTask reference_task(const FileKernel& kernel, const KernelCall& call, const Axes& axes,
                             int architecture) {
  const auto place = kernel.places.find("reference.function");
  return {.source = kernel.reference.cpp,
          .place = place == kernel.places.end() ? kernel.reference.cpp : place->second,
          .text = program_text(kernel, call, axes),
          .options = options_of(kernel.reference.cpp, call.options),
          .architecture = architecture};
}

/// What it is called with to store the results, by argument, in `folder` (`reference_file`).
std::vector<std::string> reference_arguments(const FileKernel& kernel, const KernelCall& call,
                                             const PointId& point, const fs::path& folder) {
  std::vector<std::string> arguments;
  for (const CallArgument& argument : call.arguments) {
    if (argument.kind == ArgumentKind::scalar) {
      arguments.push_back(fmt::format("{}", argument.fill.value));
    } else {
      arguments.push_back(fmt::format("{} {} {} {}", argument.count, to_string(argument.fill.kind),
                                      argument.fill.value, argument.fill.seed));
    }
  }
  for (const auto& [axis, value] : named_axes(call, point.axes)) {
    std::visit([&](const auto& of_axis) { arguments.push_back(fmt::format("{}", of_axis)); }, value);
  }
  for (const FileKernelArgument& result : results_of(kernel)) {
    arguments.push_back((folder / reference_file(point, result.name)).string());
  }
  return arguments;
}

/// Compiles the program, unless the user's cache has it, and returns its file. Throws Error(usage) with the
/// compiler's messages if it refuses, Error(environment) if it does not end.
fs::path compile_reference(const ReferenceTask& task, const Compiler& compiler) {
  const std::string key = sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", compiler.program.string(),
                                             compiler.name, task.architecture, fmt::join(task.options, "\n"),
                                             task.text, text_with_includes(task.source)));
  std::error_code error;
  if (fs::is_regular_file(cached_program(key), error)) return cached_program(key);
  const PrivateFolder folder;
  const fs::path unit = folder.path() / (is_cuda(task.source) ? "reference.cu" : "reference.cpp");
  const fs::path program = folder.path() / "reference";
  write_new_file(unit, task.text, std::nullopt);
  std::vector<std::string> arguments = {compiler.program.string()};
  if (!is_cuda(task.source)) {
    arguments.emplace_back("-std=c++20");
  } else if (!names_architecture(task.options)) {
    arguments.push_back(fmt::format("-arch=compute_{}", task.architecture));  // device code is not run
  }
  arguments.insert(arguments.end(), {"-O2", "-w", fmt::format("-I{}", task.source.parent_path().string())});
  if (!is_cuda(task.source)) {
    if (const auto include = toolkit_include()) arguments.push_back(fmt::format("-I{}", include->string()));
  }
  arguments.insert(arguments.end(), task.options.begin(), task.options.end());
  arguments.insert(arguments.end(), {"-o", program.string(), unit.string()});
  const FinishedProgram finished = run_program("/usr/bin/env", arguments, kReferenceCompileLimit);
  if (!finished.wait_status) {
    throw Error(ErrorKind::environment, fmt::format("{} did not end", compiler.program.string()));
  }
  if (*finished.wait_status != 0) {
    throw Error(ErrorKind::usage, fmt::format("{}: the reference does not compile:\n{}", task.place,
                                              errors_text(task, finished.log + finished.output, unit)));
  }
  cache_program(key, program);
  return cached_program(key);
}

// ---- all of them ----

bool has_cpp_reference(const FileKernel& kernel) {
  return !kernel.reference.cpp.empty();
}

struct References {
  /// A point whose results are computed, and with what.
  struct Point {
    const FileKernel* kernel = nullptr;
    PointId point;
    KernelCall call;
    std::size_t task = 0;
  };
  std::vector<Point> points;
  std::vector<ReferenceTask> tasks;
};

References references_of(const Plan& plan, int architecture) {
  References references;
  std::set<std::string> known;
  for (const PointId& point : all_points(plan)) {
    const FileKernel* const kernel = find_file_kernel(plan, point.subject);
    // Cold and warm are the same.
    if (kernel == nullptr || !has_cpp_reference(*kernel) || !known.insert(reference_file(point, "")).second)
      continue;
    References::Point added{kernel, point, call_of(*kernel, point.axes), 0};
    ReferenceTask task = reference_task(*kernel, added.call, point.axes, architecture);
    const auto same = std::ranges::find(references.tasks, task);
    added.task = static_cast<std::size_t>(same - references.tasks.begin());
    if (same == references.tasks.end()) references.tasks.push_back(std::move(task));
    references.points.push_back(std::move(added));
  }
  return references;
}

/// The program of each task.
std::vector<fs::path> compiled(const std::vector<ReferenceTask>& tasks) {
  std::map<fs::path, Compiler> compilers;  // by the extension of the source
  for (const ReferenceTask& task : tasks) {
    const fs::path language = task.source.extension();
    if (!compilers.contains(language)) compilers.emplace(language, require_host_compiler(task));
  }
  std::set<std::string> said;
  return compile_side_by_side(
      tasks,
      [&](const ReferenceTask& task) {
        return compile_reference(task, compilers.at(task.source.extension()));
      },
      [&](const std::string& mistake) { return said.insert(mistake).second; });
}

/// Why it has no results; empty if it has.
std::string cause_of(const FinishedProgram& finished, std::chrono::duration<double> limit) {
  if (!finished.wait_status) return fmt::format("did not end within {:.3g} s", limit.count());
  if (*finished.wait_status == 0) return "";
  if (WIFEXITED(*finished.wait_status) && !finished.last_log_line.empty()) {
    return fmt::format("ended with: {}", finished.last_log_line);
  }
  return describe_exit(*finished.wait_status);
}

}  // namespace

bool has_cpp_references(const Plan& plan) {
  return std::ranges::any_of(plan.kernels, has_cpp_reference);
}

void compile_cpp_references(const Plan& plan, int architecture) {
  compiled(references_of(plan, architecture).tasks);
}

void compute_cpp_references(const Plan& plan, const fs::path& folder, int architecture) {
  const auto limit = silence_limit_from_environment().value_or(kReferenceLimit);
  const References references = references_of(plan, architecture);
  const std::vector<fs::path> programs = compiled(references.tasks);
  for (const References::Point& one : references.points) {
    const FinishedProgram finished =
        run_program(programs[one.task], reference_arguments(*one.kernel, one.call, one.point, folder),
                    std::chrono::duration_cast<CollectorProcess::Clock::duration>(limit));
    const std::string cause = cause_of(finished, limit);
    if (cause.empty()) continue;
    write_file(folder / reference_cause_file(one.point),
               fmt::format("the reference '{}' {}", one.kernel->reference.function, cause));
  }
}

}  // namespace rooflinectl
