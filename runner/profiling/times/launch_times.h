// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/run.h"
#include "core/program/application.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// The time of a point from those of its launches, in seconds and in the order of their starts; there is at
/// least one. Of more than `kept`, the result has that many: in the order of their lengths, evenly spread
/// from the shortest to the longest.
TimeResult time_of_launches(const std::vector<double>& times, std::size_t kept);

/// Times of `launches`, which are sorted by start, since `zero_ns`: each of up to `most`; of more, those that
/// started in each of `most` equal parts of the time from the first start to the last.
std::vector<LaunchTimes> launches_over_time(const std::vector<const BusyInterval*>& launches,
                                            std::uint64_t zero_ns, std::size_t most);

/// The time of a launch in seconds. The clock of the trace may not see the shortest ones: they took 1 ns.
double time_of_launch_s(const BusyInterval& launch);

}  // namespace rooflinectl
