// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/model/run.h"

/// How long the launches of a timed point take, each number with its 95 % confidence interval. The trace of a
/// program's launches has ticks of 32 ns (docs/method.md), so an interval reaches at least that far to both
/// sides.
namespace rooflinectl {

struct LaunchTime {
  double time_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// The median: what one launch takes.
LaunchTime median_launch(const Measurement& measurement);

/// The time that sums are made of, and that counts per launch are divided by: the median; for a program's
/// launches, which may differ and whose counters are means, the mean of those that were traced.
LaunchTime mean_launch(const Measurement& measurement);

/// That of one rank, of whose launches only the interval of the median is known: as wide, relative to it.
LaunchTime mean_launch(const RankLaunches& launches);

/// How often a program launched the kernel; 0 for what no program launched.
double launch_count(const Measurement& measurement);

/// Whether mean and median of a program's launches differ by more than a tenth: neither describes all of
/// them.
bool has_uneven_launches(const Measurement& measurement);

/// `launches take different times: 50 % up to 14.6 µs, the others from 42.6 µs; …`. Nothing where they are
/// alike.
std::optional<std::string> uneven_evidence(const Measurement& measurement);

}  // namespace rooflinectl
