// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// Defines `std::string_view rooflinectl::embedded::NAME()`, the bytes of the file PATH (a string literal) in
/// the folder that CMake names with ROOFLINECTL_EMBEDDED_FOLDER. The assembler puts the file between two
/// symbols.
#define ROOFLINECTL_EMBED(name, path)                                           \
  extern "C" const char name##_begin[] __attribute__((visibility("hidden")));   \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));     \
  asm(".pushsection .rodata\n"                                                  \
      ".balign 16\n"                                                            \
      ".global " #name "_begin\n" #name                                         \
      "_begin:\n"                                                               \
      ".incbin \"" ROOFLINECTL_EMBEDDED_FOLDER "/" path                         \
      "\"\n"                                                                    \
      ".global " #name "_end\n" #name                                           \
      "_end:\n"                                                                 \
      ".popsection\n");                                                         \
  std::string_view rooflinectl::embedded::name() {                              \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)}; \
  }
