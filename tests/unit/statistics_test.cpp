// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace rooflinectl {
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

/// Lower ranks of the distribution-free 95 % interval of the median for n = 6 … 30: the largest k for which
/// the exact sum of the binomial coefficients C(n, 0) … C(n, k − 1) is at most 2.5 % of 2^n.
TEST(MedianInterval, HasTheTabulatedRanks) {
  constexpr std::size_t kFirst = 6;
  constexpr std::array<int, 25> kLowerRanks = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5,
                                               5, 6, 6, 6, 7, 7, 8, 8, 8, 9, 9, 10};
  for (std::size_t i = 0; i < kLowerRanks.size(); ++i) {
    const std::size_t n = kFirst + i;
    const MedianInterval interval = median_interval(ranks(n));
    EXPECT_EQ(interval.low, kLowerRanks[i]) << "n = " << n;
    EXPECT_EQ(interval.high, static_cast<double>(n) + 1 - kLowerRanks[i]) << "n = " << n;
  }
}

TEST(MedianInterval, IsTheWholeRangeBelowSixSamples) {
  for (std::size_t n = 1; n < 6; ++n) {
    const MedianInterval interval = median_interval(ranks(n));
    EXPECT_EQ(interval.low, 1) << "n = " << n;
    EXPECT_EQ(interval.high, static_cast<double>(n)) << "n = " << n;
  }
}

TEST(MedianInterval, HoldsForManySamples) {
  // Normal approximation of the binomial: n/2 − 1.96 √n / 2 = 4902 at n = 10 000.
  const MedianInterval interval = median_interval(ranks(10'000));
  EXPECT_NEAR(interval.low, 4902, 1);
  EXPECT_EQ(interval.low + interval.high, 10'001);
}

TEST(MedianInterval, DoesNotDependOnTheOrderAndContainsTheMedian) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> times(-10, 0.3);
  for (std::size_t n = 1; n < 60; ++n) {
    std::vector<double> samples(n);
    std::generate(samples.begin(), samples.end(), [&] { return times(random); });
    const MedianInterval interval = median_interval(samples);
    std::shuffle(samples.begin(), samples.end(), random);
    const MedianInterval shuffled = median_interval(samples);
    EXPECT_EQ(interval.low, shuffled.low);
    EXPECT_EQ(interval.high, shuffled.high);
    EXPECT_LE(interval.low, interval.median);
    EXPECT_GE(interval.high, interval.median);
  }
}

TEST(MedianInterval, CoversTheTrueMedianNineteenTimesOutOfTwenty) {
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
  // The exact coverage at n = 20 is 95.9 %; four standard errors of 4000 trials are 1.3 %.
  EXPECT_NEAR(static_cast<double>(covered) / kTrials, 0.9586, 0.013);
}

TEST(MedianInterval, RelativeHalfWidthIsAFractionOfTheMedian) {
  const MedianInterval interval = {.low = 90, .high = 130, .median = 100};
  EXPECT_DOUBLE_EQ(interval.relative_half_width(), 0.2);
}

}  // namespace
}  // namespace rooflinectl
