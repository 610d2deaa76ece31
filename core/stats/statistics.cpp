// SPDX-License-Identifier: Apache-2.0
#include "core/stats/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

namespace {

double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

/// The two-sided 95 % critical value of a mean over its standard deviation, where that is estimated with
/// Bartlett's weights up to a lag of `fraction` of the samples; 1.96 as this goes to 0 (Kiefer & Vogelsang
/// 2005).
double critical_value(double fraction) {
  return 1.96 + fraction * (2.9694 + fraction * (0.4160 - fraction * 0.5324));
}

/// Which side of `center` each sample lies on: −1/2, 1/2, or 0 on it.
std::vector<double> sides_of(std::span<const double> samples, double center) {
  std::vector<double> sides;
  sides.reserve(samples.size());
  for (const double sample : samples) sides.push_back(0.5 * ((sample > center) - (sample < center)));
  return sides;
}

/// n times the variance of the mean of `series`, whose mean is assumed to be 0, from lags below `lags` with
/// Bartlett's weights (Newey & West 1987).
double long_run_variance(std::span<const double> series, std::size_t lags) {
  double variance = 0;
  for (std::size_t lag = 0; lag < lags; ++lag) {
    double products = 0;
    for (std::size_t i = lag; i < series.size(); ++i) products += series[i] * series[i - lag];
    const double weight = 1 - static_cast<double>(lag) / static_cast<double>(lags);
    variance += (lag == 0 ? 1 : 2) * weight * products / static_cast<double>(series.size());
  }
  return variance;
}

}  // namespace

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double p) {
  return sorted_quantile(sorted_copy(samples), p);
}

MedianInterval median_interval(std::span<const double> samples) {
  constexpr double kVarianceIfIndependent = 0.25;
  const std::vector<double> sorted = sorted_copy(samples);
  const double center = sorted_quantile(sorted, 0.5);
  const auto n = static_cast<double>(samples.size());
  const double lags = std::ceil(std::sqrt(n));
  const double variance = std::max(
      kVarianceIfIndependent, long_run_variance(sides_of(samples, center), static_cast<std::size_t>(lags)));
  const double lower_rank = std::floor(n / 2 - critical_value(lags / n) * std::sqrt(n * variance));
  // Rank k (counted from one) is index k - 1.
  const auto rank = static_cast<std::size_t>(std::max(lower_rank, 1.0));
  return {sorted[rank - 1], sorted[sorted.size() - rank], center};
}

double relative_half_width(const TimeResult& time) {
  return MedianInterval{time.ci_low_s, time.ci_high_s, time.median_s}.relative_half_width();
}

double relative_half_width(const Cycles& cycles) {
  return MedianInterval{cycles.ci_low, cycles.ci_high, *cycles.median.value()}.relative_half_width();
}

double relative_spread(std::span<const double> samples) {
  const std::vector<double> sorted = sorted_copy(samples);
  return (sorted_quantile(sorted, 0.75) - sorted_quantile(sorted, 0.25)) / sorted_quantile(sorted, 0.5);
}

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
  const double best = *std::ranges::min_element(differences);
  if (best > kAlike) return 0;
  const double enough = std::min(kAlike, std::max(kNearlyAsWell * best, kNoise));
  const auto found = std::ranges::find_if(differences, [&](double one) { return one <= enough; });
  const std::size_t period = static_cast<std::size_t>(found - differences.begin()) + 1;
  return drifts(times, period) ? 0 : period;
}

}  // namespace rooflinectl
