// SPDX-License-Identifier: Apache-2.0
// What `librooflinectl-injection.so` loads once CUPTI is there.

#include "collector/injection/module.h"

#include <pthread.h>

#include <cstdlib>
#include <exception>

#include "collector/injection/nvtx_injection.h"
#include "collector/injection/process.h"
#include "core/serial/profile_settings.h"

namespace {

using rooflinectl::injection::Process;

/// Made once, and never destroyed: other threads of the program may launch until its very end.
Process* process = nullptr;

Process* made_process() {
  if (process != nullptr) return process;
  const char* settings = std::getenv(rooflinectl::kProfileVariable);
  if (settings == nullptr) return nullptr;
  process = new Process(rooflinectl::decode_settings(settings));
  pthread_atfork(nullptr, nullptr, [] { process->switch_off(); });
  return process;
}

}  // namespace

int rooflinectl_injection_observe() {
  try {
    if (made_process() == nullptr) return 0;
    process->observe();
    std::atexit([] { process->finish(); });
    return 1;
  } catch (const std::exception&) {
    return 0;  // the program continues without us
  }
}

int rooflinectl_injection_attach_to_nvtx_extension(nvtxExtModuleInfo_t* module) {
  try {
    return made_process() != nullptr &&
           rooflinectl::injection::attach_to_nvtx_extension(*module, process->paths());
  } catch (const std::exception&) {
    return 0;
  }
}

int rooflinectl_injection_attach_to_nvtx(const void* (*get_export_table)(unsigned int)) {
  try {
    return made_process() != nullptr &&
           rooflinectl::injection::attach_to_nvtx(get_export_table, process->paths());
  } catch (const std::exception&) {
    return 0;
  }
}
