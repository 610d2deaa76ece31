// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "runner/merging/merging.h"

namespace rooflinectl::clock_alignment_test {
namespace {

using Launches = std::vector<CollectiveLaunch>;

/// Collectives of two kernels at uneven times, as seen on a clock that is `ahead_ns` ahead, each end off by
/// up to 2 µs.
Launches collectives(std::size_t count, std::int64_t ahead_ns, unsigned seed) {
  std::mt19937 pace(1);
  std::mt19937 noise(seed);
  Launches launches;
  std::uint64_t end_ns = 1'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    end_ns += 500'000 + pace() % 400'000;
    const std::uint64_t duration_ns = 20'000 + noise() % 100'000;
    const std::uint64_t seen_ns =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(end_ns) + ahead_ns) + noise() % 2'000;
    launches.push_back({.kernel = i % 2, .start_ns = seen_ns - duration_ns, .duration_ns = duration_ns});
  }
  return launches;
}

RunClocks run_on(const std::string& boot_id, std::uint64_t clock_ns, Launches launches = {}) {
  RunClocks run;
  run.hosts = {{.name = "host", .boot_id = boot_id, .clock_ns = clock_ns, .uncertainty_s = 0}};
  if (!launches.empty()) run.collectives.push_back(std::move(launches));
  return run;
}

TEST(ClockAlignment, AlignsByASharedClock) {
  const auto places = aligned({run_on("a", 5'000), run_on("a", 4'000), run_on("a", 9'000)});
  EXPECT_EQ(places[0], (RunPlace{0, 0}));
  EXPECT_EQ(places[1], (RunPlace{-1'000, 0}));
  EXPECT_EQ(places[2], (RunPlace{4'000, 0}));
}

TEST(ClockAlignment, AlignsOtherHostsByCollectives) {
  const auto places =
      aligned({run_on("a", 0, collectives(100, 0, 1)), run_on("b", 0, collectives(100, 7'000'000, 2))});
  EXPECT_NEAR(static_cast<double>(places[1].start_ns), -7'000'000, 1'000);
  ASSERT_TRUE(places[1].uncertainty_s.has_value());
  EXPECT_GT(*places[1].uncertainty_s, 0);
  EXPECT_LT(*places[1].uncertainty_s, 3e-6);
}

TEST(ClockAlignment, AHostThatIsAlignedAlignsItsOtherRuns) {
  const auto places = aligned({run_on("a", 0, collectives(100, 0, 1)), run_on("b", 1'000'000),
                               run_on("b", 500'000, collectives(100, 0, 2))});
  EXPECT_EQ(places[1].start_ns - places[2].start_ns, 500'000);
  EXPECT_TRUE(places[1].uncertainty_s.has_value());
}

TEST(ClockAlignment, OneMayLackTheFirstOnes) {
  Launches late = collectives(100, 3'000'000, 2);
  late.erase(late.begin(), late.begin() + 6);
  const auto difference = end_difference(collectives(100, 0, 1), late);
  ASSERT_TRUE(difference.has_value());
  EXPECT_NEAR(static_cast<double>(difference->median_ns), 3'000'000, 1'000);
}

TEST(ClockAlignment, IsNotMadeUp) {
  EXPECT_FALSE(end_difference(collectives(7, 0, 1), collectives(7, 0, 2))) << "too few";
  Launches others = collectives(100, 0, 2);
  for (CollectiveLaunch& launch : others) launch.kernel = 5;
  EXPECT_FALSE(end_difference(collectives(100, 0, 1), others)) << "others";
  std::mt19937_64 random(3);
  Launches apart = collectives(100, 0, 2);
  for (CollectiveLaunch& launch : apart) launch.start_ns += random() % 50'000'000;
  EXPECT_FALSE(end_difference(collectives(100, 0, 1), apart)) << "they do not end together";
  const auto places = aligned({run_on("a", 0), run_on("b", 5'000), run_on("b", 6'000), run_on("", 0)});
  EXPECT_EQ(places[1], (RunPlace{0, std::nullopt}));
  EXPECT_EQ(places[2], (RunPlace{1'000, std::nullopt})) << "among each other they are aligned";
  EXPECT_EQ(places[3], (RunPlace{0, std::nullopt}));
}

}  // namespace
}  // namespace rooflinectl::clock_alignment_test
