// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "crosscheck/crosscheck.h"
#include "tests/support/find_agreement.h"

namespace rooflinectl::profiled_launches_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kFfmaMetric = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

Measurement point(const std::string& symbol, std::uint64_t grid, double total_s, std::uint64_t first = 1) {
  Measurement measurement;
  measurement.point = {.experiment = "program", .subject = symbol};
  measurement.point.axes.set("grid", grid);
  measurement.point.axes.set("block", std::uint64_t{256});
  measurement.time = TimeResult{.median_s = 100e-6, .samples_s = {100e-6}};
  measurement.launches = LaunchStatistics{
      .symbol = symbol, .first = first, .count = 1000, .traced = 1000, .total_s = total_s, .p95_s = 100e-6};
  measurement.counters = {{"ffma", CounterValue::measured(5000)},
                          {"warp_instructions", CounterValue::measured(1000)},
                          {"warp_instructions_sass", CounterValue::measured(1000)},
                          {"dram_read_bytes", CounterValue::measured(600e6)},
                          {"dram_write_bytes", CounterValue::measured(400e6)},
                          {"l2_bytes", CounterValue::measured(100e6)}};
  return measurement;
}

Run run_of(std::vector<Measurement> measurements) {
  Run run;
  run.devices.front().compute_capability = 90;
  run.devices.front().l2_bytes = 50'000'000;
  run.application = Application{.command_line = {"program"}};
  run.measurements = std::move(measurements);
  return run;
}

NcuKernel launch(const std::string& symbol, std::uint64_t grid, double ffma = 5000) {
  NcuKernel kernel{.kernel = symbol, .process = "1", .grid = std::to_string(grid), .block = "256"};
  const auto set = [&](std::string_view metric, double value) {
    kernel.metrics[std::string(metric)] = {CounterValue::measured(value)};
  };
  set("gpu__time_duration.sum", 102e-6);
  set(kFfmaMetric, ffma);
  set("smsp__inst_executed.sum", 1010);
  set("dram__bytes_read.sum", 610e6);
  set("dram__bytes_write.sum", 410e6);
  set("lts__t_sectors_srcunit_tex.sum", 120e6 / 32);
  return kernel;
}

std::vector<Agreement> compared(const Run& run, const std::vector<NcuKernel>& kernels) {
  return compare_with_ncu(run, choose_points(run), kernels);
}

TEST(ProfiledLaunches, SelectsLaunchesByKernelAndNumber) {
  const auto run = run_of({point("_Z1aPf", 8, 3), point("b.1$", 8, 2, 17), point("_Z1aPf", 9, 1, 5)});
  EXPECT_EQ(choose_points(run).kernel_id(), R"(::regex:^(_Z1aPf|b\.1\$)$:^(1|5|17)$)");
}

TEST(ProfiledLaunches, LeavesOutWhatWouldTakeTooLong) {
  std::vector<Measurement> points;
  for (std::uint64_t i = 0; i < 40; ++i) {
    points.push_back(point("kernel" + std::to_string(i % 20), i, static_cast<double>(100 - i), i + 1));
  }
  const auto run = run_of(points);
  const ChosenPoints chosen = choose_points(run);
  EXPECT_EQ(chosen.points.size() + chosen.left_out.size(), 31);
  EXPECT_EQ(chosen.left_out.back().subject, "10 others");
  EXPECT_THAT(chosen.left_out.front().reference.reason(), HasSubstr("too many would be profiled"));
  // Each of the numbers is profiled for each of the kernels.
  std::set<std::string> kernels;
  for (const ChosenPoint& chosen_point : chosen.points)
    kernels.insert(chosen_point.measurement->launches->symbol);
  EXPECT_EQ(kernels.size() * chosen.launches.size(), 120);
}

