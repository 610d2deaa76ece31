// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/sentences/sentences.h"
#include "tests/support/program_run.h"

namespace rooflinectl::point_facts_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

std::optional<std::string> fact(const Run& run, std::string_view name) {
  const Analysis analysis = analyse(run);
  const auto facts = point_facts(analysis.experiments.at(0).points.at(0));
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  return found == facts.end() ? std::nullopt : std::optional(found->text);
}

TEST(PointFacts, SayWhetherTensorOperationsFollowFromTheMachineCode) {
  auto run = constructed::program_run();
  EXPECT_EQ(fact(run, "Tensor Core operations"), std::nullopt);
  for (Measurement& measurement : run.measurements) {
    measurement.launches->operations_per_tensor_instruction = 4096;
  }
  EXPECT_THAT(
      fact(run, "Tensor Core operations"),
      Optional(std::string("4096 for each tensor instruction of a warp, as its machine code has it")));
}

TEST(PointFacts, SayWhatTheCountersOfLaunchesThatDifferStandFor) {
  auto run = constructed::program_run();
  for (Measurement& measurement : run.measurements) {
    measurement.counter_spread = {{std::string(counter::kWarpInstructions), 4.5}};
    measurement.launches->counted = 32;
  }
  EXPECT_THAT(
      fact(run, "evidence"),
      Optional(std::string(
          "warp_instructions differs by 4.5 times its mean between the 32 launches that were counted")));
  for (Measurement& measurement : run.measurements) measurement.launches->counters_scale = 0.857;
  EXPECT_THAT(fact(run, "evidence"),
              Optional(HasSubstr("; counters are scaled by 0.857, to the mean time of")));
  for (Measurement& measurement : run.measurements) measurement.launches->period = 25;
  EXPECT_EQ(fact(run, "evidence"), std::nullopt);
  EXPECT_THAT(fact(run, "launches"),
              Optional(HasSubstr("and 32 counted; they repeat after 25, of which each was counted")));
}

TEST(PointFacts, HaveThePerformanceOfKernelsWhoseCodeOnlyConvertsHalves) {
  auto run = constructed::program_run();
  const auto known = fact(run, "executed performance");
  for (Measurement& measurement : run.measurements) {
    measurement.counters.insert_or_assign(std::string(counter::kHadd), CounterValue::measured(1e13));
  }
  EXPECT_THAT(fact(run, "executed performance"),
              Optional(HasSubstr("unavailable: FP16 or BF16 instructions")));
  for (Measurement& measurement : run.measurements) measurement.launches->has_half_arithmetic = true;
  EXPECT_THAT(fact(run, "executed performance"),
              Optional(HasSubstr("unavailable: FP16 or BF16 instructions")));
  for (Measurement& measurement : run.measurements) measurement.launches->has_half_arithmetic = false;
  EXPECT_EQ(fact(run, "executed performance"), known);
}

TEST(PointFacts, SayWhatWarpsWaitFor) {
  auto run = constructed::program_run();
  EXPECT_EQ(fact(run, "warps wait for"), std::nullopt);
  for (Measurement& measurement : run.measurements) {
    const auto set = [&](std::string_view key, double value) {
      measurement.counters.insert_or_assign(std::string(key), CounterValue::measured(value));
    };
    set(counter::kActiveWarpCycles, 1000);
    set(counter::kLongScoreboardStallWarpCycles, 610);
    set(counter::kShortScoreboardStallWarpCycles, 9);
    set(counter::kBarrierStallWarpCycles, 120);
  }
  EXPECT_THAT(fact(run, "warps wait for"), Optional(std::string("global memory 61.0 %, barriers 12.0 %")));
}

}  // namespace
}  // namespace rooflinectl::point_facts_test
