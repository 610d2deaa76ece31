// SPDX-License-Identifier: Apache-2.0
//
// SQLite calls dlopen for its extensions, which nothing here asks for. The static program loads no libraries:
// glibc's function would look for a glibc of the same version. The linker puts this one in its place
// (--wrap).

extern "C" void* open_no_library(const char* file, int mode) __asm__("__wrap_dlopen");

void* open_no_library(const char* /*file*/, int /*mode*/) {
  return nullptr;
}
