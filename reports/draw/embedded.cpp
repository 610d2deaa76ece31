// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/embedded.h"

// The assembler puts the file between two symbols; ROOFLINECTL_REPORTS_FOLDER comes from CMake.
#define ROOFLINECTL_EMBED(name, path)                                           \
  extern "C" const char name##_begin[] __attribute__((visibility("hidden")));   \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));     \
  asm(".pushsection .rodata\n"                                                  \
      ".balign 16\n"                                                            \
      ".global " #name "_begin\n" #name                                         \
      "_begin:\n"                                                               \
      ".incbin \"" ROOFLINECTL_REPORTS_FOLDER "/" path                          \
      "\"\n"                                                                    \
      ".global " #name "_end\n" #name                                           \
      "_end:\n"                                                                 \
      ".popsection\n");                                                         \
  std::string_view rooflinectl::embedded::name() {                              \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)}; \
  }

ROOFLINECTL_EMBED(inter_regular, "draw/font/Inter-Regular.otf")
ROOFLINECTL_EMBED(inter_semibold, "draw/font/Inter-SemiBold.otf")
ROOFLINECTL_EMBED(page, "page/web/dist/page.html")
ROOFLINECTL_EMBED(comparison, "page/web/dist/comparison.html")
ROOFLINECTL_EMBED(history, "history/history.html")