TEST(ProfiledLaunches, AsksForWhatItCompares) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.counters.emplace("tensor_bf16_ops", CounterValue::measured(10));
  measurement.counters.emplace("tensor_f16_ops", CounterValue::measured(0));
  measurement.counters.emplace("fadd", CounterValue::unavailable("not counted"));
  const auto run = run_of({measurement});
  const auto metrics = ncu_metrics(run, choose_points(run));
  EXPECT_THAT(metrics, Contains("sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  EXPECT_THAT(metrics, Contains(kFfmaMetric));
  EXPECT_THAT(metrics, Not(Contains("sm__ops_path_tensor_src_fp16.sum")));
  EXPECT_THAT(metrics, Not(Contains("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum")));
}

TEST(ProfiledLaunches, ComparesEveryCounterOfOperations) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  NcuKernel kernel = launch("_Z1aPf", 8);
  std::vector<Metric> metrics = tensor_metrics();
  for (const Metric& metric : basic_metrics()) {
    if (metric.agreement && metric.agreement->unit == ComparedUnit::operations) metrics.push_back(metric);
  }
  for (const Metric& metric : metrics) {
    measurement.counters.insert_or_assign(std::string(metric.key), CounterValue::measured(1000));
    kernel.metrics[std::string(metric.names.front())] = {CounterValue::measured(1010)};
  }
  const auto agreements = compared(run_of({measurement}), {kernel});
  for (const Metric& metric : metrics) {
    // Warps that wait execute integer operations.
    const Verdict expected = metric.key == counter::kIntegerOps ? Verdict::agrees : Verdict::differs;
    EXPECT_EQ(find(agreements, metric.key).verdict(), expected) << metric.key;
  }
}

TEST(ProfiledLaunches, OperationsAreExactAndBytesNearly) {
  const auto run = run_of({point("_Z1aPf", 8, 1)});
  const auto agreements = compared(run, {launch("_Z1aPf", 8)});
  EXPECT_EQ(find(agreements, "ffma").verdict(), Verdict::agrees);
  EXPECT_EQ(find(agreements, "ffma").tolerance, 0);
  EXPECT_EQ(find(agreements, "time").verdict(), Verdict::agrees);
  EXPECT_EQ(find(agreements, "warp_instructions").verdict(), Verdict::agrees);
  EXPECT_EQ(find(agreements, "dram_bytes").verdict(), Verdict::agrees);
  EXPECT_EQ(find(agreements, "dram_bytes").reference.value(), 1020e6);
  // 100 MB are less than eight times L2.
  EXPECT_THAT(find(agreements, "l2_bytes").reference.reason(), HasSubstr("120 MB; traffic below"));
  EXPECT_EQ(find(compared(run, {launch("_Z1aPf", 8, 5001)}), "ffma").verdict(), Verdict::differs);
}

TEST(ProfiledLaunches, OperationsUnderConditionsMayDependOnTheData) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.counters.emplace("warp_execution_efficiency", CounterValue::measured(1));
  measurement.counters.emplace("warp_nonpred_execution_efficiency", CounterValue::measured(0.93));
  measurement.counters.emplace("tensor_bf16_ops", CounterValue::measured(100));
  NcuKernel kernel = launch("_Z1aPf", 8, 5400);
  kernel.metrics["sm__ops_path_tensor_src_bf16_dst_fp32.sum"] = {CounterValue::measured(102)};
  const auto agreements = compared(run_of({measurement}), {kernel});
  EXPECT_EQ(find(agreements, "ffma").verdict(), Verdict::agrees);
  EXPECT_EQ(find(agreements, "tensor_bf16_ops").verdict(), Verdict::differs);
  EXPECT_EQ(find(compared(run_of({measurement}), {launch("_Z1aPf", 8, 5700)}), "ffma").verdict(),
            Verdict::differs);
  measurement.counters.insert_or_assign("warp_nonpred_execution_efficiency", CounterValue::measured(1));
  EXPECT_EQ(find(compared(run_of({measurement}), {kernel}), "ffma").verdict(), Verdict::differs);
}

