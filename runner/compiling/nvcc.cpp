// SPDX-License-Identifier: Apache-2.0
#include "runner/compiling/nvcc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "core/error.h"
#include "core/files/files.h"
#include "runner/compiling/compiler_log.h"
#include "runner/processes/collector_process.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kVersionLimit = 30s;
constexpr auto kCompileLimit = 10min;

/// Best guess first.
std::vector<fs::path> candidates() {
  std::vector<fs::path> programs;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const root = std::getenv(variable)) programs.push_back(fs::path(root) / "bin/nvcc");
  }
  if (const char* const path = std::getenv("PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      programs.push_back(fs::path(folder) / "nvcc");
  }
  programs.emplace_back("/usr/local/cuda/bin/nvcc");
  return programs;
}

/// `13.0.48` from `… release 13.0, V13.0.48`.
std::string version_in(const std::string& text) {
  const std::size_t begin = text.find(", V");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 3, text.find_first_not_of("0123456789.", begin + 3) - begin - 3);
}

/// What the compiler is told of types. Memory may be of vectors of its elements, such as `float4`, or of
/// bytes.
constexpr const char* kParameterTraits =
    "#include <type_traits>\n"
    "namespace rooflinectl_kernel {\n"
    "template <typename Kernel> struct Parameters {};\n"
    "template <typename... P> struct Parameters<void (*)(P...)> {\n"
    "  static constexpr unsigned long count = sizeof...(P);\n"
    "};\n"
    "template <unsigned long i, typename Kernel> struct Parameter { using Type = void; };\n"
    "template <typename First, typename... Rest> struct Parameter<0, void (*)(First, Rest...)> { using Type "
    "= First; };\n"
    "template <unsigned long i, typename First, typename... Rest> struct Parameter<i, void (*)(First, "
    "Rest...)>\n"
    "    : Parameter<i - 1, void (*)(Rest...)> {};\n"
    "template <typename T, unsigned long bytes, bool is_float> constexpr bool holds() {\n"
    "  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {\n"
    "    return sizeof(T) == bytes && (std::is_floating_point_v<T> == is_float || (is_float && bytes == "
    "2));\n"
    "  } else if constexpr (std::is_void_v<T>) {\n"
    "    return true;\n"
    "  } else {\n"
    "    return sizeof(T) % bytes == 0;\n"
    "  }\n"
    "}\n"
    "template <typename T, unsigned long bytes, bool is_float> constexpr bool is_scalar() {\n"
    "  if constexpr (std::is_void_v<T>) return true;\n"
    "  else return sizeof(T) == bytes && !std::is_pointer_v<T> && holds<T, bytes, is_float>();\n"
    "}\n"
    "template <typename T, unsigned long bytes, bool is_float> constexpr bool is_memory() {\n"
    "  using Element = std::remove_cv_t<std::remove_pointer_t<T>>;\n"
    "  if constexpr (!std::is_pointer_v<T> || std::is_void_v<Element>) return true;\n"
    "  else return sizeof(Element) == 1 || holds<Element, bytes, is_float>();\n"
    "}\n"
    "template <typename T> constexpr bool is_constant = std::is_const_v<std::remove_pointer_t<T>>;\n"
    "}\n";

