// SPDX-License-Identifier: Apache-2.0
//
// Loaded before a program (LD_PRELOAD), sets its wall clock back by an hour once it has been read
// CLOCK_SET_BACK_AFTER times: what an administrator or NTP does in the middle of a run.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using Function = int(clockid_t, timespec*);
  static auto* const real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "clock_gettime"));
  static std::atomic<int> readings_left = [] {
    const char* const text = std::getenv("CLOCK_SET_BACK_AFTER");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  constexpr time_t kHour = 3600;
  const int result = real(clock, time);
  if (clock == CLOCK_REALTIME && readings_left-- <= 0) time->tv_sec -= kHour;
  return result;
}
