// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/devices_together.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/program/recoverable.h"
#include "analysis/roofline/point.h"
#include "core/counters/counters.h"
#include "reports/model/report_model.h"
#include "reports/page/page.h"
#include "reports/tables/tables.h"
#include "tests/support/program_run.h"

namespace rooflinectl::devices_together_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// A kernel on one device, which takes from 1 to 3 times `shortest_s`, as often each.
Measurement group(std::size_t device, const std::string& kernel, double shortest_s, std::uint64_t count,
                  double dram_bytes) {
  Measurement measurement;
  measurement.point = {.experiment = "train", .subject = kernel, .axes = {}};
  measurement.point.axes.set(axis::kGrid, std::uint64_t{132});
  measurement.device = device;
  measurement.rank = static_cast<int>(device);
  measurement.process = 100 + static_cast<int>(device);
  measurement.time = TimeResult{.median_s = 2 * shortest_s,
                                .ci_low_s = 1.9 * shortest_s,
                                .ci_high_s = 2.1 * shortest_s,
                                .samples_s = {shortest_s, 2 * shortest_s, 3 * shortest_s}};
  const auto launches = static_cast<double>(count);
  measurement.launches = LaunchStatistics{
      .symbol = kernel, .count = count, .traced = count, .total_s = launches * 2 * shortest_s, .counted = 3};
  measurement.counters = {{"dram_read_bytes", CounterValue::measured(dram_bytes)},
                          {"dram_write_bytes", CounterValue::measured(0)},
                          {"ffma", CounterValue::unavailable("not counted")}};
  measurement.counter_repeats = 3;
  return measurement;
}

DeviceUse use_of(std::size_t device, double span_s, double busy_s) {
  return {.device = device,
          .span_s = span_s,
          .busy_s = busy_s,
          .kernel_s = busy_s,
          .undisturbed = UndisturbedUse{
              .busy_s = busy_s, .gaps = {{.below_s = 5e-6, .count = 10, .total_s = span_s - busy_s}}}};
}

/// Two ranks on two H200s: the second launches `gemm` three times as often, and it alone `copy`.
Run run_of_two() {
  Run run;
  run.devices.resize(2);
  for (DeviceInfo& device : run.devices) device.name = "NVIDIA H200";
  for (std::size_t device = 0; device < 2; ++device) {
    run.ceilings.push_back({.id = "dram_read",
                            .subject = "dram",
                            .operation = "read",
                            .value = device == 0 ? 4e12 : 4.4e12,
                            .device = device});
  }
  Application& application = run.application.emplace();
  application.hosts = {{.name = "node", .boot_id = "a", .clock_ns = 0, .uncertainty_s = 0}};
  for (int rank = 0; rank < 2; ++rank) {
    application.processes.push_back({.id = 100 + rank,
                                     .rank = rank,
                                     .ranks = 2,
                                     .host = 0,
                                     .devices = {static_cast<std::size_t>(rank)},
                                     .collectives = {}});
  }
  application.devices = {use_of(0, 1, 0.75), use_of(1, 1, 0.5)};
  application.transfers = {
      {.device = 0, .kind = TransferKind::set, .count = 1, .bytes = 10, .total_s = 1e-3},
      {.device = 1, .kind = TransferKind::set, .count = 2, .bytes = 30, .total_s = 2e-3}};
  run.measurements = {group(0, "gemm", 1e-3, 100, 1e6), group(1, "gemm", 2e-3, 300, 2e6),
                      group(1, "copy", 1e-4, 50, 5e6)};
  return run;
}

TEST(DevicesTogether, AreOnePointForEachKernel) {
  const auto run = run_of_two();
  const auto together = devices_together(run);
  ASSERT_TRUE(together.has_value());
  EXPECT_EQ(together->title, "train, ranks 0, 1 together: 2 × NVIDIA H200");
  ASSERT_THAT(together->run.measurements, SizeIs(2));

  const Measurement& gemm = together->run.measurements.front();
  EXPECT_EQ(gemm.point.experiment, "train_together");
  EXPECT_EQ(gemm.launches->count, 400);
  EXPECT_DOUBLE_EQ(gemm.launches->total_s, 100 * 2e-3 + 300 * 4e-3);
  // The median of a quarter of the launches is 2 ms, of the others 4 ms; a third of these take 6 ms.
  EXPECT_DOUBLE_EQ(gemm.time->median_s, 3.5e-3);
  EXPECT_DOUBLE_EQ(gemm.launches->p95_s, 6e-3);
  EXPECT_DOUBLE_EQ(gemm.time->ci_low_s, 0.95 * 3.5e-3);
  EXPECT_DOUBLE_EQ(gemm.time->ci_high_s, 1.05 * 3.5e-3);
  EXPECT_EQ(gemm.counters.at("dram_read_bytes"), CounterValue::measured(1.75e6));
  EXPECT_EQ(gemm.counters.at("ffma").reason(), "not counted");
  EXPECT_NEAR(gemm.counter_spread.at("dram_read_bytes"), 1 / 1.75, 1e-12);
  EXPECT_EQ(gemm.counter_repeats, 6);
  EXPECT_EQ(gemm.launches->counted, 6);
}

