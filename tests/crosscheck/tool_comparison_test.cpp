// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "crosscheck/crosscheck.h"
#include "tests/support/find_agreement.h"

namespace rooflinectl::tool_comparison_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kSource = ROOFLINECTL_SOURCE_FOLDER "/";

Run recording() {
  const std::string file = std::string(kSource) + "recordings/reductions-h200/run.json.gz";
  return read_run(file);
}

std::vector<NcuKernel> recorded_by_ncu() {
  return read_ncu_csv(read_file(std::string(kSource) + "tests/data/ncu-2025.3.1-h200-reductions.csv"));
}

/// One point, f32, partial sums, timed by events, with the counters that the tests need.
Run one_point() {
  Run run;
  run.ceilings = {{.id = "launch", .kind = CeilingKind::latency, .value = 2e-6}};
  run.catalogue.variants = {{.id = "v", .output = OutputKind::partials}};
  run.counter_session.metrics = {{"fadd", "a__fadd.sum"},
                                 {"dram_read_bytes", "d__read.sum"},
                                 {"dram_write_bytes", "d__write.sum"},
                                 {"warp_instructions", "a__inst.sum"},
                                 {"warp_execution_efficiency", "a__threads.ratio"},
                                 {"global_load_sector_efficiency", "a__sectors.pct"}};
  Measurement measurement;
  measurement.point = {"e", "v", axes_of({.n_elements = 1024, .block_size = 256})};
  measurement.time = TimeResult{.median_s = 100e-6, .samples_s = {}, .sample_clocks_hz = {}};
  const auto measured = [](double value) { return CounterValue::measured(value); };
  measurement.counters = {{"fadd", measured(1000)},
                          {"dram_read_bytes", measured(4e6)},
                          {"dram_write_bytes", measured(0)},
                          {"warp_instructions", measured(400)},
                          {"warp_execution_efficiency", measured(0.8)},
                          {"global_load_sector_efficiency", measured(0.5)}};
  run.measurements = {measurement};
  return run;
}

NcuKernel kernel(std::map<std::string, double> values) {
  NcuKernel result{.range = "e.v.f32.n1024.b256.cold", .kernel = "k", .metrics = {}};
  for (const auto& [metric, value] : values) result.metrics[metric] = {CounterValue::measured(value)};
  return result;
}

NcuKernel agreeing_kernel() {
  return kernel({{"gpu__time_duration.sum", 100e-6},
                 {"a__fadd.sum", 1000},
                 {"d__read.sum", 3.95e6},
                 {"d__write.sum", 0.05e6},
                 {"a__inst.sum", 400},
                 {"a__threads.ratio", 25.6},
                 {"a__sectors.pct", 50}});
}

Verdict verdict(const Run& run, const std::vector<NcuKernel>& kernels, std::string_view quantity) {
  return find(compare_with_ncu(run, kernels), quantity).verdict();
}

TEST(NcuComparison, ARecordingAgreesWithWhatNcuSawOnTheSameModelOfGpu) {
  const auto agreements = compare_with_ncu(recording(), recorded_by_ncu());
  EXPECT_THAT(agreements, SizeIs(36 * (2 + 26)));
  for (const Agreement& agreement : agreements) {
    if (agreement.quantity == "l2_atomic_operations") continue;  // these were not yet recorded
    EXPECT_EQ(agreement.verdict(), Verdict::agrees) << agreement.subject << " " << agreement.quantity;
  }
}

TEST(NcuComparison, AsksForWhatIsComparedAndNothingElse) {
  const auto metrics = ncu_metrics(recording());
  EXPECT_EQ(metrics.front(), "gpu__time_duration.sum");
  EXPECT_THAT(metrics, Contains("dram__bytes_write.sum"));
  EXPECT_THAT(metrics, Contains("lts__t_sectors_srcunit_tex.sum"));
  EXPECT_THAT(metrics, Not(Contains(HasSubstr("warps_active"))));
  EXPECT_THAT(metrics, SizeIs(1 + 2 + 26));
}

TEST(NcuComparison, Tolerances) {
  const rooflinectl::Run run = one_point();
  const auto with = [&](const char* metric, double value) {
    NcuKernel changed = agreeing_kernel();
    changed.metrics[metric] = {CounterValue::measured(value)};
    return std::vector{changed};
  };
  for (const Agreement& agreement : compare_with_ncu(run, {agreeing_kernel()})) {
    EXPECT_EQ(agreement.verdict(), Verdict::agrees) << agreement.quantity;
  }
  EXPECT_EQ(verdict(run, with("a__fadd.sum", 1001), "fadd"), Verdict::differs);
  EXPECT_EQ(verdict(run, with("d__read.sum", 4.05e6), "dram_bytes"), Verdict::differs);
  EXPECT_EQ(verdict(run, with("a__threads.ratio", 25.66), "warp_execution_efficiency"), Verdict::differs);
  EXPECT_EQ(verdict(run, with("a__threads.ratio", 25.62), "warp_execution_efficiency"), Verdict::agrees);
  // 5 % + the launch between two events.
  EXPECT_EQ(verdict(run, with("gpu__time_duration.sum", 94e-6), "time"), Verdict::agrees);
  EXPECT_EQ(verdict(run, with("gpu__time_duration.sum", 93e-6), "time"), Verdict::differs);
}

