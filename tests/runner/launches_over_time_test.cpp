// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runner/profiling/times/times.h"

namespace rooflinectl::launches_over_time_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<LaunchTimes> over_time(const std::vector<BusyInterval>& launches, std::uint64_t zero_ns = 0) {
  std::vector<const BusyInterval*> pointers;
  for (const BusyInterval& launch : launches) pointers.push_back(&launch);
  return launches_over_time(pointers, zero_ns, kMostLaunchTimes);
}

BusyInterval launch(std::uint64_t start_ns, std::uint64_t duration_ns, bool is_counted = false) {
  return {.start_ns = start_ns, .end_ns = start_ns + duration_ns, .is_counted = is_counted};
}

TEST(LaunchesOverTime, AreKeptOneByOneWhereTheyAreFew) {
  EXPECT_THAT(
      over_time({launch(1000, 64'450), launch(2000, 0, true)}, 1000),
      ElementsAre(
          LaunchTimes{
              .start_s = 0, .launches = 1, .min_s = 64.45e-6, .median_s = 64.45e-6, .max_s = 64.45e-6},
          LaunchTimes{
              .start_s = 1e-6, .launches = 1, .counted = 1, .min_s = 1e-9, .median_s = 1e-9, .max_s = 1e-9}));
  EXPECT_THAT(over_time({}), IsEmpty());
}

TEST(LaunchesOverTime, OfManyEachPartOfTheTimeKeepsItsExtremes) {
  std::vector<BusyInterval> launches;
  for (std::uint64_t i = 0; i < 100'000; ++i) launches.push_back(launch(1000 * i, 100));
  launches[50'000] = launch(50'000'000, 900, true);
  launches[50'001] = launch(50'001'000, 3);
  const auto parts = over_time(launches);
  ASSERT_EQ(parts.size(), kMostLaunchTimes);
  std::uint64_t all = 0;
  std::uint64_t counted = 0;
  for (const LaunchTimes& part : parts) {
    all += part.launches;
    counted += part.counted;
    EXPECT_NEAR(static_cast<double>(part.launches), 100'000.0 / kMostLaunchTimes, 1);
    EXPECT_DOUBLE_EQ(part.median_s, 100e-9);
  }
  EXPECT_EQ(all, 100'000);
  EXPECT_EQ(counted, 1);
  EXPECT_DOUBLE_EQ(parts[kMostLaunchTimes / 2].max_s, 900e-9);
  EXPECT_DOUBLE_EQ(parts[kMostLaunchTimes / 2].min_s, 3e-9);
}

TEST(LaunchesOverTime, LeaveOutPartsInWhichNothingRan) {
  std::vector<BusyInterval> launches;
  for (std::uint64_t i = 0; i < 200; ++i) launches.push_back(launch(i, 1));
  launches.push_back(launch(1'000'000, 5));
  const auto parts = over_time(launches);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].launches, 200);
  EXPECT_DOUBLE_EQ(parts[1].start_s, 1e-3);
}

TEST(LaunchesOverTime, ThatAllBeganAtOnceAreOnePart) {
  EXPECT_THAT(over_time(std::vector<BusyInterval>(500, launch(7, 1))), testing::SizeIs(1));
}

}  // namespace
}  // namespace rooflinectl::launches_over_time_test
