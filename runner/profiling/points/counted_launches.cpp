// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/counted_launches.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rooflinectl {

void CountedLaunches::add(const Counters& counters, LaunchPlace place) {
  launches_.push_back({counters, place});
}

void CountedLaunches::add_time(double time_s) {
  ++timed_;
  timed_s_ += time_s;
}

/// Of each launch; empty unless each place of the period was counted in each process.
std::vector<double> CountedLaunches::weights_by_place(std::size_t period) const {
  std::map<std::size_t, std::map<std::uint64_t, std::size_t>> counted;  // by process and place
  for (const Launch& launch : launches_) ++counted[launch.place.process][launch.place.ordinal % period];
  for (const auto& [process, places] : counted) {
    if (places.size() < period) return {};
  }
  std::vector<double> weights;
  for (const Launch& launch : launches_) {
    const std::size_t times = counted[launch.place.process][launch.place.ordinal % period];
    weights.push_back(1.0 / static_cast<double>(times));
  }
  return weights;
}

CountedLaunches::Mean CountedLaunches::mean(const LaunchPattern& pattern) const {
  const std::vector<double> weights =
      pattern.period > 1 ? weights_by_place(pattern.period) : std::vector<double>();
  AveragedCounters averaged;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    averaged.add(launches_[i].counters, weights.empty() ? 1 : weights[i]);
  }
  Mean mean = {.counters = averaged.result()};
  mean.is_of_each_place = !weights.empty();
  // A launch that was not counted after all has a time, too.
  const bool has_times = timed_ > 0 && timed_ == launches_.size() && timed_s_ > 0;
  if (mean.is_of_each_place || pattern.period == 1 || !has_times || pattern.mean_s <= 0) return mean;
  const double scale = pattern.mean_s * static_cast<double>(timed_) / timed_s_;
  for (auto& [key, value] : mean.counters.counters) {
    if (value.available() && is_count(key)) value = CounterValue::measured(*value.value() * scale);
  }
  mean.scale = scale;
  return mean;
}

}  // namespace rooflinectl
