// SPDX-License-Identifier: Apache-2.0
#include "core/counters/stall_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rooflinectl {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Counters counters_of(const std::map<std::string_view, double>& values) {
  Counters counters;
  for (const auto& [key, value] : values) counters.emplace(key, CounterValue::measured(value));
  return counters;
}

TEST(StallReasons, AreToldApart) {
  std::set<std::string_view> keys;
  std::set<std::string_view> labels;
  for (const StallReason& reason : stall_reasons()) {
    EXPECT_TRUE(keys.insert(reason.key).second) << reason.id;
    EXPECT_TRUE(labels.insert(reason.label).second) << reason.id;
  }
}

TEST(StallShares, AreOfTheCyclesOfTheirOwnLaunches) {
  const Counters counters = counters_of({{counter::kActiveWarpCycles, 1000},
                                         {counter::kBarrierStallWarpCycles, 100},
                                         {counter::kStallPassWarpCycles, 2000},
                                         {counter::kLongScoreboardStallWarpCycles, 1220},
                                         {counter::kShortScoreboardStallWarpCycles, 20}});
  const std::vector<StallShare> shares = stall_shares(counters);
  ASSERT_THAT(shares, SizeIs(3));
  EXPECT_EQ(shares[0].reason->id, "long_scoreboard");
  EXPECT_DOUBLE_EQ(shares[0].share, 0.61);
  EXPECT_EQ(shares[1].reason->id, "barrier");
  EXPECT_DOUBLE_EQ(shares[1].share, 0.1);
  EXPECT_DOUBLE_EQ(shares[2].share, 0.01);
}

TEST(StallShares, OfLaunchesThatAreRepeatedNeedNoOtherCycles) {
  const Counters counters =
      counters_of({{counter::kActiveWarpCycles, 1000}, {counter::kLongScoreboardStallWarpCycles, 610}});
  EXPECT_EQ(stall_share(counters, counter::kLongScoreboardStallWarpCycles), 0.61);
}

TEST(StallShares, AreNothingWhereOnlyBarriersWereCounted) {
  const Counters counters =
      counters_of({{counter::kActiveWarpCycles, 1000}, {counter::kBarrierStallWarpCycles, 900}});
  EXPECT_THAT(stall_shares(counters), IsEmpty());
  EXPECT_EQ(stall_share(counters, counter::kBarrierStallWarpCycles), 0.9);
  EXPECT_EQ(stall_share({}, counter::kBarrierStallWarpCycles), std::nullopt);
}

}  // namespace
}  // namespace rooflinectl
