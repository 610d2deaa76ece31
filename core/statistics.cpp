// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

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
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// How many of the smallest samples can be left out at each end: the largest k with P(binomial(n, 1/2) < k)
/// ≤ 2.5 %.
std::size_t order_statistic_rank(std::size_t n) {
  constexpr double kTail = 0.025;
  const double count = static_cast<double>(n);
  double cumulative = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double successes = static_cast<double>(k);
    const double log_probability = std::lgamma(count + 1) - std::lgamma(successes + 1) -
                                   std::lgamma(count - successes + 1) - count * std::log(2.0);
    cumulative += std::exp(log_probability);
    if (cumulative > kTail) return k;
  }
  return 0;
}

}  // namespace

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double p) {
  return sorted_quantile(sorted_copy(samples), p);
}

MedianInterval median_interval(std::span<const double> samples) {
  const std::vector<double> sorted = sorted_copy(samples);
  // Rank k (counted from one) is index k - 1; rank 0 means that the interval is the whole range.
  const std::size_t rank = std::max<std::size_t>(order_statistic_rank(sorted.size()), 1);
  return {sorted[rank - 1], sorted[sorted.size() - rank], sorted_quantile(sorted, 0.5)};
}

double relative_spread(std::span<const double> samples) {
  const std::vector<double> sorted = sorted_copy(samples);
  return (sorted_quantile(sorted, 0.75) - sorted_quantile(sorted, 0.25)) / sorted_quantile(sorted, 0.5);
}

}  // namespace rooflinectl