TEST(DevicesTogether, AreSumsOfWhatTheyDid) {
  const auto run = run_of_two();
  const auto together = devices_together(run);
  const ExperimentAnalysis experiment = analyse(*together);
  EXPECT_EQ(experiment.gpus, 2);
  const auto program = program_use(together->run, experiment);
  EXPECT_THAT(program->busy_share(), testing::Optional(DoubleNear(1.25 / 2, 1e-12)));
  EXPECT_EQ(program->idle->undisturbed->gaps.front().count, 20);
  EXPECT_EQ(program->launches, 450);
  ASSERT_THAT(program->transfers, SizeIs(1));
  EXPECT_EQ(program->transfers.front().use->bytes, 40);
  EXPECT_THAT(
      program_sentences(together->run, *program),
      AllOf(Contains("Launches and total times are sums over 2 GPUs; the time per launch is a mean."),
            Contains("All kernels are compared with the roofs of device 0; the timeline and PyTorch's "
                     "operators are shown for each device."),
            Not(Contains(HasSubstr("more GPUs")))));
  EXPECT_EQ(experiment.points.front().levels.front().ceiling, "dram_read");
  EXPECT_DOUBLE_EQ(*experiment.points.front().levels.front().utilisation, 1.75e6 / 3.5e-3 / 4e12);
}

TEST(DevicesTogether, HaveTheTimesAndCountersOfThoseThatHaveThem) {
  auto run = run_of_two();
  Measurement& first = run.measurements[0];
  Measurement& second = run.measurements[1];
  first.time->samples_s.clear();
  first.launches->traced = 0;
  second.time.reset();
  second.launches->traced = 0;
  first.counters.insert_or_assign("dram_read_bytes", CounterValue::unavailable("busy"));
  second.counter_spread = {{"dram_read_bytes", 0.5}};
  const auto together = devices_together(run);
  const Measurement& gemm = together->run.measurements.front();
  EXPECT_DOUBLE_EQ(gemm.time->median_s, 2e-3);
  EXPECT_THAT(gemm.time->samples_s, ElementsAre(2e-3));
  EXPECT_EQ(gemm.counters.at("dram_read_bytes"), CounterValue::measured(2e6));
  EXPECT_DOUBLE_EQ(gemm.counter_spread.at("dram_read_bytes"), 0.5);
  first.time.reset();
  EXPECT_FALSE(devices_together(run)->run.measurements.front().time.has_value());
}

TEST(DevicesTogether, AreHeldAgainstTheFirstRoofsThatThereAre) {
  auto run = run_of_two();
  std::erase_if(run.ceilings, [](const Ceiling& ceiling) { return ceiling.device == 0; });
  const auto together = devices_together(run);
  const ExperimentAnalysis experiment = analyse(*together);
  EXPECT_EQ(experiment.device, 1);
  EXPECT_DOUBLE_EQ(*experiment.points.front().levels.front().utilisation, 1.75e6 / 3.5e-3 / 4.4e12);
  EXPECT_TRUE(program_use(together->run, experiment)->idle.has_value());
}

/// A step is that of one GPU: what several save in it is not a part of it.
TEST(DevicesTogether, SaveNothingPerStep) {
  auto run = constructed::program_run();
  run.devices.push_back(run.devices.front());
  run.application->processes = {{.id = 4711, .devices = {0, 1}, .collectives = {}}};
  for (std::size_t i = 0, count = run.measurements.size(); i < count; ++i) {
    run.measurements.push_back(run.measurements[i]);
    run.measurements.back().device = 1;
  }
  const auto savings = [](const ExperimentAnalysis& experiment) {
    return std::count_if(experiment.points.begin(), experiment.points.end(), [](const RooflinePoint& point) {
      return point.launches && point.launches->recoverable_per_step_s;
    });
  };
  EXPECT_GT(savings(analyse(run).experiments.front()), 0);
  const auto together = devices_together(run);
  EXPECT_EQ(savings(analyse(*together)), 0);
}

TEST(DevicesTogether, NameThemselvesAPartWhereTheProgramHadMore) {
  auto run = run_of_two();
  run.application->other_ranks = {{.point = run.measurements.front().point, .ranks = {}}};
  const auto together = devices_together(run);
  const ExperimentAnalysis experiment = analyse(*together);
  EXPECT_THAT(program_sentences(together->run, *program_use(together->run, experiment)),
              Contains("The program used more GPUs, but the run has counters for these 2 only."));
}

TEST(DevicesTogether, ComeFirstInReports) {
  const auto run = run_of_two();
  const ReportModel report(run);
  std::vector<std::string> names;
  for (const ExperimentReport& experiment : report.experiments) names.push_back(experiment.analysis->name);
  EXPECT_THAT(names, ElementsAre("train_together", "train_device0", "train_device1"));
  EXPECT_NE(report.experiments.front().run, &run);
  EXPECT_EQ(report.experiments.back().run, &run);
  // Its points are not those of run.json.
  EXPECT_THAT(page_data(report), HasSubstr(R"("measurement":null)"));
}

TEST(DevicesTogether, OfOneGpuOrOfDifferentOnesAreNone) {
  auto run = run_of_two();
  run.devices[1].name = "NVIDIA H100 80GB HBM3";
  EXPECT_FALSE(devices_together(run).has_value());
  run = run_of_two();
  run.measurements.resize(1);
  EXPECT_FALSE(devices_together(run).has_value());
  run = run_of_two();
  run.application.reset();
  EXPECT_FALSE(devices_together(run).has_value());
}

TEST(DevicesTogether, OfAProgramWithoutRanksAreNamedByDevice) {
  auto run = run_of_two();
  run.application->processes = {{.id = 100, .devices = {0, 1}, .collectives = {}}};
  for (Measurement& measurement : run.measurements) {
    measurement.rank.reset();
    measurement.process = 100;
  }
  EXPECT_EQ(devices_together(run)->title, "train, devices 0, 1 together: 2 × NVIDIA H200");
}

}  // namespace
}  // namespace rooflinectl::devices_together_test
