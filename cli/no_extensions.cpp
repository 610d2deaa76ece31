// SPDX-License-Identifier: Apache-2.0
//
// SQLite calls dlopen for its extensions, which nothing here asks for. The static program loads no libraries:
// glibc's function would look for a glibc of the same version. The linker puts this one in its place
// (--wrap).

// NOLINTNEXTLINE: the linker's name
extern "C" void* __wrap_dlopen(const char* /*file*/, int /*mode*/) {
  return nullptr;
}