/// What makes the compiler refuse a kernel with other parameters than those that are described: a launch
/// would read arguments that are not there.
std::string parameter_checks(const CompilerTask& task) {
  std::string text = fmt::format(
      "{}namespace rooflinectl_kernel {{ using Kernel = decltype(&{}); }}\n"
      "#line 1 \"arguments of {}\"\n"
      "static_assert(rooflinectl_kernel::Parameters<rooflinectl_kernel::Kernel>::count == {}, \"{} {} "
      "described, and the function has another number of parameters\");\n",
      kParameterTraits, task.function, task.kernel, task.parameters.size(), task.parameters.size(),
      task.parameters.size() == 1 ? "argument is" : "arguments are");
  for (std::size_t i = 0; i < task.parameters.size(); ++i) {
    const KernelParameter& parameter = task.parameters[i];
    const std::string type =
        fmt::format("rooflinectl_kernel::Parameter<{}, rooflinectl_kernel::Kernel>::Type", i);
    const auto require = [&](const std::string& condition, const std::string& mistake) {
      text += fmt::format("static_assert({}, \"'{}' {}\");\n", condition, parameter.name, mistake);
    };
    const std::string described = fmt::format("<{}, {}, {}>()", type, parameter.bytes, parameter.is_float);
    if (!parameter.is_pointer) {
      require(
          "rooflinectl_kernel::is_scalar" + described,
          fmt::format("is described as a scalar, {}, and its parameter has another type", parameter.type));
      continue;
    }
    require(fmt::format("std::is_pointer_v<{0}> || std::is_void_v<{0}>", type),
            "is described as memory, and its parameter is no pointer");
    require("rooflinectl_kernel::is_memory" + described,
            fmt::format("is described as memory of {}, and its parameter points to another type",
                        parameter.type));
    if (parameter.is_written) {
      require(fmt::format("!rooflinectl_kernel::is_constant<{}>", type),
              "is described as written, and its parameter points to what is constant");
    }
  }
  return text;
}

/// The source, and what makes the compiler instantiate the kernel and tell its name.
std::string unit_of(const CompilerTask& task) {
  if (task.source.string().find_first_of("\"\n\\") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("{}: a path that #include cannot name", task.source.string()));
  }
  return fmt::format(
      "#include \"{}\"\n"
      "namespace rooflinectl_kernel {{ template <auto kernel> __device__ int marker; }}\n"
      "#line 1 \"function of {}\"\n"
      "template __device__ int rooflinectl_kernel::marker<&{}>;\n"
      "{}",
      task.source.string(), task.kernel, task.function, parameter_checks(task));
}

/// Whether the user's options do, such as `-arch=sm_90a`: nvcc takes no second one.
bool names_architecture(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("-arch") || option.starts_with("--gpu-architecture");
  });
}

/// A folder that is removed at the end.
class WorkFolder {
 public:
  WorkFolder() : path_(make_private_folder()) {}
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  fs::path file(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

}  // namespace

std::optional<Nvcc> find_nvcc() {
  for (const fs::path& program : candidates()) {
    std::error_code error;
    if (!fs::is_regular_file(program, error)) continue;
    const FinishedProgram asked = run_program(program, {"--version"}, kVersionLimit);
    if (asked.wait_status == 0) return Nvcc{program, version_in(asked.output)};
  }
  return std::nullopt;
}

CompiledCode compile(const Nvcc& nvcc, const CompilerTask& task) {
  const WorkFolder folder;
  const fs::path unit = folder.file("kernel.cu");
  const fs::path cubin = folder.file("kernel.cubin");
  write_new_file(unit, unit_of(task), std::nullopt);
  std::vector<std::string> arguments = {
      "-cubin", "-lineinfo",    "-Xptxas",    "-v", fmt::format("-I{}", task.source.parent_path().string()),
      "-o",     cubin.string(), unit.string()};
  if (!names_architecture(task.options)) arguments.push_back(fmt::format("-arch=sm_{}", task.architecture));
  arguments.insert(arguments.end(), task.options.begin(), task.options.end());
  const FinishedProgram finished = run_program(nvcc.program, arguments, kCompileLimit);
  if (!finished.wait_status) {
    throw Error(ErrorKind::environment, fmt::format("{} did not end", nvcc.program.string()));
  }
  if (*finished.wait_status != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} does not compile:\n{}", task.function,
                            fmt::join(messages_in(finished.log + finished.output), "\n")),
                "nothing was measured");
  }
  return {read_file(cubin), finished.log};
}

}  // namespace rooflinectl
