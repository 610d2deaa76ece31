// SPDX-License-Identifier: Apache-2.0
#include "core/counters.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rooflinectl {
namespace {

Counters counted(const std::vector<std::pair<std::string_view, double>>& values) {
  Counters counters;
  for (const auto& [key, value] : values) counters.emplace(key, CounterValue::measured(value));
  return counters;
}

Counters without(Counters counters, std::string_view key) {
  counters.insert_or_assign(std::string(key), CounterValue::unavailable("not on this chip"));
  return counters;
}

const Counters kScalar = counted({{counter::kFadd, 1}, {counter::kFmul, 10}, {counter::kFfma, 100}});
const Counters kPacked = counted({{counter::kFadd, 1},
                                  {counter::kFmul, 10},
                                  {counter::kFfma, 100},
                                  {counter::kFadd2, 1000},
                                  {counter::kFmul2, 10'000},
                                  {counter::kFfma2, 100'000}});

TEST(CounterValue, UnavailableIsNotZero) {
  const CounterValue zero = CounterValue::measured(0);
  const CounterValue none = CounterValue::unavailable("no DRAM unit");
  EXPECT_TRUE(zero.available());
  EXPECT_EQ(zero.value(), 0.0);
  EXPECT_FALSE(none.available());
  EXPECT_EQ(none.value(), std::nullopt);
  EXPECT_EQ(none.reason(), "no DRAM unit");
  EXPECT_NE(zero, none);
}

TEST(ValueOf, IsNothingForMissingAndUnavailable) {
  EXPECT_EQ(value_of(kScalar, counter::kFmul), 10.0);
  EXPECT_EQ(value_of(kScalar, "no_such_key"), std::nullopt);
  EXPECT_EQ(value_of(without(kScalar, counter::kFmul), counter::kFmul), std::nullopt);
}

TEST(ExecutedFlops, CountAMultiplyAddAsTwo) {
  EXPECT_EQ(executed_f32_flops(kScalar), 1 + 10 + 2 * 100);
  EXPECT_EQ(executed_f64_flops(counted({{counter::kDadd, 1}, {counter::kDmul, 10}, {counter::kDfma, 100}})),
            1 + 10 + 2 * 100);
}

TEST(ExecutedFlops, CountPackedInstructionsTwice) {
  EXPECT_EQ(executed_f32_flops(kPacked), 211 + 2 * 1000 + 2 * 10'000 + 4 * 100'000);
}

TEST(ExecutedFlops, AreNothingWithoutEveryInstruction) {
  for (std::string_view key : {counter::kFadd, counter::kFmul, counter::kFfma}) {
    EXPECT_EQ(executed_f32_flops(without(kScalar, key)), std::nullopt) << key;
  }
  EXPECT_EQ(executed_f64_flops(kScalar), std::nullopt);
  EXPECT_EQ(executed_f32_flops({}), std::nullopt);
}

TEST(ExecutedFlops, AreNothingIfOnlySomePackedInstructionsWereCounted) {
  for (std::string_view key : {counter::kFadd2, counter::kFmul2, counter::kFfma2}) {
    EXPECT_EQ(executed_f32_flops(without(kPacked, key)), std::nullopt) << key;
  }
}

TEST(ExecutedFlops, DoNotNeedPackedInstructionsThatTheChipLacks) {
  Counters counters = kScalar;
  for (std::string_view key : {counter::kFadd2, counter::kFmul2, counter::kFfma2}) {
    counters = without(counters, key);
  }
  EXPECT_EQ(executed_f32_flops(counters), 211);
}

TEST(DramBytes, AreNothingWithoutBothDirections) {
  const Counters both = counted({{counter::kDramReadBytes, 400}, {counter::kDramWriteBytes, 30}});
  EXPECT_EQ(dram_bytes(both), 430);
  EXPECT_EQ(dram_bytes(without(both, counter::kDramReadBytes)), std::nullopt);
  EXPECT_EQ(dram_bytes(without(both, counter::kDramWriteBytes)), std::nullopt);
}

}  // namespace
}  // namespace rooflinectl
