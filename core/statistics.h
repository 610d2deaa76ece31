// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace rooflinectl {

/// The median of `samples` (not empty): the middle one, or the mean of the two middle ones.
double median(std::span<const double> samples);

/// The `p`-quantile of `samples` (not empty), 0 ≤ p ≤ 1, by linear interpolation between order statistics.
double quantile(std::span<const double> samples, double p);

/// A confidence interval of the median.
struct MedianInterval {
  double low = 0;
  double high = 0;
  double median = 0;
  /// Half the interval's width over the median.
  double relative_half_width() const { return (high - low) / 2 / median; }
};

/// 95 % confidence interval of the median from order statistics: x(k) … x(n+1−k) with the largest k for which
/// a binomial(n, 1/2) count below k has a probability of at most 2.5 %. No assumption on the distribution of
/// the samples. Below six samples no such interval exists: then it is the whole range, which covers less than
/// 95 %. Source: David & Nagaraja, Order Statistics, 3rd ed., section 7.1.
MedianInterval median_interval(std::span<const double> samples);

/// Interquartile range over the median of `samples` (not empty).
double relative_spread(std::span<const double> samples);

}  // namespace rooflinectl
