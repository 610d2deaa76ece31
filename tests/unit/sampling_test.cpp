// SPDX-License-Identifier: Apache-2.0
#include "core/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace rooflinectl {
namespace {

constexpr double kClockHz = 1.98e9;
constexpr double kLowClockHz = 1.5e9;

/// A device that needs no GPU, with a clock that needs no time: sample number i has the time and the clock
/// that the test says, and takes as long as it says.
struct FakeDevice {
  std::function<double(int)> time_s = [](int) { return 1e-3; };
  std::function<double(int)> clock_hz = [](int) { return kClockHz; };
  double seconds_per_sample = 1e-3;
  double seconds_per_wait = 0.1;

  int samples = 0;
  int waits = 0;
  double elapsed_s = 0;

  TimeResult run(const TimingTarget& target, bool ignore_clocks = false) {
    Sampling sampling(target, ignore_clocks);
    while (true) {
      sampling.add({time_s(samples), clock_hz(samples)}, kClockHz);
      ++samples;
      elapsed_s += seconds_per_sample;
      const Sampling::Next next = sampling.next(elapsed_s);
      if (next == Sampling::Next::stop) return sampling.result();
      if (next == Sampling::Next::wait) {
        ++waits;
        elapsed_s += seconds_per_wait;
      }
    }
  }
};

constexpr TimingTarget kTarget{.relative_half_width = 0.005, .time_limit_s = 2};

/// Numbers in [-1, 1) that look random, and are the same on every machine.
double noise(int i) {
  const double x = std::sin(static_cast<double>(i + 1) * 12.9898) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

TEST(Sampling, AQuietPointTakesTheFewestSamples) {
  FakeDevice device;
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.samples_s.size(), 10U);
  EXPECT_EQ(time.median_s, 1e-3);
  EXPECT_FALSE(time.noisy);
  EXPECT_EQ(time.throttled_samples, 0);
}

TEST(Sampling, ANoisyPointTakesMoreUntilTheTargetIsReached) {
  FakeDevice device;
  device.time_s = [](int i) { return 1e-3 * (1 + 0.02 * noise(i)); };
  const TimeResult time = device.run(kTarget);
  EXPECT_GT(time.samples_s.size(), 10U);
  EXPECT_FALSE(time.noisy);
  EXPECT_LE((time.ci_high_s - time.ci_low_s) / 2 / time.median_s, 0.005);
}

TEST(Sampling, TheTimeLimitEndsItAndFlagsIt) {
  FakeDevice device;
  device.time_s = [](int i) { return 0.5 * (1 + 0.2 * noise(i)); };
  device.seconds_per_sample = 0.5;
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.samples_s.size(), 4U);
  EXPECT_TRUE(time.noisy);
}

TEST(Sampling, NoiseThatHasSettledFarFromTheTargetEndsItEarly) {
  FakeDevice device;
  device.time_s = [](int i) { return 1e-3 * (1 + 0.3 * noise(i)); };
  const TimeResult time = device.run(kTarget);
  EXPECT_TRUE(time.noisy);
  EXPECT_GE(time.samples_s.size(), 100U);
  EXPECT_LT(time.samples_s.size(), 400U);
  EXPECT_LT(device.elapsed_s, kTarget.time_limit_s / 2);
}

TEST(Sampling, TimesThatDriftHaveNotSettled) {
  FakeDevice device;
  device.time_s = [](int i) { return 1e-3 * (1 + 0.02 * i); };
  const TimeResult time = device.run(kTarget);
  EXPECT_TRUE(time.noisy);
  EXPECT_EQ(time.samples_s.size(), 1000U);
}

TEST(Sampling, AThrottledSampleIsKeptAndLeftOutOfTheMedian) {
  FakeDevice device;
  device.time_s = [](int i) { return i == 3 ? 2e-3 : 1e-3; };
  device.clock_hz = [](int i) { return i == 3 ? kLowClockHz : kClockHz; };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.samples_s.size(), 11U);
  EXPECT_EQ(time.throttled_samples, 1);
  EXPECT_EQ(time.ci_high_s, 1e-3);
  EXPECT_FALSE(time.noisy);
}

TEST(Sampling, ASampleAt95PercentOfTheBestClockIsGood) {
  FakeDevice device;
  device.clock_hz = [](int i) { return i < 5 ? 0.951 * kClockHz : kClockHz; };
  EXPECT_EQ(device.run(kTarget).throttled_samples, 0);
}

TEST(Sampling, TooFewGoodSamplesWaitForTheClockToComeBack) {
  FakeDevice device;
  device.clock_hz = [&](int) { return device.elapsed_s < 1 ? kLowClockHz : kClockHz; };
  const TimeResult time = device.run(kTarget);
  EXPECT_GT(device.waits, 5);
  EXPECT_FALSE(time.noisy);
  EXPECT_EQ(time.samples_s.size() - static_cast<std::size_t>(time.throttled_samples), 10U);
}

TEST(Sampling, AClockThatNeverComesBackIsSaid) {
  FakeDevice device;
  device.clock_hz = [](int) { return kLowClockHz; };
  const TimeResult time = device.run(kTarget);
  EXPECT_TRUE(time.noisy);
  EXPECT_EQ(static_cast<std::size_t>(time.throttled_samples), time.samples_s.size());
  EXPECT_EQ(time.median_s, 1e-3);
}

TEST(Sampling, WorkThatIsLimitedByPowerTakesTheClockAsItIs) {
  FakeDevice device;
  device.clock_hz = [](int i) { return i == 0 ? kClockHz : kLowClockHz; };
  const TimeResult time = device.run(kTarget, /*ignore_clocks=*/true);
  EXPECT_EQ(time.samples_s.size(), 10U);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_EQ(device.waits, 0);
}

}  // namespace
}  // namespace rooflinectl