TEST(ProfiledLaunches, WhatDiffersFromLaunchToLaunchIsListed) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.counter_spread = {{"ffma", 0.1}, {"warp_instructions", 0.04}};
  const auto agreements = compared(run_of({measurement}), {launch("_Z1aPf", 8, 5400)});
  EXPECT_EQ(find(agreements, "ffma").reference.reason(),
            "5400; its launches differ by 10 %, and ncu counted only one of them");
  EXPECT_EQ(find(agreements, "warp_instructions").verdict(), Verdict::agrees);
}

TEST(ProfiledLaunches, InstructionsOfTheTraceAreNotThoseOfTheKernel) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.counters.insert_or_assign("warp_instructions_sass", CounterValue::unavailable("not counted"));
  EXPECT_THAT(
      find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "warp_instructions").reference.reason(),
      HasSubstr("1010; ours include those that the trace adds"));
  measurement.counters.insert_or_assign("warp_instructions", CounterValue::unavailable("not counted"));
  EXPECT_EQ(
      find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "warp_instructions").reference.reason(),
      "");
}

TEST(ProfiledLaunches, TakesTheSameLaunch) {
  const auto run = run_of({point("_Z1aPf", 8, 2), point("_Z1aPf", 9, 1, 3)});
  // Launches 1 and 3 of the kernel, of two processes that run the same.
  std::vector<NcuKernel> kernels = {launch("_Z1aPf", 8, 5000), launch("_Z1aPf", 9, 5000)};
  EXPECT_EQ(find(compared(run, kernels), "ffma").verdict(), Verdict::agrees);

  Measurement forward = point("_Z1aPf", 8, 2);
  forward.point.axes.set("path", "forward");
  Measurement backward = point("_Z1aPf", 8, 1, 3);
  backward.point.axes.set("path", "backward");
  backward.counters.insert_or_assign("ffma", CounterValue::measured(7000));
  kernels = {launch("_Z1aPf", 8, 5000), launch("_Z1aPf", 8, 7000)};
  for (const Agreement& agreement : compared(run_of({forward, backward}), kernels)) {
    if (agreement.quantity != "ffma") continue;
    EXPECT_EQ(agreement.verdict(), Verdict::agrees) << agreement.subject;
  }
}

TEST(ProfiledLaunches, TakesALaunchOfThisShapeWhereTheOrderIsAnother) {
  const auto run = run_of({point("_Z1aPf", 9, 1)});
  const auto agreements =
      compared(run, {launch("_Z1aPf", 8, 1), launch("a(float *)", 9), launch("_Z1bPf", 9, 1)});
  EXPECT_EQ(find(agreements, "ffma").verdict(), Verdict::agrees);
  EXPECT_THAT(compared(run, {launch("_Z1aPf", 8)}),
              ElementsAre(testing::Field(&Agreement::quantity, "time")));
}

TEST(ProfiledLaunches, TimesOfKernelsThatOverlapAreListed) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.launches->overlapped_s = 0.5;
  const Agreement agreement = find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "time");
  EXPECT_THAT(agreement.reference.reason(), HasSubstr("other kernels ran alongside it"));
}

TEST(ProfiledLaunches, TimesMayDifferAsLaunchesDo) {
  Measurement measurement = point("_Z1aPf", 8, 1);
  measurement.time->median_s = 90e-6;
  EXPECT_EQ(find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "time").verdict(), Verdict::agrees);
  measurement.launches->p95_s = 90e-6;
  EXPECT_EQ(find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "time").verdict(), Verdict::differs);
  measurement.launches->p95_s = 180e-6;
  EXPECT_EQ(find(compared(run_of({measurement}), {launch("_Z1aPf", 8)}), "time").reference.reason(),
            "102 µs; its launches differ by 100 %, and ncu counted only one of them");
}

TEST(ProfiledLaunches, AGraphIsListed) {
  Measurement graph = point("CUDA graph 1", 8, 1);
  graph.launches->symbol.clear();
  const ChosenPoints chosen = choose_points(run_of({graph}));
  EXPECT_THAT(chosen.points, SizeIs(0));
  EXPECT_THAT(chosen.left_out.front().reference.reason(), HasSubstr("CUDA graph"));
}

}  // namespace
}  // namespace rooflinectl::profiled_launches_test
