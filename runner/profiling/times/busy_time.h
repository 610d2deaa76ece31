// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace rooflinectl {

/// Seconds of a time in the trace, which counts nanoseconds.
inline double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

/// Something that ran on a device.
struct BusyInterval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t owner = 0;  ///< whom it belongs to: a place in a list of the caller's
  bool is_counted = false;
  std::uint16_t stream = 0;  ///< those of the device are numbered in order of appearance

  std::uint64_t duration_ns() const { return end_ns - start_ns; }
};

struct BusyTime {
  std::uint64_t first_ns = 0;  ///< the first start
  std::uint64_t last_ns = 0;   ///< the last end
  std::uint64_t sum_ns = 0;    ///< of all intervals
  std::uint64_t busy_ns = 0;   ///< of their union
};

/// `intervals` in any order. Adds to `overlapped_ns`, by owner, the part of its intervals during which
/// another interval was there too, whoever owned it.
BusyTime busy_time(const std::vector<BusyInterval>& intervals, std::vector<std::uint64_t>& overlapped_ns);

/// Adds to `overlapped_ns`, by owner, the part of the time of `intervals` during which one of `others` was
/// there.
void add_overlap(const std::vector<BusyInterval>& intervals, const std::vector<BusyInterval>& others,
                 std::vector<std::uint64_t>& overlapped_ns);

/// The same without finding out who overlaps.
BusyTime busy_time(const std::vector<BusyInterval>& intervals);

/// Receives a gap between two pieces of work, and who owns what came after it.
using GapListener = std::function<void(std::uint64_t duration_ns, std::uint32_t next_owner)>;

/// How long anything ran outside of `disturbances`, which may overlap. `gap` is told, in order, the times in
/// between that no disturbance touches.
std::uint64_t undisturbed_ns(const std::vector<BusyInterval>& intervals,
                             const std::vector<BusyInterval>& disturbances, const GapListener& gap);

}  // namespace rooflinectl
