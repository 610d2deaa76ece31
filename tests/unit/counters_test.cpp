// SPDX-License-Identifier: Apache-2.0
#include "core/counters/counters.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/stats/repeated_counters.h"

namespace rooflinectl::counters_test {
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

TEST(TensorInstructions, AreThoseOfTheirPipeWithoutPackedMultiplyAdds) {
  const Counters some = counted({{counter::kTensorPipeInstructions, 10}, {counter::kTensorPipeHfma2, 4}});
  EXPECT_EQ(tensor_instructions(some), 6);
  EXPECT_EQ(tensor_instructions(without(some, counter::kTensorPipeHfma2)), 10);
  EXPECT_EQ(tensor_instructions(without(some, counter::kTensorPipeInstructions)), std::nullopt);
  EXPECT_EQ(tensor_instructions({}), std::nullopt);
}

TEST(ExecutedTensorOps, AreThoseOfAllTypes) {
  const Counters some = counted({{counter::kTensorPipeInstructions, 2},
                                 {counter::kTensorF16Ops, 4096},
                                 {counter::kTensorBf16Ops, 0},
                                 {counter::kTensorF64Ops, 512}});
  EXPECT_EQ(executed_tensor_ops(some), 4608);
  EXPECT_EQ(executed_tensor_ops(without(some, counter::kTensorBf16Ops)), 4608);
}

TEST(ExecutedTensorOps, AreZeroWhereNoTensorInstructionRan) {
  EXPECT_EQ(executed_tensor_ops(counted({{counter::kTensorPipeInstructions, 0}})), 0);
  EXPECT_EQ(
      executed_tensor_ops(counted({{counter::kTensorPipeInstructions, 4}, {counter::kTensorPipeHfma2, 4}})),
      0);
}

TEST(ExecutedTensorOps, AreNotKnownWhereInstructionsRanAndNothingWasCounted) {
  const Counters ran = counted({{counter::kTensorPipeInstructions, 2}});
  EXPECT_EQ(executed_tensor_ops(ran), std::nullopt);
  Counters of_no_known_type = ran;
  of_no_known_type.emplace(counter::kTensorF16Ops, CounterValue::measured(0));
  EXPECT_EQ(executed_tensor_ops(of_no_known_type), std::nullopt);
  EXPECT_EQ(executed_tensor_ops({}), std::nullopt) << "runs of early versions did not look for them";
}

TEST(RepeatedCounters, AreMediansWithTheSpreadOfThoseThatDiffer) {
  const std::vector<Counters> repetitions = {counted({{"fadd", 100}, {"integer_ops", 210}}),
                                             counted({{"fadd", 100}, {"integer_ops", 190}}),
                                             counted({{"fadd", 100}, {"integer_ops", 200}})};
  const RepeatedCounters result = repeated(repetitions);
  EXPECT_EQ(result.counters, counted({{"fadd", 100}, {"integer_ops", 200}}));
  EXPECT_EQ(result.repeats, 3);
  EXPECT_EQ(result.spread, (std::map<std::string, double>{{"integer_ops", 0.1}}));
}

TEST(RepeatedCounters, OfOneCountingHaveNoSpread) {
  const std::vector<Counters> once = {counted({{"fadd", 100}})};
  const RepeatedCounters result = repeated(once);
  EXPECT_EQ(result.counters, once.front());
  EXPECT_EQ(result.repeats, 1);
  EXPECT_TRUE(result.spread.empty());
}

TEST(RepeatedCounters, HaveASpreadOverTheLargestWhereTheMedianIsZero) {
  const std::vector<Counters> repetitions = {counted({{"dram_write_bytes", 0}}),
                                             counted({{"dram_write_bytes", 0}}),
                                             counted({{"dram_write_bytes", 32}})};
  EXPECT_EQ(repeated(repetitions).spread, (std::map<std::string, double>{{"dram_write_bytes", 1}}));
}

TEST(RepeatedCounters, AreUnavailableIfOneOfThemWas) {
  const Counters there = counted({{"fadd", 100}});
  const std::vector<Counters> repetitions = {there, without(there, "fadd"), there};
  const RepeatedCounters result = repeated(repetitions);
  EXPECT_EQ(result.counters, without(there, "fadd"));
  EXPECT_TRUE(result.spread.empty());
}

TEST(DifferenceBetweenPasses, ComparesHardwareWithInstrumentation) {
  const Counters same = counted({{counter::kWarpInstructions, 100}, {counter::kWarpInstructionsSass, 100}});
  EXPECT_EQ(difference_between_passes(same), 0);
  for (const auto key : {counter::kWarpInstructions, counter::kWarpInstructionsSass}) {
    Counters different = same;
    different.insert_or_assign(std::string(key), CounterValue::measured(125));
    EXPECT_DOUBLE_EQ(difference_between_passes(different), 0.2);
    EXPECT_EQ(difference_between_passes(without(different, key)), 0);
  }
}

}  // namespace
}  // namespace rooflinectl::counters_test
