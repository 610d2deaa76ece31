// SPDX-License-Identifier: Apache-2.0
//
// The start of a program that needs no newer glibc than 2.28. From 2.34 on, glibc's own code at the start
// leaves the constructors of the program to glibc; up to 2.33, programs brought the function that calls them,
// and later ones still call it.

namespace {

using Main = int(int, char**, char**);
using Constructor = void(int, char**, char**);

}  // namespace

extern "C" {

// From the linker.
[[gnu::visibility("hidden")]] extern Constructor* __preinit_array_start[];
[[gnu::visibility("hidden")]] extern Constructor* __preinit_array_end[];
[[gnu::visibility("hidden")]] extern Constructor* __init_array_start[];
[[gnu::visibility("hidden")]] extern Constructor* __init_array_end[];
void _init();

int old_start_main(Main* main, int argc, char** argv, Constructor* constructors, void (*destructors)(),
                   void (*loader_destructors)(), void* stack_end);
__asm__(".symver old_start_main, __libc_start_main@GLIBC_2.2.5");

static void call_constructors(int argc, char** argv, char** environment) {
  for (Constructor** next = __preinit_array_start; next != __preinit_array_end; ++next) {
    (*next)(argc, argv, environment);
  }
  _init();
  for (Constructor** next = __init_array_start; next != __init_array_end; ++next) {
    (*next)(argc, argv, environment);
  }
}

[[gnu::visibility("hidden")]] int __libc_start_main(Main* main, int argc, char** argv,
                                                    Constructor* /*constructors*/, void (*destructors)(),
                                                    void (*loader_destructors)(), void* stack_end) {
  return old_start_main(main, argc, argv, call_constructors, destructors, loader_destructors, stack_end);
}

}  // extern "C"
