// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.h"

namespace rooflinectl {

std::string_view to_string(CounterSet set) {
  return set == CounterSet::none ? "none" : "basic";
}

std::optional<CounterSet> counter_set_from(std::string_view name) {
  for (CounterSet set : {CounterSet::none, CounterSet::basic}) {
    if (to_string(set) == name) return set;
  }
  return std::nullopt;
}

std::vector<PointId> all_points(const Plan& plan) {
  std::vector<PointId> points;
  for (const Experiment& experiment : plan.experiments) {
    points.insert(points.end(), experiment.points.begin(), experiment.points.end());
  }
  return points;
}

}  // namespace rooflinectl
