// SPDX-License-Identifier: Apache-2.0
// `librooflinectl-injection.so`: what CUDA and NVTX load into a program because of CUDA_INJECTION64_PATH and
// NVTX_INJECTION64_PATH. It links neither CUDA nor CUPTI, so that it can be loaded everywhere, and loads the
// module that does, with the CUPTI that the program itself uses, or else with ours.

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "core/serial/program/program_files.h"
#include "injection/process_life.h"
#include "injection/record_file.h"
#include "injection/this_process.h"

namespace {

namespace fs = std::filesystem;
using rooflinectl::ProfileSettings;

constexpr const char* kCupti = "libcupti.so.13";
constexpr const char* kModule = "librooflinectl-injection-cupti.so";

/// The file of the library that holds `address`.
fs::path file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? fs::path(info.dli_fname) : fs::path();
}

/// Loads the libraries that CUPTI loads by name when it counts, from beside the CUPTI that is used.
void load_companions(void* cupti) {
  const fs::path folder = file_of(dlsym(cupti, "cuptiGetVersion")).parent_path();
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    dlopen((folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
}

void* loaded_module(std::string& problem) {
  const ProfileSettings settings = rooflinectl::decode_settings(std::getenv(rooflinectl::kProfileVariable));
  void* cupti = dlopen(kCupti, RTLD_NOW | RTLD_NOLOAD);
  if (cupti == nullptr && !settings.cupti.empty())
    cupti = dlopen(settings.cupti.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (cupti == nullptr) {
    const char* reason = settings.cupti.empty() ? "it was not found" : dlerror();
    problem = std::string(kCupti) + " cannot be loaded: " + (reason == nullptr ? "" : reason);
    return nullptr;
  }
  load_companions(cupti);
  const fs::path path = file_of(reinterpret_cast<const void*>(&file_of)).parent_path() / kModule;
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  if (auto* const prepare = reinterpret_cast<decltype(rooflinectl_injection_prepare)*>(
          dlsym(module, "rooflinectl_injection_prepare")))
    prepare();
  return module;
}

/// The module, loaded once; null if that failed, and then why.
struct Module {
  void* handle = nullptr;
  std::string problem;
};

Module load_module() {
  Module made;
  try {
    made.handle = loaded_module(made.problem);
  } catch (const std::exception& error) {
    made.problem = error.what();
  }
  return made;
}

// Made when this library is loaded: within a function, a child that was forked meanwhile would wait for ever.
const Module kUnknownModule = {.handle = nullptr, .problem = "its process was forked while it was loaded"};
Module loaded_once;

/// In a child that was forked while a thread of its parent loaded the module, nobody will ever end that: the
/// child goes on without us. So does what the libraries call while they are loaded.
const Module& module() {
  static std::atomic<pid_t> loading{0};  // the process whose thread loads it, or has loaded it
  static thread_local bool is_loader = false;
  static std::atomic<bool> is_loaded{false};
  pid_t nobody = 0;
  if (loading.compare_exchange_strong(nobody, getpid())) {
    is_loader = true;
    loaded_once = load_module();
    is_loaded = true;
  }
  while (!is_loaded) {
    if (is_loader || loading != getpid()) return kUnknownModule;
    std::this_thread::yield();
  }
  return loaded_once;
}

template <typename Function>
Function* module_function(const char* name) {
  return reinterpret_cast<Function*>(module().handle == nullptr ? nullptr : dlsym(module().handle, name));
}

/// Nothing of this process can be seen: `rooflinectl` is told why.
void write_problem(const std::string& cause) {
  namespace injection = rooflinectl::injection;
  try {
    const ProfileSettings settings = rooflinectl::decode_settings(std::getenv(rooflinectl::kProfileVariable));
    injection::RecordFile file(injection::record_path(settings.records));
    file.add(injection::this_process());
    file.add(
        rooflinectl::record::Problem{.group = std::nullopt,
                                     .cause = std::string(rooflinectl::record::kNothingSeen) + ": " + cause,
                                     .hint = "install the CUDA 13 toolkit, or set CUDA_HOME to its folder"});
    file.flush();
  } catch (const std::exception&) {
    return;  // the program continues
  }
}

bool is_asked_for() {
  return std::getenv(rooflinectl::kProfileVariable) != nullptr;
}

/// The function of the module with this name, if rooflinectl runs the program.
template <typename Function>
Function* asked_for(const char* name) {
  return is_asked_for() ? module_function<Function>(name) : nullptr;
}

}  // namespace

/// CUDA calls this in `cuInit`.
// NOLINTNEXTLINE(readability-identifier-naming): the name is CUDA's
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  if (!is_asked_for()) return 1;
  if (auto* const observe =
          module_function<decltype(rooflinectl_injection_observe)>("rooflinectl_injection_observe")) {
    return observe();
  }
  write_problem(module().problem);
  return 1;
}

/// NVTX calls this before the first range of each dynamic library that uses it.
// NOLINTNEXTLINE(readability-identifier-naming): the name is NVTX's
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    const void* (*get_export_table)(unsigned int)) {
  auto* const attach =
      asked_for<decltype(rooflinectl_injection_attach_to_nvtx)>("rooflinectl_injection_attach_to_nvtx");
  return attach == nullptr ? 0 : attach(get_export_table);
}

/// NVTX calls this before the first payload.
// NOLINTNEXTLINE(readability-identifier-naming): the name is NVTX's
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module) {
  auto* const attach = asked_for<decltype(rooflinectl_injection_attach_to_nvtx_extension)>(
      "rooflinectl_injection_attach_to_nvtx_extension");
  return attach == nullptr ? 0 : attach(module);
}
