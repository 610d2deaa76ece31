// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// How much of what the base runs measured the new run measures, too.
struct Coverage {
  // Points of plans that have a time in the base.
  std::size_t points = 0;
  /// Those that the new run neither measured nor plans, in the comparison's order.
  std::vector<const PointComparison*> missing_points;

  // Groups of profiled programs that have a time in the base. Their times are those of all launches, each at
  // the median of its group; of several base runs, the mean.
  std::size_t groups = 0;
  double groups_s = 0;
  /// Those that the new run did not launch, the longest first.
  std::vector<const PointComparison*> missing_groups;
  double missing_groups_s = 0;
  double added_groups_s = 0;  ///< of groups that only the new run has, in the new run

  // Groups that both have: how much of them the new run launched. In the base, of those runs that have them.
  double launches_before = 0;
  double launches_now = 0;
  double common_s = 0;      ///< what `launches_before` take
  double relaunched_s = 0;  ///< what `launches_now` would have taken in the base

  std::size_t common_groups() const { return groups - missing_groups.size(); }
  /// The share of the base's GPU time that is in groups that both have; 0 where the base has no groups.
  double common_share() const { return groups_s > 0 ? 1 - missing_groups_s / groups_s : 0; }
  double missing_share() const { return groups_s > 0 ? missing_groups_s / groups_s : 0; }
  /// What the new run launched of the groups that both have, relative to the base, where each launch counts
  /// with its time in the base: 1 where nothing changed, or nothing is known.
  double launched_again() const { return common_s > 0 ? relaunched_s / common_s : 1; }
};

/// Counts what the points of `comparison`, into which the result points, have in common.
Coverage coverage(const RunComparison& comparison);

/// The share of the base's GPU time that `group`, of a profiled program in the base, takes; `whole` is of the
/// same comparison.
double base_share(const PointComparison& group, const RunComparison& comparison, const Coverage& whole);

/// What the new run plans, to look up the points of the base that it lacks.
class PlannedPoints {
 public:
  explicit PlannedPoints(const Run& run);

  /// In whichever experiment, which may have been renamed.
  bool contains(const PointId& point) const;

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace rooflinectl
