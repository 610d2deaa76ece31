// SPDX-License-Identifier: Apache-2.0
// The start of the profiled program, its forks and its end, for `librooflinectl-injection.so`, which loads
// this once CUPTI is there.

#include "injection/process_life.h"

#include <pthread.h>

#include <cstdlib>
#include <exception>

#include "core/serial/program/program_files.h"
#include "injection/cuda/cuda_driver.h"
#include "injection/cuda/cupti_callbacks.h"
#include "injection/process.h"
#include "injection/ranges/nvtx_injection.h"

namespace {

using rooflinectl::injection::CudaDriver;
using rooflinectl::injection::Process;

/// Made once, by `rooflinectl_injection_prepare`, and never destroyed: other threads of the program may
/// launch until its very end. Null if rooflinectl does not run the program.
Process* process() {
  static Process* const made = []() -> Process* {
    const char* settings = std::getenv(rooflinectl::kProfileVariable);
    return settings == nullptr ? nullptr : new Process(rooflinectl::decode_settings(settings));
  }();
  return made;
}

/// No lock of ours is held by a thread that the child does not have.
void survive_forks() {
  static const int registered =
      pthread_atfork([] { process()->before_fork(); }, [] { process()->after_fork_in_parent(); },
                     [] { process()->after_fork_in_child(); });
  static_cast<void>(registered);
}

/// Objects of libraries are destroyed at exit in the reverse order in which they were made, and CUPTI's host
/// library makes some when it is first used: what was asked for last is done first.
void finish_at_exit() {
  std::atexit([] { process()->finish(); });
}

}  // namespace

void rooflinectl_injection_prepare() {
  try {
    if (process() != nullptr) survive_forks();
  } catch (const std::exception&) {
    return;  // the functions below find the same
  }
}

int rooflinectl_injection_observe() {
  try {
    if (process() == nullptr) return 0;
    auto* const driver = new CudaDriver(finish_at_exit);  // lives as long as the process
    process()->observe(*driver);
    rooflinectl::injection::watch(*process(), *driver);
    finish_at_exit();
    std::at_quick_exit([] { process()->finish(); });
    return 1;
  } catch (const std::exception&) {
    return 0;  // the program continues without us
  }
}

int rooflinectl_injection_attach_to_nvtx_extension(nvtxExtModuleInfo_t* module) {
  try {
    if (process() == nullptr) return 0;
    return rooflinectl::injection::attach_to_nvtx_extension(*module, process()->paths());
  } catch (const std::exception&) {
    return 0;
  }
}

int rooflinectl_injection_attach_to_nvtx(const void* (*get_export_table)(unsigned int)) {
  try {
    if (process() == nullptr) return 0;
    return rooflinectl::injection::attach_to_nvtx(get_export_table, process()->paths());
  } catch (const std::exception&) {
    return 0;
  }
}
