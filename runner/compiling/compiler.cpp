// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "core/text/kernel_name.h"
#include "core/text/names.h"
#include "runner/built_in.h"
#include "runner/compiling/compiling.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kEnv = "/usr/bin/env";  // finds python3
constexpr auto kVersionLimit = 30s;

/// The toolkit that the user chose, if it is a folder.
std::optional<fs::path> named_toolkit() {
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    std::error_code error;
    if (root != nullptr && fs::is_directory(root, error)) return root;
  }
  return std::nullopt;
}

/// Where nvcc may be, best guess first.
std::vector<fs::path> usual_places() {
  std::vector<fs::path> programs;
  for (const fs::path& folder : path_folders()) programs.push_back(folder / "nvcc");
  programs.emplace_back("/usr/local/cuda/bin/nvcc");
  return programs;
}

/// `13.0.48` from `… release 13.0, V13.0.48`.
std::string version_in(const std::string& text) {
  const std::size_t begin = text.find(", V");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 3, text.find_first_not_of("0123456789.", begin + 3) - begin - 3);
}

std::optional<Compiler> nvcc_at(const fs::path& program) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return std::nullopt;
  const FinishedProgram asked = run_program(program, {"--version"}, kVersionLimit);
  if (asked.wait_status != 0) return std::nullopt;
  return Compiler{"nvcc " + version_in(asked.output), program};
}

bool has_nvrtc(const fs::path& toolkit) {
  std::error_code error;
  for (const char* const folder : {"lib64", "lib"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(toolkit / folder, error)) {
      if (entry.path().filename().string().starts_with("libnvrtc.so.")) return true;
    }
  }
  return false;
}

std::optional<Compiler> find_nvrtc() {
  const FinishedProgram asked =
      run_program(kEnv, {"python3", "-c", std::string(embedded::nvrtc()), "--version"}, kVersionLimit);
  if (asked.wait_status != 0 || asked.output.empty()) return std::nullopt;
  return Compiler{"NVRTC " + asked.output.substr(0, asked.output.find('\n')), {}};
}

}  // namespace

std::optional<Compiler> find_compiler() {
  if (const auto toolkit = named_toolkit()) {
    if (const auto nvcc = nvcc_at(*toolkit / "bin/nvcc")) return nvcc;
    if (has_nvrtc(*toolkit)) {
      if (const auto nvrtc = find_nvrtc()) return nvrtc;
    }
  }
  for (const fs::path& program : usual_places()) {
    if (const auto nvcc = nvcc_at(program)) return nvcc;
  }
  return find_nvrtc();
}

bool names_architecture(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-arch") || option.starts_with("--gpu-architecture");
  });
}

std::optional<fs::path> toolkit_include() {
  std::vector<fs::path> folders;
  if (const auto toolkit = named_toolkit()) folders.push_back(*toolkit / "include");
  for (const fs::path& nvcc : usual_places()) folders.push_back(nvcc.parent_path().parent_path() / "include");
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / "cuda_runtime.h", error)) return folder;
  }
  return std::nullopt;
}

// ---- what they say ----

namespace {

/// The number before `unit` in `line`; 0 if there is none.
std::uint64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  const std::size_t begin = line.find_last_not_of("0123456789", end == 0 ? 0 : end - 1) + 1;
  std::uint64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

bool is_report(std::string_view line) {
  return line.starts_with("ptxas info") || line.find(" bytes stack frame") != std::string_view::npos ||
         line.starts_with("Remark: The warnings can be suppressed");
}

/// Without its parameters: `scale(float*)` is `scale`.
std::string_view without_parameters(std::string_view name) {
  return name.ends_with(')') ? name.substr(0, name.find('(')) : name;
}

}  // namespace

