// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "runner/profiling/points/groups.h"

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

std::optional<double> CountedLaunches::mean_time_s() const {
  // A launch that was not counted after all has a traced time, too.
  const bool is_traced = timed_ == launches_.size();
  double sum_s = is_traced ? timed_s_ : 0;
  for (const Launch& launch : launches_) {
    if (is_traced) break;
    const auto time_s = value_of(launch.counters, counter::kCountedTimeS);
    if (!time_s) return std::nullopt;
    sum_s += *time_s;
  }
  return sum_s > 0 ? std::optional(sum_s / static_cast<double>(launches_.size())) : std::nullopt;
}

std::optional<WorkClusters> CountedLaunches::clusters(std::string_view key, std::size_t period) const {
  constexpr double kNotableFactor = 1.2;
  constexpr double kNotablePart = 0.02;
  constexpr std::size_t kMost = 4;
  const std::vector<double> weights = period > 1 ? weights_by_place(period) : std::vector<double>();
  std::vector<std::pair<double, double>> values;  // with the weights of their launches
  double all = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const auto value = value_of(launches_[i].counters, key);
    if (!value) return std::nullopt;
    values.emplace_back(*value, weights.empty() ? 1 : weights[i]);
    all += values.back().second;
  }
  std::sort(values.begin(), values.end());
  WorkClusters found = {.counter = std::string(key)};
  double last = 0;
  for (const auto& [value, weight] : values) {
    if (found.parts.empty() || value > kNotableFactor * last) found.parts.emplace_back();
    found.parts.back().share += weight / all;
    found.parts.back().mean += weight * value;
    last = value;
  }
  for (WorkCluster& part : found.parts) part.mean /= part.share * all;
  const bool are_notable = std::all_of(found.parts.begin(), found.parts.end(),
                                       [](const WorkCluster& part) { return part.share >= kNotablePart; });
  const bool is_clustered = found.parts.size() > 1 && found.parts.size() <= kMost && are_notable;
  return is_clustered ? std::optional(std::move(found)) : std::nullopt;
}

CountedLaunches::Mean CountedLaunches::mean(const LaunchPattern& pattern) const {
  const std::vector<double> weights =
      pattern.period > 1 ? weights_by_place(pattern.period) : std::vector<double>();
  AveragedCounters averaged;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    averaged.add(launches_[i].counters, weights.empty() ? 1 : weights[i]);
  }
  Mean mean = {.counters = averaged.result()};
  mean.counters.counters.erase(std::string(counter::kCountedTimeS));
  mean.counters.spread.erase(std::string(counter::kCountedTimeS));
  mean.is_of_each_place = !weights.empty();
  const auto counted_s = mean_time_s();
  if (mean.is_of_each_place || pattern.period == 1 || !counted_s || pattern.mean_s <= 0) return mean;
  const double scale = pattern.mean_s / *counted_s;
  for (auto& [key, value] : mean.counters.counters) {
    if (value.available() && is_count(key)) value = CounterValue::measured(*value.value() * scale);
  }
  mean.scale = scale;
  return mean;
}

}  // namespace rooflinectl
