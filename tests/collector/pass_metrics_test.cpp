// SPDX-License-Identifier: Apache-2.0
// What `profile` counts of a launch, which is not repeated, on every chip that CUPTI knows. Needs neither a
// GPU nor a driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "collector/cupti/host_configuration.h"
#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "core/error.h"

namespace rooflinectl {
namespace {

using ::testing::IsSupersetOf;

using Keys = std::set<std::string_view>;

constexpr Pass kTensorTypes[] = {Pass::tensor_bf16, Pass::tensor_f16, Pass::tensor_tf32, Pass::tensor_i8,
                                 Pass::tensor_f64};

/// What a chip counts in a pass of one launch; empty where it counts nothing of it.
Keys counted_keys(const std::string& chip, Pass pass) {
  try {
    const cupti::HostConfiguration configuration =
        cupti::one_pass_configuration(chip, pass_metrics(pass), {});
    EXPECT_EQ(configuration.passes(), 1);
    Keys found;
    for (const Metric& metric : pass_metrics(pass)) {
      if (configuration.metrics().contains(std::string(metric.key))) found.insert(metric.key);
    }
    return found;
  } catch (const Error&) {
    return {};
  }
}

Keys all_keys(Pass pass) {
  Keys keys;
  for (const Metric& metric : pass_metrics(pass)) keys.insert(metric.key);
  return keys;
}

class PassMetricsOnChip : public ::testing::TestWithParam<std::string> {
 protected:
  /// `GA` of `GA102`
  static std::string generation() { return GetParam().substr(0, 2); }
};

TEST_P(PassMetricsOnChip, MemoryHasWhatARoofNeeds) {
  Keys needed = {counter::kL2Bytes, counter::kL1Bytes, counter::kWarpInstructions, counter::kOccupancy};
  // These share the memory of the host processor.
  const bool has_dram = GetParam() != "GA10B" && GetParam() != "GB10B" && GetParam() != "GB20B";
  if (has_dram) needed.insert({counter::kDramReadBytes, counter::kDramWriteBytes});
  EXPECT_THAT(counted_keys(GetParam(), Pass::memory), IsSupersetOf(needed));
}

TEST_P(PassMetricsOnChip, OperationsAreAllCountedAtOnce) {
  Keys all = all_keys(Pass::operations);
  const bool has_packed_f32 = GetParam() == "GB100" || GetParam() == "GB102" || GetParam() == "GB110";
  if (!has_packed_f32) {
    for (const std::string_view key : {counter::kFadd2, counter::kFmul2, counter::kFfma2}) all.erase(key);
  }
  EXPECT_EQ(counted_keys(GetParam(), Pass::operations), all);
}

TEST_P(PassMetricsOnChip, TensorInstructionsTellWhichTypesToCount) {
  EXPECT_TRUE(counted_keys(GetParam(), Pass::tensor).contains(counter::kTensorPipeInstructions));
}

TEST_P(PassMetricsOnChip, PipesBoundWhatInstrumentationCannotCount) {
  Keys expected = {counter::kFmaPipeInstructions, counter::kFp64PipeInstructions};
  const bool has_fp16_pipe = generation() == "GV" || generation() == "TU";
  if (has_fp16_pipe) expected.insert(counter::kFp16PipeInstructions);
  if (GetParam() != "GA100") expected.insert(counter::kAluPipeInstructions);
  if (GetParam() != "GA100" && !has_fp16_pipe)
    expected.insert({counter::kXuPipeInstructions, counter::kCountedTimeS});
  EXPECT_EQ(counted_keys(GetParam(), Pass::pipes), expected);
}

TEST_P(PassMetricsOnChip, StallsTellWhetherWarpsWaitForMemory) {
  Keys needed = {counter::kStallPassWarpCycles, counter::kLongScoreboardStallWarpCycles};
  const bool has_room_for_two = !GetParam().starts_with("GB20");
  if (has_room_for_two) needed.insert(counter::kShortScoreboardStallWarpCycles);
  EXPECT_THAT(counted_keys(GetParam(), Pass::stalls), IsSupersetOf(needed));
}

TEST_P(PassMetricsOnChip, TensorOperationsAreCountedOfTheTypesThatItHas) {
  Keys expected;
  const bool has_tensor_cores = GetParam() != "TU116" && GetParam() != "TU117";
  if (has_tensor_cores) expected.insert(counter::kTensorF16Ops);
  if (has_tensor_cores && generation() != "GV") expected.insert(counter::kTensorI8Ops);
  if (generation() != "GV" && generation() != "TU") {
    expected.insert({counter::kTensorBf16Ops, counter::kTensorF64Ops});
    // Blackwell's large chips have two instructions for it, and count them in two passes.
    const bool has_two_kinds = GetParam().starts_with("GB1");
    if (!has_two_kinds) expected.insert(counter::kTensorTf32Ops);
  }
  Keys counted;
  for (const Pass pass : kTensorTypes) counted.merge(counted_keys(GetParam(), pass));
  EXPECT_EQ(counted, expected);
}

INSTANTIATE_TEST_SUITE_P(EveryChip, PassMetricsOnChip, ::testing::ValuesIn(cupti::countable_chips()),
                         [](const auto& chip) { return chip.param; });

TEST(PassMetrics, HopperCountsEveryMetricOfAPassAtOnce) {
  for (const Pass pass : {Pass::memory, Pass::tensor, Pass::tensor_bf16, Pass::tensor_f16, Pass::tensor_tf32,
                          Pass::tensor_i8, Pass::tensor_f64, Pass::pipes, Pass::stalls}) {
    const auto configuration = cupti::one_pass_configuration("GH100", pass_metrics(pass), {});
    const std::size_t of_other_chips = pass == Pass::pipes ? 1 : 0;  // the FP16 pipe
    EXPECT_EQ(configuration.metric_names().size(), pass_metrics(pass).size() - of_other_chips)
        << to_string(pass);
  }
}

TEST(PassMetrics, WhatDoesNotFitIsLeftOutFromTheEnd) {
  Keys keys = all_keys(Pass::memory);
  for (const std::string_view key : {counter::kDramClockHz, counter::kL2AtomicOperations,
                                     counter::kL2AtomicBusiestSlice, counter::kCountedTimeS}) {
    keys.erase(key);
  }
  EXPECT_EQ(counted_keys("GA100", Pass::memory), keys);
}

TEST(PassMetrics, NothingThatFitsIsAnError) {
  EXPECT_THROW(cupti::one_pass_configuration("GB100", pass_metrics(Pass::tensor_tf32), {}), Error);
  EXPECT_THROW(cupti::one_pass_configuration("TU116", pass_metrics(Pass::tensor_f16), {}), Error);
}

}  // namespace
}  // namespace rooflinectl
