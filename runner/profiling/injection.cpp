// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/injection.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "core/serial/program/profile_settings.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librooflinectl-injection.so";
constexpr const char* kCupti = "libcupti.so.13";
// The variables that make CUDA and NVTX load a library.
constexpr std::array kInjectionVariables = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

/// Best guess first, as in collector/device/toolkit_library.cpp.
std::vector<fs::path> folders_of_cupti() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  for (const char* root : {"/usr/local/cuda-13.0", "/usr/local/cuda-13", "/usr/local/cuda"})
    roots.emplace_back(root);
  std::vector<fs::path> folders;
  for (const fs::path& root : roots) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64"}) folders.push_back(root / folder);
  }
  for (const char* folder : {"/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    folders.emplace_back(folder);
  return folders;
}

}  // namespace

fs::path require_injection() {
  if (const char* const path = std::getenv("ROOFLINECTL_INJECTION")) return fs::absolute(path);
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& library : {folder / kLibrary, folder.parent_path() / "lib" / kLibrary}) {
    if (!error && fs::exists(library, error)) return library;
  }
  throw CannotMeasure(
      ErrorKind::environment,
      fmt::format("{} is not installed: this build can only report on runs; it cannot profile", kLibrary),
      "install a build with CUDA (cmake --preset release) on the machine with the GPU");
}

fs::path find_cupti() {
  std::error_code error;
  for (const fs::path& folder : folders_of_cupti()) {
    if (fs::exists(folder / kCupti, error)) return fs::absolute(folder / kCupti);
  }
  return {};
}

std::map<std::string, std::string> injection_variables(const fs::path& library,
                                                       const ProfileSettings& settings) {
  std::map<std::string, std::string> variables;
  for (const char* const name : kInjectionVariables) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') {
      throw Error(ErrorKind::environment, fmt::format("{} is already set to {}", name, value),
                  "only one library can be loaded into the program: unset the variable, or run rooflinectl "
                  "outside of the other tool");
    }
    variables[name] = library.string();
  }
  variables[kProfileVariable] = encode(settings);
  return variables;
}

}  // namespace rooflinectl
