// SPDX-License-Identifier: Apache-2.0
// Finds CUPTI and the module that is built on it, and loads both.

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "collector/cupti/profiler.h"
#include "collector/device/libraries.h"
#include "core/error.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCuptiLibrary = "libcupti.so.13";
constexpr const char* kModule = "librooflinectl-cupti.so";

void load_cupti() {
  if (open_toolkit_library(kCuptiLibrary) != nullptr) return;
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
  constexpr const char* kHint = "reinstall the complete rooflinectl folder";
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

std::unique_ptr<Profiler> open_profiler(int device_index, const std::vector<Metric>& metrics) {
  return std::unique_ptr<Profiler>(
      module_function<OpenProfiler>("rooflinectl_open_profiler")(device_index, metrics));
}

std::unique_ptr<Sampler> open_sampler(int device, const std::string& uuid, std::uint64_t interval_ns) {
  return std::unique_ptr<Sampler>(
      module_function<OpenSampler>("rooflinectl_open_sampler")(device, uuid, interval_ns));
}

std::vector<ChipCounters> describe_chips(const std::string& chip) {
  std::vector<ChipCounters> chips;
  module_function<DescribeChips>("rooflinectl_describe_chips")(chip, chips);
  return chips;
}

}  // namespace rooflinectl
