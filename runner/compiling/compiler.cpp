// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "runner/built_in.h"
#include "runner/compiling/compiling.h"
#include "runner/crosscheck/crosscheck.h"
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

}  // namespace rooflinectl