KernelReport kernel_report(std::string_view log, std::string_view symbol) {
  KernelReport report;
  bool is_of_symbol = false;
  const std::string begin = fmt::format("Compiling entry function '{}'", symbol);
  while (!log.empty()) {
    const std::string_view line = take_field(log, '\n');
    if (line.find("Compiling entry function") != std::string_view::npos) {
      is_of_symbol = line.find(begin) != std::string_view::npos;
    }
    if (!is_of_symbol) continue;
    if (line.find(" bytes spill stores") != std::string_view::npos) {
      report.spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string_view::npos) {
      report.registers = static_cast<int>(number_before(line, " registers"));
    }
  }
  return report;
}

std::vector<std::string> messages_in(std::string_view log) {
  std::vector<std::string> messages;
  while (!log.empty()) {
    const std::string_view line = take_field(log, '\n');
    if (!is_report(line) && line.find_first_not_of(" \t\r") != std::string_view::npos)
      messages.emplace_back(line);
  }
  return messages;
}

std::string place_of(const FileKernel& kernel, const std::string& field) {
  const auto place = kernel.places.find(field);
  return place == kernel.places.end() ? kernel.source : place->second;
}

std::vector<std::string> errors_in(std::string_view log, std::string_view unit, std::string_view place) {
  std::vector<std::string> of_user;
  std::vector<std::string> of_function;
  std::vector<std::string> of_arguments;
  bool is_of_user = true;
  bool has_error = false;
  for (const std::string& line : messages_in(log)) {
    if (line.find(unit) != std::string::npos || line == "compilation terminated.") continue;  // no message
    const std::size_t error = line.find("error");
    if (line.starts_with(kFunctionFile) || line.starts_with(kArgumentsFile)) {
      is_of_user = false;
      if (error == std::string::npos) continue;
      if (line.starts_with(kFunctionFile)) {
        of_function.push_back(fmt::format("{}: {}", place, line.substr(error)));
      } else if (line.ends_with('"')) {
        const std::size_t quote = line.find('"');
        of_arguments.push_back(line.substr(quote + 1, line.size() - quote - 2));
      }
    } else if (!line.starts_with(' ')) {
      is_of_user = true;
      has_error = has_error || error != std::string::npos;
    }
    if (is_of_user) of_user.push_back(line);
  }
  if (has_error) return of_user;
  if (!of_function.empty()) return {of_function.front()};
  return of_arguments.empty() ? messages_in(log) : of_arguments;
}

std::string marked_kernel(std::string_view cubin, std::string_view marker) {
  // Both are among the names of the file: each ends with a zero. A name within another, as the marker has it,
  // is abbreviated differently, so what they stand for is compared.
  constexpr std::size_t kMaxName = 16'384;
  std::optional<std::string> wanted;
  const auto for_each_name = [&](auto function) {
    for (std::size_t begin = 0; begin < cubin.size();) {
      const std::size_t end = std::min(cubin.find('\0', begin), cubin.size());
      if (end > begin && end - begin <= kMaxName) function(cubin.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  const std::string beginning = fmt::format("{}<&", marker);
  for_each_name([&](std::string_view name) {
    if (wanted || !name.starts_with("_Z")) return;
    const std::string demangled = demangle(name);
    if (!demangled.starts_with(beginning) || !demangled.ends_with('>')) return;
    std::string_view inner(demangled);
    inner = inner.substr(beginning.size(), inner.size() - beginning.size() - 1);
    if (inner.starts_with('(') && inner.ends_with(')')) inner = inner.substr(1, inner.size() - 2);
    wanted = inner;
  });
  std::string found;
  if (!wanted) return found;
  constexpr std::string_view kText = ".text.";  // the section of a kernel is called like it
  for_each_name([&](std::string_view name) {
    if (!found.empty() || !name.starts_with(kText)) return;
    const std::string_view symbol = name.substr(kText.size());
    const bool is_c = symbol == without_parameters(*wanted);
    if (is_c || demangle(symbol) == *wanted) found = symbol;
  });
  return found;
}

}  // namespace rooflinectl
