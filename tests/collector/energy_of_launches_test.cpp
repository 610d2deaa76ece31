// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "collector/timing/timing.h"

namespace rooflinectl {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(EnergyOfLaunches, IsUnavailableIfTheyDestroyTheirInput) {
  int launches = 0;
  int restored = 0;
  TimedWork work;
  work.launch = [&](int) { ++launches; };
  work.prepare = [&] { ++restored; };
  const EnergyResult result = measure_energy([] { return 1.0; }, work, [] {});
  EXPECT_EQ(result.joules.value(), std::nullopt);
  EXPECT_THAT(result.joules.reason(), HasSubstr("destroys its input"));
  EXPECT_EQ(launches, 0) << "the second launch would work on what the first left";
  EXPECT_EQ(restored, 0);
}

TEST(EnergyOfLaunches, IsUnavailableWithoutAMeter) {
  TimedWork work;
  work.launch = [](int) {};
  const EnergyResult result = measure_energy([] { return std::nullopt; }, work, [] {});
  EXPECT_EQ(result.joules.value(), std::nullopt);
  EXPECT_THAT(result.joules.reason(), HasSubstr("no energy meter"));
}

TEST(EnergyOfLaunches, IsPowerTimesTheTimeOfALaunch) {
  constexpr double kWatts = 100;
  constexpr double kRenewalS = 0.1;
  constexpr std::chrono::milliseconds kLaunch(10);
  const Clock::time_point start = Clock::now();
  const auto meter = [&]() -> std::optional<double> {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return kWatts * kRenewalS * std::floor(seconds / kRenewalS);
  };
  TimedWork work;
  work.launch = [&](int) { std::this_thread::sleep_for(kLaunch); };
  const EnergyResult result = measure_energy(meter, work, [] {});
  // The meter goes by the clock, and a machine that is busy looks at it late.
  EXPECT_NEAR(result.mean_power_w, kWatts, 0.3 * kWatts);
  ASSERT_TRUE(result.joules.value());
  EXPECT_GT(*result.joules.value(), 0.7 * kWatts * 0.010) << "a launch sleeps for 10 ms at least";
  EXPECT_GE(result.duration_s, 1.5);
}

}  // namespace
}  // namespace rooflinectl
