// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/compare/gate.h"
#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

/// Without the experiment.
std::string name_in_any_experiment(PointId point) {
  point.experiment.clear();
  return range_name(point);
}

/// Of a group in the base runs that have a time for it.
struct BaseGroup {
  double time_s = 0;  ///< summed over these runs
  double launches = 0;
};

BaseGroup base_group(const PointComparison& point) {
  BaseGroup group;
  for (const RooflinePoint* base : point.bases) {
    group.time_s += whole_time_s(*base);
    group.launches += launch_count(*base->measurement);
  }
  return group;
}

double mean_time_s(const PointComparison& group, const RunComparison& comparison) {
  return base_group(group).time_s / static_cast<double>(comparison.baseline.size());
}

void add_launches(Coverage& result, const PointComparison& point) {
  const BaseGroup group = base_group(point);
  const auto bases = static_cast<double>(point.bases.size());
  const double now = launch_count(*point.now->measurement);
  result.launches_before += group.launches / bases;
  result.launches_now += now;
  result.common_s += group.time_s / bases;
  if (group.launches > 0) result.relaunched_s += now * group.time_s / group.launches;
}

}  // namespace

Coverage coverage(const RunComparison& comparison) {
  Coverage result;
  const PlannedPoints planned(comparison.now->run);
  for (const PointComparison& point : comparison.points) {
    const bool is_group = is_observed(point.base != nullptr ? *point.base : *point.now);
    if (point.bases.empty()) {
      if (is_group && point.base == nullptr) result.added_groups_s += whole_time_s(*point.now);
    } else if (!is_group) {
      ++result.points;
      if (point.now == nullptr && !planned.contains(point.point)) result.missing_points.push_back(&point);
    } else {
      ++result.groups;
      result.groups_s += mean_time_s(point, comparison);
      if (point.now != nullptr) {
        add_launches(result, point);
      } else {
        result.missing_groups_s += mean_time_s(point, comparison);
        result.missing_groups.push_back(&point);
      }
    }
  }
  std::stable_sort(result.missing_groups.begin(), result.missing_groups.end(),
                   [&](const PointComparison* a, const PointComparison* b) {
                     return mean_time_s(*a, comparison) > mean_time_s(*b, comparison);
                   });
  return result;
}

double base_share(const PointComparison& group, const RunComparison& comparison, const Coverage& whole) {
  return whole.groups_s > 0 ? mean_time_s(group, comparison) / whole.groups_s : 0;
}

PlannedPoints::PlannedPoints(const Run& run) {
  for (const PointId& point : all_points(run.plan)) names_.insert(name_in_any_experiment(point));
}

bool PlannedPoints::contains(const PointId& point) const {
  return names_.contains(name_in_any_experiment(point));
}

}  // namespace rooflinectl
