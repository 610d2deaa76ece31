// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.h"

#include <fmt/format.h>

namespace rooflinectl {

std::string_view to_string(CacheState cache) {
  return cache == CacheState::cold ? "cold" : "warm";
}

std::optional<CacheState> cache_state_from(std::string_view name) {
  for (CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (to_string(cache) == name) return cache;
  }
  return std::nullopt;
}

std::string_view to_string(CounterSet set) {
  return set == CounterSet::none ? "none" : "basic";
}

std::string_view to_string(LaunchMode mode) {
  return mode == LaunchMode::graph ? "graph" : "plain";
}

std::optional<LaunchMode> launch_mode_from(std::string_view name) {
  for (LaunchMode mode : {LaunchMode::graph, LaunchMode::plain}) {
    if (to_string(mode) == name) return mode;
  }
  return std::nullopt;
}

std::optional<CounterSet> counter_set_from(std::string_view name) {
  for (CounterSet set : {CounterSet::none, CounterSet::basic}) {
    if (to_string(set) == name) return set;
  }
  return std::nullopt;
}

std::string range_name(const PointId& point) {
  const std::string elements =
      point.elements_per_thread ? fmt::format(".e{}", *point.elements_per_thread) : std::string();
  const char* plain = point.launch_mode == LaunchMode::plain ? ".plain" : "";
  return fmt::format("{}.{}.{}.n{}.b{}{}.{}{}", point.experiment, point.variant, to_string(point.dtype),
                     point.n_elements, point.block_size, elements, to_string(point.cache), plain);
}

std::vector<PointId> all_points(const Plan& plan) {
  std::vector<PointId> points;
  for (const Experiment& experiment : plan.experiments) {
    points.insert(points.end(), experiment.points.begin(), experiment.points.end());
  }
  return points;
}

}  // namespace rooflinectl
