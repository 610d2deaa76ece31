// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runner/profiling/times/times.h"

namespace rooflinectl::range_times_test {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMs = 1'000'000;

/// `step` of 10 ms every 12 ms, from the first to the last.
std::vector<record::Range> steps(std::uint64_t count) {
  std::vector<record::Range> ranges;
  for (std::uint64_t i = 0; i < count; ++i)
    ranges.push_back({.start_ns = 12 * kMs * i, .duration_ns = 10 * kMs});
  return ranges;
}

RangeTimes use_of(const std::vector<record::Range>& ranges, const std::vector<BusyInterval>& counting = {}) {
  RangePassages uses;
  uses.add_process({{"step", ranges}}, counting);
  return uses.result().front();
}

TEST(RangePassages, HaveTheTimeOfARangeAndTheTimeFromOneToTheNext) {
  EXPECT_EQ(use_of(steps(5)), (RangeTimes{.path = "step",
                                          .count = 5,
                                          .undisturbed = 5,
                                          .median_s = 0.010,
                                          .p95_s = 0.010,
                                          .interval_s = 0.012}));
}

TEST(RangePassages, TakeNoTimesWhileSomethingWasCounted) {
  auto ranges = steps(4);
  ranges[0].duration_ns = 11 * kMs;  // held
  const RangeTimes use = use_of(ranges, {{.start_ns = 0, .end_ns = 13 * kMs}});
  EXPECT_EQ(use.count, 4);
  EXPECT_EQ(use.undisturbed, 2) << "the second one began in the pass";
  EXPECT_DOUBLE_EQ(*use.median_s, 0.010);
  const RangeTimes held = use_of(ranges, {{.start_ns = 5 * kMs, .end_ns = 100 * kMs}});
  EXPECT_EQ(held.undisturbed, 0);
  EXPECT_EQ(held.median_s, std::nullopt);
  EXPECT_EQ(held.interval_s, std::nullopt);
}

TEST(RangePassages, HaveNoIntervalWhereSeveralAreOpenAtATime) {
  auto ranges = steps(3);
  ranges.push_back({.start_ns = 5 * kMs, .duration_ns = 10 * kMs});
  EXPECT_EQ(use_of(ranges).interval_s, std::nullopt);
  EXPECT_EQ(use_of(steps(1)).interval_s, std::nullopt);
}

TEST(RangePassages, OfSeveralProcessesAreOne) {
  RangePassages uses;
  uses.add_process({{"step", steps(3)}, {"step/forward", steps(1)}}, {});
  uses.add_process({{"step", steps(3)}}, {});
  const auto result = uses.result();
  EXPECT_THAT(result,
              ElementsAre(testing::Field(&RangeTimes::count, 6), testing::Field(&RangeTimes::count, 1)));
  EXPECT_DOUBLE_EQ(*result[0].interval_s, 0.012) << "the time from one process to the other is no step";
}

}  // namespace
}  // namespace rooflinectl::range_times_test
