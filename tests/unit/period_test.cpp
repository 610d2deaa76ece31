// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/stats/statistics.h"

namespace rooflinectl {
namespace {

/// Numbers between -1 and 1.
class Noise {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int32_t>(state_ >> 32U)) / 2147483648.0;
  }

 private:
  std::uint64_t state_ = 1;
};

std::vector<double> repeated(const std::vector<double>& period, std::size_t times, double noise) {
  Noise random;
  std::vector<double> all;
  for (std::size_t i = 0; i < times; ++i) {
    for (const double time : period) all.push_back(time * (1 + noise * random.next()));
  }
  return all;
}

/// A step's products backward: eight layers with three inner sizes, and a head.
std::vector<double> step() {
  std::vector<double> times = {316.7e-6};
  for (int layer = 0; layer < 8; ++layer) times.insert(times.end(), {44.7e-6, 14.4e-6, 34.2e-6});
  return times;
}

TEST(Period, IsThatOfAStep) {
  EXPECT_EQ(period_of(repeated(step(), 40, 0.03), kLongestPeriod), 25);
  EXPECT_EQ(period_of(repeated(step(), 3, 0.03), kLongestPeriod), 25) << "three steps are enough";
  EXPECT_EQ(period_of(repeated({10e-6, 30e-6}, 100, 0.05), kLongestPeriod), 2);
}

TEST(Period, IsOneOfLaunchesThatAreAlike) {
  EXPECT_EQ(period_of(repeated({20e-6}, 500, 0.08), kLongestPeriod), 1);
  EXPECT_EQ(period_of(repeated({20e-6}, 2, 0), kLongestPeriod), 1);
  EXPECT_EQ(period_of(repeated({1.00e-6, 1.06e-6}, 100, 0), kLongestPeriod), 1) << "ticks of the timer";
}

TEST(Period, IsUnknownOfLaunchesThatDoNotRepeat) {
  Noise random;
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) times.push_back((2 + random.next()) * 1e-5);
  EXPECT_EQ(period_of(times, kLongestPeriod), 0);
  EXPECT_EQ(period_of(repeated(step(), 40, 0.03), 24), 0) << "longer than looked for";
  EXPECT_EQ(period_of(repeated(step(), 2, 0), kLongestPeriod), 0) << "seen twice only";
  EXPECT_EQ(period_of({}, kLongestPeriod), 0);
}

// As attention over all tokens so far: each launch does little more than the one before.
TEST(Period, IsNoneOfLaunchesThatGrow) {
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) times.push_back(10e-6 + i * 40e-9);
  EXPECT_EQ(period_of(times, kLongestPeriod), 0);
  for (int i = 0; i < 500; ++i) times[i] = (i % 2 == 0 ? 10e-6 : 30e-6) + i * 40e-9;
  EXPECT_EQ(period_of(times, kLongestPeriod), 0);
  for (int i = 0; i < 500; ++i) times[i] = 10e-6 + i * 1e-9;
  EXPECT_EQ(period_of(times, kLongestPeriod), 1) << "by 5 % in all";
}

TEST(Period, SurvivesAPauseOfTheTrace) {
  std::vector<double> times = repeated(step(), 20, 0.03);
  times.erase(times.begin() + 110, times.begin() + 123);
  EXPECT_EQ(period_of(times, kLongestPeriod), 25);
}

}  // namespace
}  // namespace rooflinectl