TEST(NcuComparison, WhatTheLaunchTakesIsAllowed) {
  rooflinectl::Run run = one_point();
  EXPECT_DOUBLE_EQ(find(compare_with_ncu(run, {agreeing_kernel()}), "time").tolerance, 5e-6 + 2e-6);
  run.ceilings.clear();
  const Agreement without = find(compare_with_ncu(run, {agreeing_kernel()}), "time");
  EXPECT_EQ(without.tolerance, 0.05);
  EXPECT_THAT(without.note, HasSubstr("launch overhead was not measured"));
}

TEST(NcuComparison, TheLaunchIsThatOfThePointsDevice) {
  rooflinectl::Run run = one_point();
  run.devices.resize(2);
  run.measurements[0].device = 1;
  EXPECT_EQ(find(compare_with_ncu(run, {agreeing_kernel()}), "time").tolerance, 0.05);
  run.ceilings[0].device = 1;
  EXPECT_DOUBLE_EQ(find(compare_with_ncu(run, {agreeing_kernel()}), "time").tolerance, 5e-6 + 2e-6);
}

TEST(NcuComparison, DramBytesOfColdPoints) {
  rooflinectl::Run run = one_point();
  NcuKernel kernel = agreeing_kernel();
  kernel.metrics["d__write.sum"] = {CounterValue::measured(0.2e6)};
  EXPECT_EQ(verdict(run, {kernel}, "dram_bytes"), Verdict::differs);
  run.devices[0].l2_bytes = 50 << 20;  // ncu may leave a part of it dirty
  EXPECT_EQ(verdict(run, {kernel}, "dram_bytes"), Verdict::agrees);

  run.measurements[0].point.axes.set(axis::kCache, CacheState::warm);
  kernel.range = "e.v.f32.n1024.b256.warm";
  for (const Agreement& agreement : compare_with_ncu(run, {kernel}))
    EXPECT_NE(agreement.quantity, "dram_bytes");
}

TEST(NcuComparison, RoundedNumbersMayDifferByTheRounding) {
  NcuKernel rounded = agreeing_kernel();
  rounded.metrics["a__fadd.sum"] = {CounterValue::measured(1004), 5};
  EXPECT_EQ(verdict(one_point(), {rounded}, "fadd"), Verdict::agrees);
}

TEST(NcuComparison, SeveralKernelsAreOnePoint) {
  const NcuKernel first = kernel({{"gpu__time_duration.sum", 70e-6},
                                  {"a__fadd.sum", 900},
                                  {"d__read.sum", 3e6},
                                  {"d__write.sum", 0},
                                  {"a__inst.sum", 300},
                                  {"a__threads.ratio", 32},
                                  {"a__sectors.pct", 50}});
  const NcuKernel second = kernel({{"gpu__time_duration.sum", 30e-6},
                                   {"a__fadd.sum", 100},
                                   {"d__read.sum", 1e6},
                                   {"d__write.sum", 0},
                                   {"a__inst.sum", 100},
                                   {"a__threads.ratio", 6.4},
                                   {"a__sectors.pct", 50}});
  const auto agreements = compare_with_ncu(one_point(), {first, second});
  for (const char* quantity : {"time", "fadd", "dram_bytes", "warp_execution_efficiency"}) {
    EXPECT_EQ(find(agreements, quantity).verdict(), Verdict::agrees) << quantity;
  }
  // The number of sectors that each of them loaded is unknown.
  EXPECT_EQ(find(agreements, "global_load_sector_efficiency").verdict(), Verdict::unavailable);
}

TEST(NcuComparison, WhatIsMissingIsUnavailableAndNeverZero) {
  const rooflinectl::Run run = one_point();
  const auto without_range = compare_with_ncu(run, {});
  ASSERT_THAT(without_range, SizeIs(1));
  EXPECT_EQ(without_range[0].verdict(), Verdict::unavailable);

  const NcuKernel poor = kernel({{"gpu__time_duration.sum", 100e-6}});
  for (const Agreement& agreement : compare_with_ncu(run, {poor})) {
    EXPECT_EQ(agreement.verdict(), agreement.quantity == "time" ? Verdict::agrees : Verdict::unavailable);
  }
  rooflinectl::Run failed = run;
  failed.measurements[0].status = Status::failed;
  EXPECT_THAT(compare_with_ncu(failed, {poor}), IsEmpty());
}

TEST(TraceComparison, TheMedianOfTheLaunchesAndTheRange) {
  const rooflinectl::Run run = one_point();
  const auto launch = [](double seconds) { return TracedLaunch{"e.v.f32.n1024.b256.cold", {1e-6, seconds}}; };
  const auto agreements = compare_with_trace(run, {launch(98e-6), launch(500e-6), launch(97e-6)});
  ASSERT_THAT(agreements, SizeIs(2));
  EXPECT_EQ(find(agreements, "nvtx_range").verdict(), Verdict::agrees);
  EXPECT_DOUBLE_EQ(find(agreements, "time").reference.value().value(), 99e-6);
  EXPECT_EQ(find(agreements, "time").verdict(), Verdict::agrees);

  const auto missing = compare_with_trace(run, {{"e.other", {1}}});
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].verdict(), Verdict::differs);
  EXPECT_EQ(find(compare_with_trace(run, {{"e.v.f32.n1024.b256.cold", {}}}), "time").verdict(),
            Verdict::unavailable);
}

}  // namespace
}  // namespace rooflinectl::tool_comparison_test
