// SPDX-License-Identifier: Apache-2.0
#include "runner/embedded_python.h"

// The assembler puts the file between two symbols; ROOFLINECTL_RUNNER_FOLDER comes from CMake.
#define ROOFLINECTL_EMBED(name, path)                                           \
  extern "C" const char name##_begin[] __attribute__((visibility("hidden")));   \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));     \
  asm(".pushsection .rodata\n"                                                  \
      ".global " #name "_begin\n" #name                                         \
      "_begin:\n"                                                               \
      ".incbin \"" ROOFLINECTL_RUNNER_FOLDER "/" path                           \
      "\"\n"                                                                    \
      ".global " #name "_end\n" #name                                           \
      "_end:\n"                                                                 \
      ".popsection\n");                                                         \
  std::string_view rooflinectl::embedded::name() {                              \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)}; \
  }

ROOFLINECTL_EMBED(driver, "python_kernels/driver.py")
ROOFLINECTL_EMBED(nvrtc, "compiling/nvrtc.py")
