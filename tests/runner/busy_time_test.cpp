// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <random>

#include "runner/profiling/times/times.h"

namespace rooflinectl::busy_time_test {
namespace {

using testing::ElementsAre;

TEST(BusyTime, OfNothingIsNothing) {
  EXPECT_EQ(busy_time({}).busy_ns, 0);
  EXPECT_EQ(busy_time({}).sum_ns, 0);
}

TEST(BusyTime, CountsWhatOverlapsOnce) {
  const std::vector<BusyInterval> intervals = {{.start_ns = 30, .end_ns = 40, .owner = 2},
                                               {.start_ns = 0, .end_ns = 10, .owner = 0},
                                               {.start_ns = 5, .end_ns = 20, .owner = 1},
                                               {.start_ns = 6, .end_ns = 8, .owner = 0}};
  std::vector<std::uint64_t> overlapped(3);
  const BusyTime time = busy_time(intervals, &overlapped);
  EXPECT_EQ(time.first_ns, 0);
  EXPECT_EQ(time.last_ns, 40);
  EXPECT_EQ(time.sum_ns, 37);
  EXPECT_EQ(time.busy_ns, 30);
  EXPECT_THAT(overlapped, ElementsAre(5 + 2, 5, 0));
}

TEST(BusyTime, DoesNotTakeNeighboursForOverlapping) {
  std::vector<std::uint64_t> overlapped(2);
  const BusyTime time = busy_time({{.start_ns = 0, .end_ns = 10, .owner = 0},
                                   {.start_ns = 10, .end_ns = 10, .owner = 1},
                                   {.start_ns = 10, .end_ns = 30, .owner = 1}},
                                  &overlapped);
  EXPECT_EQ(time.busy_ns, 30);
  EXPECT_THAT(overlapped, ElementsAre(0, 0));
}

TEST(Overlap, IsTheTimeBesideAnyOfTheOthers) {
  const std::vector<BusyInterval> others = {{.start_ns = 20, .end_ns = 30}, {.start_ns = 25, .end_ns = 40}};
  std::vector<std::uint64_t> overlapped(3);
  add_overlap({{.start_ns = 0, .end_ns = 20, .owner = 0},
               {.start_ns = 10, .end_ns = 35, .owner = 1},
               {.start_ns = 22, .end_ns = 24, .owner = 1},
               {.start_ns = 30, .end_ns = 90, .owner = 2}},
              others, overlapped);
  EXPECT_THAT(overlapped, ElementsAre(0, 15 + 2, 10));
}

using Gap = std::pair<std::uint64_t, std::uint32_t>;

TEST(UndisturbedTime, HasTheGapsThatNoDisturbanceTouches) {
  const std::vector<BusyInterval> work = {{.start_ns = 100, .end_ns = 110, .owner = 4},
                                          {.start_ns = 10, .end_ns = 20, .owner = 1},
                                          {.start_ns = 15, .end_ns = 30, .owner = 2},
                                          {.start_ns = 50, .end_ns = 60, .owner = 3},
                                          {.start_ns = 60, .end_ns = 70, .owner = 5}};
  const auto gaps_of = [&](const std::vector<BusyInterval>& disturbances, std::uint64_t busy_ns) {
    std::vector<Gap> gaps;
    const auto add = [&](std::uint64_t ns, std::uint32_t next) { gaps.emplace_back(ns, next); };
    EXPECT_EQ(undisturbed_ns(work, disturbances, add), busy_ns);
    return gaps;
  };
  EXPECT_THAT(gaps_of({}, 50), ElementsAre(Gap(20, 3), Gap(30, 4)));
  EXPECT_THAT(gaps_of({{.start_ns = 0, .end_ns = 15}, {.start_ns = 5, .end_ns = 12}}, 45),
              ElementsAre(Gap(20, 3), Gap(30, 4)));
  EXPECT_THAT(gaps_of({{.start_ns = 40, .end_ns = 40}}, 50), ElementsAre(Gap(30, 4)));
  EXPECT_THAT(gaps_of({{.start_ns = 55, .end_ns = 65}}, 40), ElementsAre(Gap(20, 3), Gap(30, 4)));
  EXPECT_THAT(gaps_of({{.start_ns = 60, .end_ns = 105}, {.start_ns = 25, .end_ns = 26}}, 34),
              ElementsAre(Gap(20, 3)));
  EXPECT_THAT(gaps_of({{.start_ns = 0, .end_ns = 200}}, 0), ElementsAre());
  EXPECT_THAT(gaps_of({{.start_ns = 12, .end_ns = 14}, {.start_ns = 18, .end_ns = 55}}, 31),
              ElementsAre(Gap(30, 4)));
}

/// Against the time counted nanosecond by nanosecond.
TEST(BusyTime, IsThatOfTheUnionAndOfTheOverlap) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<BusyInterval> intervals;
    std::vector<int> active(100);
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t start = random() % 80;
      const std::uint64_t end = start + random() % 20;
      intervals.push_back({.start_ns = start, .end_ns = end, .owner = i});
      for (std::uint64_t t = start; t < end; ++t) ++active[t];
    }
    std::uint64_t busy = 0;
    for (const int count : active) busy += count > 0 ? 1 : 0;
    std::vector<std::uint64_t> expected(intervals.size());
    for (const BusyInterval& interval : intervals) {
      for (std::uint64_t t = interval.start_ns; t < interval.end_ns; ++t) {
        expected[interval.owner] += active[t] > 1 ? 1 : 0;
      }
    }
    std::vector<std::uint64_t> overlapped(intervals.size());
    EXPECT_EQ(busy_time(intervals, &overlapped).busy_ns, busy);
    EXPECT_EQ(overlapped, expected);
  }
}

}  // namespace
}  // namespace rooflinectl::busy_time_test
