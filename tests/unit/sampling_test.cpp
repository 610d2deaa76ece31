// SPDX-License-Identifier: Apache-2.0
#include "core/stats/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "core/stats/statistics.h"

namespace rooflinectl::sampling_test {
namespace {

constexpr double kClockHz = 1.98e9;
constexpr double kLowClockHz = 1.5e9;

/// A device without a GPU, and a clock that does not wait: the test sets the time, the SM clock and the
/// duration of sample number i.
struct FakeDevice {
  std::function<double(int)> time_s = [](int) { return 1e-3; };
  std::function<std::optional<double>(int)> clock_hz = [](int) { return kClockHz; };
  std::function<std::optional<ClockEventReasons>(int)> reasons = [](int) { return std::nullopt; };
  double seconds_per_sample = 1e-3;
  double seconds_per_wait = 0.1;

  int samples = 0;
  int waits = 0;
  double elapsed_s = 0;

  TimeResult run(const TimingTarget& target, bool ignore_clocks = false) {
    Sampling sampling(target, ignore_clocks);
    while (true) {
      sampling.add({time_s(samples), clock_hz(samples), reasons(samples)});
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
  EXPECT_EQ(time.samples_s.size(), 16U);
  EXPECT_EQ(time.median_s, 1e-3);
  EXPECT_EQ(time.sm_clock_hz, kClockHz);
  EXPECT_FALSE(time.noisy);
  EXPECT_EQ(time.throttled_samples, 0);
}

TEST(Sampling, ANoisyPointTakesMoreUntilTheTargetIsReached) {
  FakeDevice device;
  device.time_s = [](int i) { return 1e-3 * (1 + 0.02 * noise(i)); };
  const TimeResult time = device.run(kTarget);
  EXPECT_GT(time.samples_s.size(), 16U);
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

TEST(Sampling, FewSamplesOfASlowLaunchWillDoIfTheyAreClose) {
  FakeDevice device;
  device.seconds_per_sample = 0.2;
  device.time_s = [](int i) { return 0.2 * (1 + 0.0005 * noise(i)); };
  const TimeResult close = device.run(kTarget);
  EXPECT_LT(close.samples_s.size(), 16U);
  EXPECT_FALSE(close.noisy);

  FakeDevice slower;
  slower.seconds_per_sample = 0.4;
  EXPECT_TRUE(slower.run(kTarget).noisy) << "five samples have no interval";
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

constexpr ClockEventReasons kNone = 0;
constexpr ClockEventReasons kThermal = 0x20;

TEST(Sampling, ASlowedDownSampleIsKeptAndLeftOutOfBothMedians) {
  for (const ClockEventReasons reason : {0x08U, 0x20U, 0x40U, 0x80U}) {
    FakeDevice device;
    device.time_s = [](int i) { return i < 3 ? 2e-3 : 1e-3; };
    device.clock_hz = [](int i) { return i < 3 ? 0.97 * kClockHz : kClockHz - i * 1e6; };
    device.reasons = [=](int i) { return i < 3 ? reason : kNone; };
    const TimeResult time = device.run(kTarget);
    EXPECT_EQ(time.samples_s.size(), 19U);
    EXPECT_EQ(time.throttled_samples, 3);
    EXPECT_EQ(time.ci_high_s, 1e-3);
    EXPECT_DOUBLE_EQ(*time.sm_clock_hz, kClockHz - 10.5e6);  // of samples 3 to 18
    EXPECT_EQ(*time.clock_event_reasons, (std::map<std::string, int>{{names_of(reason).front(), 3}}));
    EXPECT_FALSE(time.noisy);
  }
}

TEST(Sampling, APowerCapIsNotedAndExcludesNoSample) {
  // A matrix product at the power limit, in a run in which an empty kernel saw a higher clock.
  FakeDevice device;
  device.clock_hz = [](int i) { return i < 4 ? kClockHz : kLowClockHz; };
  device.reasons = [](int) { return kPowerCap; };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_EQ(time.sm_clock_hz, kLowClockHz);
  EXPECT_EQ(time.clock_event_reasons->at("power cap"), static_cast<int>(time.samples_s.size()));
  EXPECT_EQ(device.waits, 0);
  EXPECT_FALSE(time.noisy);
}

TEST(Sampling, AnIntermittentPowerCapExcludesNoSampleEither) {
  FakeDevice device;
  device.clock_hz = [](int i) { return i % 4 == 0 ? kLowClockHz : kClockHz; };
  device.reasons = [](int i) { return i % 4 == 0 ? kPowerCap : kNone; };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_EQ(time.sm_clock_hz, kClockHz);
}

TEST(Sampling, AClockThatIsLowAllTheTimeIsThePointsOwn) {
  FakeDevice device;
  device.clock_hz = [](int) { return kLowClockHz; };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.samples_s.size(), 16U);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_FALSE(time.clock_event_reasons);
  EXPECT_FALSE(time.noisy);
}

TEST(Sampling, ASampleBelow95PercentOfThePointsMedianClockIsLeftOut) {
  FakeDevice device;
  device.time_s = [](int i) { return i == 3 ? 2e-3 : 1e-3; };
  device.clock_hz = [](int i) { return i == 3 ? 0.949 * kClockHz : i < 6 ? 0.951 * kClockHz : kClockHz; };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.samples_s.size(), 17U);
  EXPECT_EQ(time.throttled_samples, 1);
  EXPECT_EQ(time.ci_high_s, 1e-3);
}

TEST(Sampling, AnUnreadableClockIsUnknownAndNotLow) {
  FakeDevice device;
  device.clock_hz = [](int i) { return i % 2 == 0 ? std::nullopt : std::optional(kClockHz); };
  const TimeResult time = device.run(kTarget);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_EQ(time.sample_clocks_hz.front(), 0);
  EXPECT_EQ(time.sm_clock_hz, kClockHz);

  device = {};
  device.clock_hz = [](int) { return std::nullopt; };
  const TimeResult without = device.run(kTarget);
  EXPECT_EQ(without.throttled_samples, 0);
  EXPECT_FALSE(without.sm_clock_hz);
}

TEST(Sampling, ADeviceThatIsHotGetsTimeToCoolDown) {
  FakeDevice device;
  device.reasons = [&](int) { return device.elapsed_s < 1 ? kThermal : kNone; };
  const TimeResult time = device.run(kTarget);
  EXPECT_GT(device.waits, 5);
  EXPECT_FALSE(time.noisy);
  EXPECT_EQ(time.samples_s.size() - static_cast<std::size_t>(time.throttled_samples), 16U);
}

TEST(Sampling, ADeviceThatStaysHotIsNamed) {
  FakeDevice device;
  device.reasons = [](int) { return kThermal; };
  const TimeResult time = device.run(kTarget);
  EXPECT_TRUE(time.noisy);
  EXPECT_EQ(static_cast<std::size_t>(time.throttled_samples), time.samples_s.size());
  EXPECT_EQ(time.median_s, 1e-3);
  EXPECT_EQ(time.sm_clock_hz, kClockHz);
}

TEST(Sampling, WorkThatIsLimitedByPowerTakesTheClockAsItIs) {
  FakeDevice device;
  device.clock_hz = [](int i) { return i < 10 ? kClockHz : kLowClockHz; };
  const TimeResult time = device.run(kTarget, /*ignore_clocks=*/true);
  EXPECT_EQ(time.samples_s.size(), 16U);
  EXPECT_EQ(time.throttled_samples, 0);
  EXPECT_EQ(device.waits, 0);
}

// ---- how often the interval holds the true median, with the rule that ends sampling ----

/// Times around one second whose noise is an autoregressive series of order one, stationary from its start.
class Series {
 public:
  Series(double correlation, double noise) : correlation_(correlation), noise_(noise) {}

  double next() {
    const double now = state_;
    state_ = correlation_ * state_ + std::sqrt(1 - correlation_ * correlation_) * normal_(random_);
    return now;
  }
  /// Starts a point that does not continue the last one.
  void restart() { state_ = normal_(random_); }
  double noise() const { return noise_; }

 private:
  double correlation_;
  double noise_;
  std::mt19937_64 random_{20261121};
  std::normal_distribution<double> normal_;
  double state_ = 0;
};

using Shape = std::function<double(double state, int sample)>;  // in units of the noise; its median is 0

/// The fraction of points whose interval contains the true median; samples come in batches of `batch`.
double coverage(Series series, int batch, const Shape& shape) {
  constexpr int kPoints = 500;
  int covered = 0;
  for (int point = 0; point < kPoints; ++point) {
    series.restart();
    Sampling sampling({.relative_half_width = 0.005, .time_limit_s = 1e9}, false);
    int taken = 0;
    do {
      for (int i = 0; i < batch; ++i, ++taken) {
        sampling.add({1 + series.noise() * shape(series.next(), taken), kClockHz, std::nullopt});
      }
    } while (sampling.next(0) != Sampling::Next::stop);
    const TimeResult& time = sampling.result();
    covered += time.ci_low_s <= 1 && time.ci_high_s >= 1 ? 1 : 0;
  }
  return static_cast<double>(covered) / kPoints;
}

double as_it_is(double state, int) {
  return state;
}

/// Two standard errors of 500 points are 2 %.
constexpr double kChance = 0.02;

TEST(Coverage, IsAtLeast95PercentForIndependentSamples) {
  for (const double noise : {0.001, 0.005, 0.01, 0.015}) {
    for (const int batch : {1, 16}) {
      EXPECT_GE(coverage({0, noise}, batch, as_it_is), 0.95) << noise << " " << batch;
    }
  }
}

TEST(Coverage, IsAtLeast93PercentForCorrelatedSamples) {
  for (const double correlation : {0.3, 0.5}) {
    for (const double noise : {0.001, 0.005, 0.01, 0.015}) {
      for (const int batch : {1, 16}) {
        EXPECT_GE(coverage({correlation, noise}, batch, as_it_is), 0.93 - kChance)
            << correlation << " " << noise << " " << batch;
      }
    }
  }
}

TEST(Coverage, FallsSlowlyForStrongerCorrelation) {
  for (const double noise : {0.001, 0.005, 0.01}) {
    EXPECT_GE(coverage({0.7, noise}, 1, as_it_is), 0.88 - kChance) << noise;
  }
}

TEST(Coverage, DoesNotDependOnTheTailOfTheDistribution) {
  const auto with_tail = [](double state, int) { return state > 0 ? std::expm1(1.5 * state) : state; };
  for (const double noise : {0.002, 0.005, 0.01}) {
    EXPECT_GE(coverage({0.5, noise}, 1, with_tail), 0.93 - kChance) << noise;
  }
}

TEST(Coverage, FallsLittleWhereTheLevelDriftsByLessThanTheNoise) {
  // Up and down by a third of the noise within 100 samples. A drift as large as the noise is not covered:
  // sampling ends before it has come round.
  const auto drifting = [](double state, int sample) {
    return state + std::sin(2 * 3.14159265358979 * (sample + 0.5) / 100) / 3;
  };
  for (const double noise : {0.005, 0.01, 0.015}) {
    EXPECT_GE(coverage({0.3, noise}, 1, drifting), 0.9 - kChance) << noise;
  }
}

}  // namespace
}  // namespace rooflinectl::sampling_test
