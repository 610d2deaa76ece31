// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/launch_times.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "core/stats/statistics.h"

namespace rooflinectl {
namespace {

/// The time for the interval of a median grows faster than the number of samples.
constexpr std::size_t kMostForInterval = 100'000;

}  // namespace

TimeResult time_of_launches(const std::vector<double>& times, std::size_t kept) {
  std::vector<double> thinned;
  const std::size_t stride = times.size() / kMostForInterval + 1;
  for (std::size_t i = 0; i < times.size(); i += stride) thinned.push_back(times[i]);
  const MedianInterval interval = median_interval(thinned);

  TimeResult result;
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  result.median_s = median(sorted);
  result.ci_low_s = std::min(interval.low, result.median_s);
  result.ci_high_s = std::max(interval.high, result.median_s);
  if (times.size() <= kept) {
    result.samples_s = times;
  } else {
    for (std::size_t i = 0; i < kept; ++i) {
      result.samples_s.push_back(sorted[i * (sorted.size() - 1) / (kept - 1)]);
    }
  }
  return result;
}

namespace {

/// `part` is not empty.
LaunchTimes times_of_part(const std::vector<const BusyInterval*>& part, std::uint64_t zero_ns) {
  std::vector<double> times;
  std::transform(part.begin(), part.end(), std::back_inserter(times),
                 [](const BusyInterval* launch) { return time_of_launch_s(*launch); });
  const auto [min, max] = std::minmax_element(times.begin(), times.end());
  return {.start_s = seconds(part.front()->start_ns - zero_ns),
          .launches = part.size(),
          .counted = static_cast<std::uint64_t>(std::count_if(
              part.begin(), part.end(), [](const BusyInterval* launch) { return launch->is_counted; })),
          .min_s = *min,
          .median_s = median(times),
          .max_s = *max};
}

}  // namespace

double time_of_launch_s(const BusyInterval& launch) {
  return seconds(std::max<std::uint64_t>(launch.duration_ns(), 1));
}

std::vector<LaunchTimes> launches_over_time(const std::vector<const BusyInterval*>& launches,
                                            std::uint64_t zero_ns, std::size_t most) {
  std::vector<LaunchTimes> result;
  if (launches.empty()) return result;
  const std::uint64_t first_ns = launches.front()->start_ns;
  const auto span_ns = static_cast<double>(launches.back()->start_ns - first_ns);
  const auto part_of = [&](std::size_t i) {
    if (launches.size() <= most) return i;
    if (span_ns == 0) return std::size_t{0};
    const double place = static_cast<double>(launches[i]->start_ns - first_ns) / span_ns;
    return std::min(static_cast<std::size_t>(place * static_cast<double>(most)), most - 1);
  };
  std::vector<const BusyInterval*> part;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    part.push_back(launches[i]);
    if (i + 1 < launches.size() && part_of(i + 1) == part_of(i)) continue;
    result.push_back(times_of_part(part, zero_ns));
    part.clear();
  }
  return result;
}

}  // namespace rooflinectl
