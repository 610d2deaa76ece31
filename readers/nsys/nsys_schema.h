// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What numbers mean in the tables that `nsys export --type sqlite` writes.
namespace rooflinectl::nsys {

// eventType of NVTX_EVENTS.
inline constexpr std::int64_t kPushPopRange = 59;
inline constexpr std::int64_t kDomain = 75;

inline constexpr double kNanosecondsPerSecond = 1e9;

/// nsys numbers threads as 24 bits of the thread's id after those of the process.
inline std::int64_t process_of(std::int64_t global_id) {
  constexpr std::int64_t kThreads = std::int64_t{1} << 24;
  return global_id / kThreads;
}

}  // namespace rooflinectl::nsys
