// SPDX-License-Identifier: Apache-2.0
#include "core/stats/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl::statistics_test {
namespace {

/// 1, 2, … n: a value is its own rank.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, IsTheMiddleOneOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median(std::vector{7.0}), 7);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0}), 5);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0, 2.0}), 3.5);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector samples = {40.0, 10.0, 30.0, 20.0, 50.0};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.9), 46);
  EXPECT_EQ(quantile(samples, 1), 50);
}

TEST(RelativeSpread, IsTheInterquartileRangeOverTheMedian) {
  EXPECT_DOUBLE_EQ(relative_spread(std::vector{10.0, 20.0, 30.0, 40.0, 50.0}), 20.0 / 30.0);
  EXPECT_EQ(relative_spread(std::vector{3.0}), 0);
}

/// 1 … n in an order in which one below the median follows one above it: never more correlated than chance
/// allows.
std::vector<double> alternating_ranks(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<double>(i % 2 == 0 ? i / 2 + 1 : n - i / 2));
  }
  return values;
}

TEST(MedianInterval, OfSamplesThatAreNotCorrelatedHasTheRanksOfIndependentOnes) {
  // n = 100: lag 10, critical value 1.96 + 0.1 · 2.9694 + 0.01 · 0.416 − 0.001 · 0.5324 = 2.2606; 50 − 11.3
  // = 38.7.
  const MedianInterval interval = median_interval(alternating_ranks(100));
  EXPECT_EQ(interval.low, 38);
  EXPECT_EQ(interval.high, 63);
  EXPECT_EQ(interval.median, 50.5);
}

TEST(MedianInterval, IsWideForCorrelatedSamples) {
  // A ramp is as correlated as can be; three samples each of the same value have a third of the information.
  const MedianInterval ramp = median_interval(ranks(100));
  EXPECT_LE(ramp.low, 17);
  EXPECT_GE(ramp.high, 84);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> repeated;
  for (int i = 0; i < 200; ++i) repeated.insert(repeated.end(), 3, normal(random));
  std::vector<double> shuffled = repeated;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const MedianInterval following = median_interval(repeated);
  const MedianInterval independent = median_interval(shuffled);
  EXPECT_GT(following.high - following.low, 1.3 * (independent.high - independent.low));
}

TEST(MedianInterval, IsTheWholeRangeBelowNineSamples) {
  for (std::size_t n = 1; n < 9; ++n) {
    const MedianInterval interval = median_interval(alternating_ranks(n));
    EXPECT_EQ(interval.low, 1) << "n = " << n;
    EXPECT_EQ(interval.high, static_cast<double>(n)) << "n = " << n;
  }
}

TEST(MedianInterval, ContainsTheMedianAndIsTheSameEachTime) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> times(-10, 0.3);
  for (std::size_t n = 1; n < 60; ++n) {
    std::vector<double> samples(n);
    std::generate(samples.begin(), samples.end(), [&] { return times(random); });
    const MedianInterval interval = median_interval(samples);
    EXPECT_LE(interval.low, interval.median);
    EXPECT_GE(interval.high, interval.median);
    const MedianInterval again = median_interval(samples);
    EXPECT_EQ(interval.low, again.low);
    EXPECT_EQ(interval.high, again.high);
  }
}

TEST(MedianInterval, CoversTheTrueMedianOfSkewedSamples) {
  std::mt19937 random(2);
  std::exponential_distribution<double> skewed(1);
  constexpr int kTrials = 4000;
  constexpr std::size_t kSamples = 20;
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(kSamples);
    std::generate(samples.begin(), samples.end(), [&] { return skewed(random); });
    const MedianInterval interval = median_interval(samples);
    const double true_median = std::log(2.0);
    covered += interval.low <= true_median && true_median <= interval.high;
  }
  EXPECT_GE(static_cast<double>(covered) / kTrials, 0.95);
}

TEST(MedianInterval, RelativeHalfWidthIsAFractionOfTheMedian) {
  const MedianInterval interval = {.low = 90, .high = 130, .median = 100};
  EXPECT_DOUBLE_EQ(interval.relative_half_width(), 0.2);
  EXPECT_DOUBLE_EQ(relative_half_width(TimeResult{.median_s = 100, .ci_low_s = 90, .ci_high_s = 130}), 0.2);
  EXPECT_DOUBLE_EQ(
      relative_half_width(Cycles{.median = CounterValue::measured(100), .ci_low = 90, .ci_high = 130}), 0.2);
}

}  // namespace
}  // namespace rooflinectl::statistics_test
