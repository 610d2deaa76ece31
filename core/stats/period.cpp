// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

constexpr double kAlike = 0.1;
/// A shorter period fits nearly as well as the best if its difference is at most this many times as large.
constexpr double kNearlyAsWell = 2;
constexpr double kNoise = 0.02;
constexpr std::size_t kPeriodsNeeded = 3;
/// Ticks of the GPU's timer are 32 ns, and both ends of a time are rounded.
constexpr double kResolutionS = 64e-9;
/// Enough to see a period, and few enough to look for all of them.
constexpr std::size_t kMostTimes = 4096;

/// The mean difference of times that are `lag` apart, relative to the mean.
double difference(std::span<const double> times, std::size_t lag) {
  double differences = 0;
  double sum = 0;
  for (std::size_t i = lag; i < times.size(); ++i) {
    differences += std::max(0.0, std::abs(times[i] - times[i - lag]) - kResolutionS);
    sum += (times[i] + times[i - lag]) / 2;
  }
  return sum > 0 ? differences / sum : 0;
}

double mean(std::span<const double> times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// Whether what launches do changes slowly, so that neighbours are alike, but not the first and the last.
bool drifts(std::span<const double> times, std::size_t period) {
  const std::size_t half = times.size() / 2 / period * period;
  if (half == 0) return false;
  const double first = mean(times.first(half));
  const double last = mean(times.last(half));
  return std::abs(last - first) > kAlike * (first + last) / 2;
}

}  // namespace

std::size_t period_of(std::span<const double> times_s, std::size_t longest) {
  // The newest: what a program does at first is often different.
  const auto times = times_s.last(std::min(times_s.size(), kMostTimes));
  if (times.size() < 2) return 0;
  if (difference(times, 1) <= kNoise) return drifts(times, 1) ? 0 : 1;  // however well another period fits
  const std::size_t most = std::min(longest, std::max<std::size_t>(times.size() / kPeriodsNeeded, 1));
  std::vector<double> differences(most);
  for (std::size_t i = 0; i < most; ++i) differences[i] = difference(times, i + 1);
  const double best = *std::min_element(differences.begin(), differences.end());
  if (best > kAlike) return 0;
  const double enough = std::min(kAlike, std::max(kNearlyAsWell * best, kNoise));
  const auto found =
      std::find_if(differences.begin(), differences.end(), [&](double one) { return one <= enough; });
  const std::size_t period = static_cast<std::size_t>(found - differences.begin()) + 1;
  return drifts(times, period) ? 0 : period;
}

}  // namespace rooflinectl
