// SPDX-License-Identifier: Apache-2.0
// Finds CUPTI and the module that is built on it, and loads both.

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "collector/profiler.h"
#include "core/error.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCuptiLibrary = "libcupti.so.13";
constexpr const char* kModule = "librooflinectl-cupti.so";

/// Where toolkits put CUPTI, best guess first. The loader's own search path comes last.
std::vector<fs::path> cupti_candidates() {
  std::vector<fs::path> candidates;
  const auto add_toolkit = [&](const fs::path& root) {
    candidates.push_back(root / "extras/CUPTI/lib64" / kCuptiLibrary);
    candidates.push_back(root / "lib64" / kCuptiLibrary);
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) add_toolkit(root);
  }
  add_toolkit("/usr/local/cuda-13.0");
  add_toolkit("/usr/local/cuda-13");
  add_toolkit("/usr/local/cuda");
  candidates.emplace_back(kCuptiLibrary);
  return candidates;
}

void load_cupti() {
  for (const fs::path& candidate : cupti_candidates()) {
    if (dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  }
  throw Error(ErrorKind::environment, fmt::format("{} was not found", kCuptiLibrary),
              "install the CUDA 13 toolkit, or set CUDA_HOME to its folder");
}

fs::path module_path() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = folder.parent_path() / "lib" / kModule;
  return fs::exists(installed) ? installed : folder / kModule;
}

/// The function of the module that is exported as `name`.
template <typename Function>
Function* module_function(const char* name) {
  constexpr const char* kHint = "install rooflinectl again as a whole folder";
  load_cupti();
  void* module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw Error(ErrorKind::environment, fmt::format("the CUPTI module cannot be loaded: {}", dlerror()),
                kHint);
  }
  void* function = dlsym(module, name);
  if (function == nullptr) {
    throw Error(ErrorKind::environment, fmt::format("the CUPTI module has no {}", name), kHint);
  }
  return reinterpret_cast<Function*>(function);
}

}  // namespace

std::unique_ptr<Profiler> open_profiler(int device_index) {
  return std::unique_ptr<Profiler>(module_function<OpenProfiler>("rooflinectl_open_profiler")(device_index));
}

std::vector<ChipCounters> describe_chips(const std::string& chip) {
  std::vector<ChipCounters> chips;
  module_function<DescribeChips>("rooflinectl_describe_chips")(chip, chips);
  return chips;
}

}  // namespace rooflinectl
