// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/launch_time.h"

#include <algorithm>

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

}  // namespace rooflinectl
