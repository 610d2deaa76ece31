// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "runner/profiling/points/group_counters.h"
#include "runner/profiling/points/profiled_group.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// The traced launches of a group, in the order of their starts.
using TracedLaunches = std::vector<const BusyInterval*>;

/// How many times of a point are kept: over the run, and in the order of their lengths, percentiles or
/// deciles from 0 to 100.
struct KeptTimes {
  std::size_t over_time = 0;
  std::size_t samples = 0;
};
inline constexpr KeptTimes kKeptOfDetailed = {kMostLaunchTimes, 101};
inline constexpr KeptTimes kKeptOfOthers = {kFewLaunchTimes, 11};

/// The point that a group becomes, without its experiment. `zero_ns`: time 0 of the run.
Measurement measurement_of(const ProfiledGroup& group, const TracedLaunches& traced, KeptTimes kept,
                           std::uint64_t zero_ns, const MissingReason& missing);

}  // namespace rooflinectl
