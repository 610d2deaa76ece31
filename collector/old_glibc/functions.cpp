// SPDX-License-Identifier: Apache-2.0
//
// What runs in or beside other people's programs needs glibc 2.28 (RHEL 8), although it is built with a newer
// one. The linker would take the newest version of each function; these, in every such binary, forward to the
// version that both have. tests/scripts/old_glibc_test.py finds what is missing here.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "collector/old_glibc/forward.h"

ROOFLINECTL_FORWARD(dladdr, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(dlclose, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(dlerror, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(dlopen, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(dlsym, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_create, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_detach, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_getspecific, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_join, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_key_create, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_key_delete, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_mutex_trylock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_once, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_setspecific, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_sigmask, "GLIBC_2.2.5");

namespace {

// Before glibc 2.33, the functions of <sys/stat.h> were these, for the layout of `struct stat` with this
// number.
constexpr int kStatLayout = 1;
extern "C" int old_fxstat(int layout, int file, struct stat* status);
extern "C" int old_lxstat(int layout, const char* path, struct stat* status);
extern "C" int old_xstat(int layout, const char* path, struct stat* status);
__asm__(".symver old_fxstat, __fxstat@GLIBC_2.2.5");
__asm__(".symver old_lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver old_xstat, __xstat@GLIBC_2.2.5");

using ClockWait = int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

// glibc has it from 2.30 on. Looked up while this is loaded: dlsym takes a lock.
ClockWait* const newer_clock_wait =
    reinterpret_cast<ClockWait*>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));

/// `until` of `clock` as a time of CLOCK_REALTIME.
timespec wall_time(clockid_t clock, const timespec& until) {
  constexpr long kSecond_ns = 1'000'000'000;
  timespec now{};
  timespec time{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += until.tv_sec - now.tv_sec;
  time.tv_nsec += until.tv_nsec - now.tv_nsec;
  if (time.tv_nsec < 0) {
    --time.tv_sec;
    time.tv_nsec += kSecond_ns;
  } else if (time.tv_nsec >= kSecond_ns) {
    ++time.tv_sec;
    time.tv_nsec -= kSecond_ns;
  }
  return time;
}

}  // namespace

// Named otherwise than glibc's functions, which the headers declare, but linked in their place.
#define ROOFLINECTL_IN_PLACE_OF(name) __asm__(name) __attribute__((visibility("hidden")))

int stat_of_open_file(int file, struct stat* status) ROOFLINECTL_IN_PLACE_OF("fstat");
int stat_of_link(const char* path, struct stat* status) ROOFLINECTL_IN_PLACE_OF("lstat");
int stat_of_path(const char* path, struct stat* status) ROOFLINECTL_IN_PLACE_OF("stat");
int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)
    ROOFLINECTL_IN_PLACE_OF("pthread_cond_clockwait");
unsigned random_number() ROOFLINECTL_IN_PLACE_OF("arc4random");
/// Whether the process has one thread, which libstdc++ asks from glibc 2.32 on to save atomic operations.
extern char single_threaded ROOFLINECTL_IN_PLACE_OF("__libc_single_threaded");

int stat_of_open_file(int file, struct stat* status) {
  return old_fxstat(kStatLayout, file, status);
}
int stat_of_link(const char* path, struct stat* status) {
  return old_lxstat(kStatLayout, path, status);
}
int stat_of_path(const char* path, struct stat* status) {
  return old_xstat(kStatLayout, path, status);
}

// The functions have a second name each: files may be larger than 2 GB by either.
__asm__(
    ".globl fstat64, lstat64, stat64\n.hidden fstat64, lstat64, stat64\n"
    ".set fstat64, fstat\n.set lstat64, lstat\n.set stat64, stat");

// From glibc 2.36 on. That one ends the process, too, if there are no random numbers.
unsigned random_number() {
  unsigned number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();
  return number;
}

// A wall clock that is set meanwhile ends the wait early or late. std::condition_variable looks at its own
// clock after each.
int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (newer_clock_wait != nullptr) return newer_clock_wait(condition, mutex, clock, until);
  const timespec time = wall_time(clock, *until);
  return pthread_cond_timedwait(condition, mutex, &time);
}

char single_threaded = 0;
