// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/ranks.h"

/// Where the times of several runs lie on one axis. Hosts that share a clock are aligned by it, others by
/// collectives: the same one ends on all of its ranks within microseconds.
namespace rooflinectl {

/// What the alignment needs to know of a run.
struct RunClocks {
  std::vector<ProgramHost> hosts;
  /// Of its processes that took part in collectives, those of each in their order. `kernel` tells names apart
  /// over all runs; times are since time 0 of this run.
  std::vector<std::vector<CollectiveLaunch>> collectives;
};

/// Where time 0 of a run is.
struct RunPlace {
  /// Since time 0 of the first run; for runs that are not aligned with it, since that of the first one that
  /// shares their clock.
  std::int64_t start_ns = 0;
  /// By how much that may be wrong: 0 where a clock is shared. Nothing where the run is not aligned.
  std::optional<double> uncertainty_s;

  bool operator==(const RunPlace&) const = default;
};

/// The place of each run; the first run stays where it is.
std::vector<RunPlace> aligned(const std::vector<RunClocks>& runs);

/// How much later than `reference` the same collectives end in `other`.
struct EndDifference {
  std::int64_t median_ns = 0;
  std::int64_t deviation_ns = 0;  ///< 95 % of the collectives differ from the median by no more
};

/// The two are matched by name and order, in which either may lack some at its beginning. Nothing where fewer
/// than 8 match, where they do not end together to within 1 ms, or where several ways to match them fit.
std::optional<EndDifference> end_difference(const std::vector<CollectiveLaunch>& reference,
                                            const std::vector<CollectiveLaunch>& other);

}  // namespace rooflinectl
