// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace rooflinectl {

struct Cycles;
struct TimeResult;

/// Half the width of a 95 % interval of a normal distribution, in standard deviations.
inline constexpr double kNormal95 = 1.96;

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

/// That of a time, and of cycles whose median is available.
double relative_half_width(const TimeResult& time);
double relative_half_width(const Cycles& cycles);

/// 95 % confidence interval of the median of `samples` (not empty), in the order in which they were taken:
/// each may be correlated with those before it. From order statistics: x(k) … x(n+1−k), where n/2 − k is the
/// critical value times the standard deviation of how many samples lie below the median. That deviation comes
/// from the autocovariances of the series sign(x − median) / 2 up to lag √n, with Bartlett's weights, and is
/// never taken to be less than that of independent samples. The critical value allows for its being an
/// estimate. Assumes that the samples are stationary and that their correlation fades within √n of them;
/// nothing about their distribution. Below nine samples no such interval exists: then it is the whole range,
/// which covers less than 95 %.
///
/// Sources: order statistics, David & Nagaraja, Order Statistics, 3rd ed., section 7.1; the variance of a
/// mean of dependent values, Newey & West, Econometrica 55 (1987); its critical values, Kiefer & Vogelsang,
/// Econometric Theory 21 (2005), table 1.
MedianInterval median_interval(std::span<const double> samples);

/// Interquartile range over the median of `samples` (not empty).
double relative_spread(std::span<const double> samples);

/// `part` over `whole`; 0 where there is no whole.
inline double portion_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// After how many launches the times of a program's kernel repeat, which tells how they have to be sampled.
///
/// `times_s`: of its launches, in their order. Returns 1 if all are alike, p if each is like the one p before
/// it, and 0 if neither holds for any p up to `longest`, if less than three periods are there, or if times
/// change slowly: the means of both halves differ by more than 10 %. Alike are times whose mean absolute
/// difference, less the timer's resolution, is at most 10 % of their mean; the period is the shortest one
/// that fits nearly as well as the best.
std::size_t period_of(std::span<const double> times_s, std::size_t longest);

/// Periods above this are not looked for.
inline constexpr std::size_t kLongestPeriod = 128;

}  // namespace rooflinectl
