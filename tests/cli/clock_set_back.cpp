// SPDX-License-Identifier: Apache-2.0
//
// Linked with the program, in place of glibc's function: sets its wall clock back by an hour once it has been
// read CLOCK_SET_BACK_AFTER times, which is what an administrator or NTP does in the middle of a run.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static std::atomic<int> readings_left = [] {
    const char* const text = std::getenv("CLOCK_SET_BACK_AFTER");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  constexpr time_t kHour = 3600;
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME && readings_left-- <= 0) time->tv_sec -= kHour;
  return result;
}
