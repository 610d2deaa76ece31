// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <optional>

#include "runner/profiling/points/groups.h"

namespace rooflinectl::group_counters_test {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

Counters of(std::initializer_list<std::pair<const char*, double>> values) {
  Counters counters;
  for (const auto& [key, value] : values) counters.emplace(key, CounterValue::measured(value));
  return counters;
}

constexpr double kWarps = 0;  // so that the trace adds nothing

RepeatedCounters counters_with(const Counters& memory, const Counters& operations) {
  CountedPasses counted;
  if (!memory.empty()) counted["memory"].add(memory);
  if (!operations.empty()) counted["operations"].add(operations);
  return counters_of_group(counted, kWarps,
                           [](const std::string& pass) { return "no launch in the pass " + pass; })
      .counted;
}

TEST(GroupCounters, AreMeansOfTheLaunches) {
  CountedPasses counted;
  for (const double value : {1.0, 2.0, 6.0})
    counted["memory"].add(of({{"l2_bytes", value}, {"l1_bytes", 9}}));
  counted["operations"].add(of({{"ffma", 5}}));
  const RepeatedCounters result = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted;
  EXPECT_EQ(result.counters.at("l2_bytes"), CounterValue::measured(3));
  EXPECT_EQ(result.counters.at("ffma"), CounterValue::measured(5));
  EXPECT_THAT(result.spread, UnorderedElementsAre(Pair("l2_bytes", 5.0 / 3)));
  EXPECT_EQ(result.repeats, 3) << "one was instrumented, as is enough for launches that do the same";
}

TEST(GroupCounters, NameThePassThatIsMissing) {
  const RepeatedCounters result =
      counters_with(of({{"l1_bytes", 1}, {"l2_bytes", 1}, {"warp_instructions", 10}}), {});
  EXPECT_EQ(result.counters.at("ffma").reason(), "no launch in the pass operations");
  EXPECT_EQ(result.counters.at("tensor_bf16_ops").reason(), "no launch in the pass tensor");
}

/// With a pass that saw that many tensor instructions and operations of warpgroups, and one that counted a
/// type.
Counters with_tensors(double instructions, double warpgroups, std::optional<double> bf16) {
  CountedPasses counted;
  counted["tensor"].add(of({{"tensor_pipe_instructions", instructions},
                            {"tensor_pipe_hfma2", 0},
                            {"tensor_bf16_ops", warpgroups}}));
  if (bf16) counted["tensor_bf16"].add(of({{"tensor_bf16_ops", *bf16}}));
  return counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted.counters;
}

TEST(GroupCounters, OfTensorTypesAreThoseOfTheLastPassThatCountedThem) {
  EXPECT_EQ(with_tensors(10, 5000, std::nullopt).at("tensor_bf16_ops"), CounterValue::measured(5000));
  EXPECT_EQ(with_tensors(10, 0, 40'960).at("tensor_bf16_ops"), CounterValue::measured(40'960));
}

TEST(GroupCounters, OfTensorTypesAreUnknownWhereNoneWasSeen) {
  EXPECT_THAT(with_tensors(10, 0, 0).at("tensor_bf16_ops").reason(), HasSubstr("none of the types"));
  EXPECT_EQ(with_tensors(0, 0, std::nullopt).at("tensor_bf16_ops"), CounterValue::measured(0));
}

TEST(GroupCounters, OfTensorTypesFollowFromTheCodeWhereNoPassCountedThem) {
  const auto counters_of = [](double warpgroups, std::optional<double> operations) {
    CountedPasses counted;
    counted["tensor"].add(
        of({{"tensor_pipe_instructions", 12}, {"tensor_pipe_hfma2", 2}, {"tensor_bf16_ops", warpgroups}}));
    RepeatedCounters result = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted;
    const bool is_derived =
        derive_tensor_operations(result, {.counters = {"tensor_i8_ops"}, .operations = operations});
    EXPECT_EQ(is_derived, value_of(result.counters, "tensor_i8_ops").has_value());
    return result.counters;
  };
  EXPECT_EQ(counters_of(0, 8192).at("tensor_i8_ops"), CounterValue::measured(81'920));
  for (const char* other :
       {"tensor_f16_ops", "tensor_bf16_ops", "tensor_tf32_ops", "tensor_f8_ops", "tensor_f64_ops"}) {
    EXPECT_EQ(counters_of(0, 8192).at(other), CounterValue::measured(0)) << other;
  }
  EXPECT_EQ(value_of(counters_of(5000, 8192), "tensor_i8_ops"), std::nullopt) << "others were counted";
  EXPECT_EQ(value_of(counters_of(0, std::nullopt), "tensor_i8_ops"), std::nullopt) << "they differ";
}

TEST(GroupCounters, OfInstrumentationThatSawNothingAreUnavailable) {
  const RepeatedCounters result =
      counters_with(of({{"warp_instructions", 640}}),
                    of({{"ffma", 0}, {"shared_bytes", 0}, {"warp_instructions_sass", 0}}));
  EXPECT_THAT(result.counters.at("ffma").reason(), HasSubstr("none of the 640 instructions"));
  EXPECT_FALSE(result.counters.at("warp_instructions_sass").available());
  EXPECT_TRUE(result.counters.at("warp_instructions").available());
}

TEST(GroupCounters, OfLaunchesThatDifferAreUnavailable) {
  const auto ffma = [](double instrumented) {
    return counters_with(of({{"warp_instructions", 100'000}}),
                         of({{"ffma", 7}, {"warp_instructions_sass", instrumented}}))
        .counters.at("ffma");
  };
  EXPECT_EQ(ffma(100'000), CounterValue::measured(7));
  EXPECT_EQ(ffma(96'000), CounterValue::measured(7));
  EXPECT_THAT(ffma(94'000).reason(), HasSubstr("94000"));
  EXPECT_FALSE(ffma(160'000).available());
}

// Like a product in TF32 on an H200: its warps wait for those that copy tiles.
TEST(GroupCounters, OfLoopsThatWaitAreUnavailableWhereInstrumentedWarpsPollMore) {
  const Counters counters =
      counters_with(of({{"warp_instructions", 58'189'961}}),
                    of({{"ffma", 7}, {"integer_ops", 9}, {"warp_instructions_sass", 66'128'356}}))
          .counters;
  EXPECT_EQ(counters.at("ffma"), CounterValue::measured(7));
  EXPECT_THAT(counters.at("integer_ops").reason(), HasSubstr("wait in loops, which ran more"));
  EXPECT_FALSE(counters.at("warp_instructions_sass").available());
  EXPECT_EQ(counters.at("warp_instructions"), CounterValue::measured(58'189'961));
}

// Like a transpose of XLA on an H100, whose warps wait for copies into shared memory.
TEST(GroupCounters, OfLoopsThatWaitAreUnavailableWhereInstrumentedWarpsPollLess) {
  const auto counters = [](double other_l2_bytes, double other_ffma) {
    CountedPasses counted;
    for (const double instructions : {2'300'000.0, 2'339'628.0, 2'363'000.0})
      counted["memory"].add(of({{"warp_instructions", instructions}, {"l2_bytes", 64e6}}));
    counted["memory"].add(of({{"warp_instructions", 2'350'000}, {"l2_bytes", other_l2_bytes}}));
    for (const double ffma : {7.0, 7.0, other_ffma}) {
      counted["operations"].add(
          of({{"ffma", ffma}, {"integer_ops", 9}, {"warp_instructions_sass", 1'542'482}}));
    }
    return counters_of_group(counted, 16'384, [](const auto&) { return ""; }).counted.counters;
  };
  EXPECT_EQ(counters(64e6, 7).at("ffma"), CounterValue::measured(7));
  EXPECT_THAT(counters(64e6, 7).at("integer_ops").reason(), HasSubstr("wait in loops, which ran fewer"));
  EXPECT_FALSE(counters(96e6, 7).at("ffma").available()) << "other work";
  EXPECT_FALSE(counters(64e6, 70).at("ffma").available()) << "other work";
}

// As counted on an H200: 128000 blocks of 128 threads, 8 instructions each from the trace, and CUPTI's
// own 20.
TEST(GroupCounters, OfLaunchesThatDifferAreNotTakenForLoopsThatWait) {
  CountedPasses counted;
  for (const double instructions : {800, 1000, 1200})
    counted["memory"].add(of({{"warp_instructions", instructions}}));
  counted["operations"].add(of({{"warp_instructions_sass", 1300}, {"integer_ops", 7}}));
  const Counters counters =
      counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted.counters;
  EXPECT_EQ(counters.at("integer_ops"), CounterValue::measured(7));
}

// Like a radix sort on an H100, of 12484 blocks of 12 warps.
TEST(GroupCounters, OfPassesMayDifferByMoreWhereTheTraceAddsSome) {
  CountedPasses counted;
  counted["memory"].add(of({{"warp_instructions", 237'701'394}}));
  counted["operations"].add(of({{"warp_instructions_sass", 224'568'042}, {"integer_ops", 7}}));
  const auto result = counters_of_group(counted, 149'808, [](const auto&) { return ""; }).counted;
  EXPECT_EQ(result.counters.at("integer_ops"), CounterValue::measured(7));
}

TEST(GroupCounters, LeaveOutWhatTheTraceAdds) {
  CountedPasses counted;
  counted["memory"].add(of({{"warp_instructions", 15'872'020}}));
  counted["operations"].add(of({{"warp_instructions_sass", 11'776'000}}));
  const auto result = counters_of_group(counted, 512'000, [](const auto&) { return ""; }).counted;
  EXPECT_EQ(result.counters.at("warp_instructions"), CounterValue::measured(11'776'000));
  EXPECT_EQ(result.counters.at("warp_instructions_sass"), CounterValue::measured(11'776'000));
}

TEST(GroupCounters, OfLaunchesThatDifferWithinAPassMayDifferBetweenPasses) {
  CountedPasses counted;
  for (const double value : {1e6, 2e6}) counted["memory"].add(of({{"warp_instructions", value}}));
  counted["operations"].add(of({{"warp_instructions_sass", 1e6}, {"ffma", 7}}));
  const auto result = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted;
  EXPECT_EQ(result.counters.at("ffma"), CounterValue::measured(7));
}

TEST(GroupCounters, WhereNothingRanZeroIsZero) {
  const RepeatedCounters result =
      counters_with(of({{"warp_instructions", 0}}), of({{"ffma", 0}, {"warp_instructions_sass", 0}}));
  EXPECT_EQ(result.counters.at("ffma"), CounterValue::measured(0));
}

TEST(GroupCounters, OfL1AreUnavailableWhereCopiesGoPastIt) {
  const auto with_l1 = [](double l1) {
    return counters_with(of({{"l1_bytes", l1},
                             {"l2_bytes", 1000},
                             {"global_store_sector_efficiency", 0},
                             {"warp_instructions", 1}}),
                         of({{"shared_bytes", 50}, {"warp_instructions_sass", 1}}))
        .counters;
  };
  EXPECT_TRUE(with_l1(900).at("l1_bytes").available());
  EXPECT_TRUE(with_l1(900).at("shared_bytes").available());
  EXPECT_THAT(with_l1(899).at("l1_bytes").reason(), HasSubstr("TMA"));
  EXPECT_TRUE(with_l1(899).at("shared_bytes").available()) << "those of wgmma are counted";
  EXPECT_TRUE(with_l1(900).at("global_store_sector_efficiency").available());
  EXPECT_FALSE(with_l1(899).at("global_store_sector_efficiency").available());
  EXPECT_TRUE(with_l1(899).at("l2_bytes").available());
}

TEST(GroupCounters, CountEachPlaceOfAPeriodAlike) {
  CountedPasses counted;
  // Four launches a step, of which the first was counted twice.
  for (const std::uint64_t ordinal : {1, 2, 3, 4, 5}) {
    counted["tensor"].add(
        of({{"tensor_pipe_instructions", ordinal % 4 == 1 ? 100 : 10}, {"tensor_pipe_hfma2", 0}}),
        {.process = 0, .ordinal = ordinal});
  }
  const GroupCounters result =
      counters_of_group(counted, kWarps, [](const auto&) { return ""; }, {.period = 4, .mean_s = 1});
  EXPECT_EQ(result.counted.counters.at("tensor_pipe_instructions"), CounterValue::measured(32.5));
  EXPECT_EQ(result.period, 4);
  EXPECT_EQ(result.scale, std::nullopt);
}

/// 16 of 24 trials, with twice the work, and launches of the steps that follow.
CountedPasses trials_and_steps(std::uint64_t steps = 8) {
  CountedPasses counted;
  for (std::uint64_t ordinal = 1; ordinal <= 16; ++ordinal)
    counted["memory"].add(of({{"dram_read_bytes", 200}, {"warp_instructions", 2e6}}), {0, ordinal});
  for (std::uint64_t ordinal = 100; ordinal < 100 + steps; ++ordinal)
    counted["memory"].add(of({{"dram_read_bytes", 100}, {"warp_instructions", 1e6 + ordinal}}), {0, ordinal});
  counted["stalls"].add(of({{"wait_stall_warp_cycles", 7}}), {0, 10});
  counted["stalls"].add(of({{"wait_stall_warp_cycles", 5}}), {0, 200});
  return counted;
}

TEST(GroupCounters, LeaveOutFirstLaunchesThatDiffer) {
  const auto settled = without_first_that_differ(trials_and_steps(), {.period = 1, .launches = 240});
  ASSERT_TRUE(settled);
  const auto result =
      counters_of_group(*settled, kWarps, [](const auto&) { return ""; }, {.mean_s = 1}).counted;
  EXPECT_EQ(result.counters.at("dram_read_bytes"), CounterValue::measured(100));
  EXPECT_EQ(result.counters.at("wait_stall_warp_cycles"), CounterValue::measured(5));
  EXPECT_FALSE(result.spread.contains("dram_read_bytes"));
}

TEST(GroupCounters, LeaveOutNoLaunchesIfTheyAreManyOrWorkDiffersThroughout) {
  const LaunchPattern pattern = {.period = 1, .launches = 240};
  EXPECT_FALSE(without_first_that_differ(trials_and_steps(7), pattern)) << "few follow";
  EXPECT_FALSE(without_first_that_differ(trials_and_steps(), {.period = 1, .launches = 150}));
  EXPECT_FALSE(without_first_that_differ(trials_and_steps(), {.period = 0, .launches = 240}));
  CountedPasses mixed;
  for (std::uint64_t ordinal = 1; ordinal <= 32; ++ordinal)
    mixed["memory"].add(of({{"warp_instructions", ordinal % 10 == 5 && ordinal < 24 ? 2e6 : 1e6}}),
                        {0, ordinal});
  EXPECT_FALSE(without_first_that_differ(mixed, pattern)) << "one in ten does more";
}

TEST(GroupCounters, LeaveOutTrialsBeforeAPeriod) {
  CountedPasses counted;
  for (std::uint64_t ordinal = 1; ordinal <= 12; ++ordinal) {
    const double work = ordinal < 4 ? 9 : ordinal % 2 == 0 ? 1 : 3;
    counted["memory"].add(of({{"dram_read_bytes", work}, {"warp_instructions", 1e6 * work}}), {0, ordinal});
  }
  const LaunchPattern pattern = {.period = 2, .mean_s = 1, .launches = 100};
  const auto settled = without_first_that_differ(counted, pattern);
  ASSERT_TRUE(settled);
  const auto result = counters_of_group(
                          *settled, kWarps, [](const auto&) { return ""; }, pattern)
                          .counted;
  EXPECT_DOUBLE_EQ(*result.counters.at("dram_read_bytes").value(), 2);
}

// As NVTX ranges make them: `step 0`, `step 1` …
TEST(GroupCounters, LeaveOutFirstLaunchesOfAProcessWhoseGroupsAreOne) {
  CountedPasses counted;
  for (std::uint64_t step = 0; step < 5; ++step) {
    for (const std::uint64_t ordinal : {1, 2, 4}) {
      const double work = step == 0 ? 2e6 : 1e6;
      counted["memory"].add(of({{"dram_read_bytes", work}, {"warp_instructions", work}}), {0, ordinal, step});
    }
  }
  const auto settled = without_first_that_differ(counted, {.period = 1, .launches = 40});
  ASSERT_TRUE(settled);
  const auto result = counters_of_group(*settled, kWarps, [](const auto&) { return ""; }).counted;
  EXPECT_EQ(result.counters.at("dram_read_bytes"), CounterValue::measured(1e6));
  EXPECT_EQ(result.repeats, 12);
}

/// Two of the four launches of a period were counted: the long one, and one that takes a tenth of its time.
CountedPasses two_of_four() {
  CountedPasses counted;
  counted["memory"].add(of({{"dram_read_bytes", 1000}, {"occupancy", 0.5}, {"warp_instructions", 40}}),
                        {.process = 0, .ordinal = 1});
  counted["memory"].add(of({{"dram_read_bytes", 100}, {"occupancy", 0.5}, {"warp_instructions", 4}}),
                        {.process = 0, .ordinal = 2});
  counted["operations"].add(of({{"ffma", 400}, {"warp_instructions_sass", 40}}),
                            {.process = 0, .ordinal = 9});
  return counted;
}

TEST(GroupCounters, AreScaledToTheTimeOfAllLaunchesWhereNotEachPlaceWasCounted) {
  CountedPasses counted = two_of_four();
  counted["memory"].add_time(10e-6);
  counted["memory"].add_time(1e-6);
  for (const std::size_t period : {0, 4}) {
    const GroupCounters result = counters_of_group(counted, kWarps, [](const auto&) { return ""; },
                                                   {.period = period, .mean_s = 13e-6 / 4});
    EXPECT_DOUBLE_EQ(*result.counted.counters.at("dram_read_bytes").value(), 1300.0 / 4);
    EXPECT_DOUBLE_EQ(*result.counted.counters.at("occupancy").value(), 0.5);
    EXPECT_DOUBLE_EQ(*result.counted.counters.at("ffma").value(), 130) << "as many for each instruction";
    EXPECT_DOUBLE_EQ(*result.scale, 13.0 / 22);
    EXPECT_EQ(result.period, std::nullopt);
  }
}

TEST(GroupCounters, AreCheckedBeforeTheyAreScaled) {
  CountedPasses counted;
  counted["memory"].add(of({{"warp_instructions", 1e6}}));
  counted["memory"].add_time(10e-6);
  counted["operations"].add(of({{"integer_ops", 3e6}, {"warp_instructions_sass", 1e6}}));
  const GroupCounters result =
      counters_of_group(counted, kWarps, [](const auto&) { return ""; }, {.period = 0, .mean_s = 11e-6});
  EXPECT_DOUBLE_EQ(*result.counted.counters.at("warp_instructions").value(), 1.1e6);
  EXPECT_DOUBLE_EQ(*result.counted.counters.at("integer_ops").value(), 3.3e6);
}

TEST(GroupCounters, HaveTheOperationsOfTheLaunchesThatTheHardwareCounted) {
  constexpr double kTracedWarps = 1e4;
  constexpr double kOfTrace = 8 * kTracedWarps;
  const Counters small = of({{"ffma", 1e5}, {"warp_instructions_sass", 1e6}});
  const Counters large = of({{"ffma", 8e5}, {"warp_instructions_sass", 9e6}});
  const Counters other = of({{"ffma", 7e7}, {"warp_instructions_sass", 5e7}});
  for (const auto& instrumented :
       {std::vector{large, small}, std::vector{large, large, large, small, other}}) {
    CountedPasses counted;
    for (const double instructions : {1e6, 1e6, 9e6})
      counted["memory"].add(of({{"warp_instructions", instructions + kOfTrace}}));
    for (const Counters& launch : instrumented) counted["operations"].add(launch);
    const RepeatedCounters result =
        counters_of_group(counted, kTracedWarps, [](const auto&) { return ""; }).counted;
    EXPECT_DOUBLE_EQ(*result.counters.at("ffma").value(), (2 * 1e5 + 8e5) / 3);
    EXPECT_DOUBLE_EQ(*result.counters.at("warp_instructions_sass").value(), 11e6 / 3);
  }
}

TEST(GroupCounters, AreTheMeanOfWhatWasInstrumentedIfLaunchesCannotBeToldApart) {
  constexpr double kTracedWarps = 1e5;
  CountedPasses counted;
  // The trace may have added 1 to 16 instructions to each warp.
  for (const double of_warp : {48, 55})
    counted["memory"].add(of({{"warp_instructions", of_warp * kTracedWarps}}));
  for (const double of_warp : {40, 47})
    counted["operations"].add(
        of({{"ffma", 100 * of_warp}, {"warp_instructions_sass", of_warp * kTracedWarps}}));
  const RepeatedCounters result =
      counters_of_group(counted, kTracedWarps, [](const auto&) { return ""; }).counted;
  EXPECT_DOUBLE_EQ(*result.counters.at("ffma").value(), 4350);
}

TEST(GroupCounters, LeaveNoLaunchWithoutOperationsOutOfTheMean) {
  CountedPasses counted;
  for (int i = 0; i < 99; ++i) counted["memory"].add(of({{"warp_instructions", 1e4}}));
  counted["memory"].add(of({{"warp_instructions", 1e8}}));
  counted["operations"].add(of({{"ffma", 1e8}, {"warp_instructions_sass", 1e8}}));
  counted["operations"].add(of({{"ffma", 2e4}, {"warp_instructions_sass", 2e4}}));
  const RepeatedCounters result = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted;
  EXPECT_LT(*result.counters.at("ffma").value(), 0.6e8) << "not that of the large launch alone";
}

TEST(GroupCounters, HaveTheSpreadOfTheLaunchesThatTheyStandFor) {
  CountedPasses counted;
  for (int i = 0; i < 2; ++i) counted["memory"].add(of({{"warp_instructions", 1e6}}));
  counted["operations"].add(of({{"ffma", 1e5}, {"warp_instructions_sass", 1e6}}));
  counted["operations"].add(of({{"ffma", 9e5}, {"warp_instructions_sass", 9e6}}));
  const RepeatedCounters result = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).counted;
  EXPECT_DOUBLE_EQ(*result.counters.at("ffma").value(), 1e5);
  EXPECT_FALSE(result.spread.contains("ffma"));
}

TEST(GroupCounters, OfSharedMemoryAreUnavailableWhereTheChipDoesNotCountItsMatrices) {
  CountedPasses counted;
  counted["memory"].add(of({{"l1_bytes", 1}, {"l2_bytes", 1000}, {"warp_instructions", 1}}));
  counted["operations"].add(of({{"shared_bytes", 50}, {"warp_instructions_sass", 1}}));
  const GroupCounters result = counters_of_group(
      counted, kWarps, [](const auto&) { return ""; }, {}, false);
  EXPECT_THAT(result.counted.counters.at("shared_bytes").reason(), HasSubstr("tcgen05"));
}

TEST(GroupCounters, AreScaledByTheTimesThatWereCountedWhereTheTraceHasNone) {
  CountedPasses counted;
  counted["memory"].add(of({{"dram_read_bytes", 1000}, {"counted_time_s", 10e-6}}));
  counted["memory"].add(of({{"dram_read_bytes", 100}, {"counted_time_s", 1e-6}}));
  const GroupCounters result =
      counters_of_group(counted, kWarps, [](const auto&) { return ""; }, {.period = 0, .mean_s = 11e-6});
  EXPECT_DOUBLE_EQ(*result.counted.counters.at("dram_read_bytes").value(), 1100);
  EXPECT_DOUBLE_EQ(*result.scale, 2);
  EXPECT_FALSE(result.counted.counters.contains("counted_time_s")) << "it is no time of the kernel";
}

TEST(GroupCounters, TellClustersOfWork) {
  CountedPasses counted;
  for (const double operations : {40.0, 10.0, 41.0, 10.5, 42.0, 10.0, 43.0, 10.0})
    counted["tensor"].add(of({{"tensor_bf16_ops", operations}, {"tensor_pipe_instructions", operations}}));
  const auto clusters = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).clusters;
  ASSERT_TRUE(clusters);
  EXPECT_EQ(clusters->counter, "tensor_bf16_ops");
  ASSERT_EQ(clusters->parts.size(), 2);
  EXPECT_DOUBLE_EQ(clusters->parts[0].share, 0.5);
  EXPECT_DOUBLE_EQ(clusters->parts[0].mean, 10.125);
  EXPECT_DOUBLE_EQ(clusters->parts[1].mean, 41.5);
  CountedPasses alike;
  for (const double operations : {10.0, 11.0, 12.0, 13.0})
    alike["tensor"].add(of({{"tensor_bf16_ops", operations}}));
  EXPECT_FALSE(counters_of_group(alike, kWarps, [](const auto&) { return ""; }).clusters);
}

/// Of launches with so many instructions of one kind, and of all kinds.
std::optional<std::string> clustered_by(const char* key, const char* also,
                                        const std::vector<std::pair<double, double>>& launches) {
  CountedPasses counted;
  for (const auto& [some, all] : launches)
    counted["memory"].add(of({{key, some}, {also, some}, {"warp_instructions", all}}));
  const auto clusters = counters_of_group(counted, kWarps, [](const auto&) { return ""; }).clusters;
  return clusters ? std::optional(clusters->counter) : std::nullopt;
}

// An FFT: its packed f16 multiply-adds are a hundredth of its instructions.
TEST(GroupCounters, TellNoClustersByWhatHardlyCounts) {
  const char* const hfma2 = "tensor_pipe_hfma2";
  const char* const pipe = "tensor_pipe_instructions";
  EXPECT_EQ(clustered_by(pipe, hfma2, {{33, 1e4}, {131, 1e4}}), std::nullopt) << "no Tensor Core works";
  EXPECT_EQ(clustered_by(pipe, hfma2, {{20, 3e4}, {911, 5e4}}), "warp_instructions");
  EXPECT_EQ(clustered_by(pipe, "dadd", {{33, 1e4}, {131, 1e4}}), pipe) << "matrix products";
  EXPECT_EQ(clustered_by("ffma", "dadd", {{32 * 1e2, 1e4}, {32 * 4e2, 1e4}}), std::nullopt);
  EXPECT_EQ(clustered_by("ffma", "dadd", {{32 * 1e3, 1e4}, {32 * 4e3, 1e4}}), "ffma");
}

TEST(GroupCounters, AreMeansOfTheCountedLaunchesWhereThatIsAllThatIsKnown) {
  CountedPasses counted = two_of_four();
  const auto mean_of = [&](std::size_t period) {
    return *counters_of_group(counted, kWarps, [](const auto&) { return ""; },
                              {.period = period, .mean_s = 13e-6 / 4})
                .counted.counters.at("dram_read_bytes")
                .value();
  };
  EXPECT_EQ(mean_of(0), 550) << "without times";
  counted["memory"].add_time(10e-6);
  EXPECT_EQ(mean_of(0), 550) << "one of two times";
  counted["memory"].add_time(1e-6);
  EXPECT_EQ(mean_of(1), 550) << "all are alike";
}

}  // namespace
}  // namespace rooflinectl::group_counters_test
