// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reports/model/report_model.h"
#include "tests/golden/golden_run.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::chart_model_test {
namespace {

ChartModel first_chart(const Run& run) {
  return chart_model(run, analyse(run).experiments.front());
}

const ChartPoint& point_named(const ChartModel& chart, std::string_view label) {
  for (const ChartPoint& point : chart.points) {
    if (point.label == label) return point;
  }
  throw std::out_of_range(std::string(label));
}

TEST(ChartModel, AxesComeFromTheCeilings) {
  auto run = constructed::run();
  const ChartModel fast = first_chart(run);
  for (Measurement& measurement : run.measurements) measurement.time->median_s *= 1.5;
  const ChartModel slow = first_chart(run);
  EXPECT_EQ(fast.axes.ai.low, slow.axes.ai.low);
  EXPECT_EQ(fast.axes.ai.high, slow.axes.ai.high);
  EXPECT_EQ(fast.axes.flop_per_s.low, slow.axes.flop_per_s.low);
  EXPECT_EQ(fast.axes.flop_per_s.high, slow.axes.flop_per_s.high);
}

TEST(ChartModel, AxesGrowByDecadesForAPointThatWouldFallOff) {
  auto run = constructed::run();
  const double low = first_chart(run).axes.flop_per_s.low;
  for (Measurement& measurement : run.measurements) measurement.time = constructed::time(10);
  EXPECT_NEAR(first_chart(run).axes.flop_per_s.low, low / 100, low / 1e6);
}

TEST(ChartModel, RidgesLieWhereTheReadRoofMeetsTheComputeRoofs) {
  const ChartModel chart = first_chart(constructed::run());
  ASSERT_EQ(chart.ridges.size(), 2U);
  EXPECT_NEAR(chart.ridges[0].ai, 65.0e12 / 4579e9, 1e-9);
  EXPECT_NEAR(chart.ridges[1].ai, 32.5e12 / 4579e9, 1e-9);
}

TEST(ChartModel, RoofsAreNamedWithTheirValue) {
  std::vector<std::string> names;
  for (const RoofLine& roof : first_chart(constructed::run()).roofs) names.push_back(roof.text);
  EXPECT_THAT(names, testing::ElementsAre("DRAM peak 4.81 TB/s", "DRAM write 4.60 TB/s",
                                          "DRAM read 4.58 TB/s", "DRAM copy 4.23 TB/s",
                                          "FP32 FMA peak 66.9 TFLOP/s", "FP32 FMA 65.0 TFLOP/s",
                                          "FP32 ADD peak 33.5 TFLOP/s", "FP32 ADD 32.5 TFLOP/s"));
}

TEST(ChartModel, TheLinkToTheHostIsNoRoof) {
  auto run = constructed::run();
  const std::size_t roofs = all_roofs(run, {}).size();
  run.ceilings.push_back(constructed::ceiling("pcie_h2d", CeilingKind::transfer, CeilingSource::measured,
                                              "pcie", "h2d", 55e9, "constructed"));
  EXPECT_EQ(all_roofs(run, {}).size(), roofs);
  EXPECT_EQ(first_chart(run).roofs.size(), first_chart(constructed::run()).roofs.size());
}

TEST(ChartModel, ExecutedMarksOnlyWhereTheyDiffer) {
  const ChartModel chart = first_chart(constructed::run());
  EXPECT_TRUE(point_named(chart, "V5").executed);
  EXPECT_FALSE(point_named(chart, "V3").executed);
  EXPECT_FALSE(point_named(chart, "V8").executed) << "1 % apart";
}

TEST(ChartModel, TheDetailLeavesOutWhatLiesFarAway) {
  const ChartModel chart = first_chart(constructed::run());
  ASSERT_TRUE(chart.detail);
  EXPECT_GT(chart.detail->flop_per_s.low, point_named(chart, "atomic").useful->flop_per_s);
  EXPECT_LT(chart.detail->flop_per_s.low, point_named(chart, "V0").useful->flop_per_s);
  EXPECT_GT(chart.detail->flop_per_s.high, point_named(chart, "V8").useful->flop_per_s);
}

TEST(ChartModel, MissingNumbersAreDashesAndNeverZero) {
  auto run = constructed::run();
  for (Measurement& measurement : run.measurements) measurement.counters.clear();
  run.measurements[3].time.reset();
  const ChartModel chart = first_chart(run);
  const ChartPoint& point = chart.points[3];
  EXPECT_FALSE(point.useful);
  for (const std::string* text : {&point.time, &point.dram_bytes_per_element, &point.warp_efficiency,
                                  &point.nonpred_warp_efficiency, &point.redundancy}) {
    EXPECT_EQ(*text, "–");
  }
}

TEST(ChartModel, StatesHowItsNumbersWereObtained) {
  auto run = constructed::run();
  EXPECT_EQ(first_chart(run).provenance, "measured; executed work not counted: atomic");
  run.source = RunSource::replayed;
  EXPECT_EQ(first_chart(run).provenance, "replayed; executed work not counted: atomic");
  run.measurements[3].counters.clear();
  EXPECT_EQ(first_chart(run).provenance,
            "replayed; declared, not counted: V3; executed work not counted: atomic");
  for (Measurement& measurement : run.measurements) measurement.counters.clear();
  EXPECT_EQ(first_chart(run).provenance, "times replayed; bytes and FLOPs declared, not counted");
}

TEST(ChartModel, NamesAFewOfManyPointsThatWereNotCounted) {
  auto run = constructed::run();
  Analysis analysis = analyse(run);
  ExperimentAnalysis& experiment = analysis.experiments.front();
  const auto unseen = std::find_if(experiment.points.begin(), experiment.points.end(),
                                   [](const RooflinePoint& point) { return point.label == "atomic"; });
  ASSERT_NE(unseen, experiment.points.end());
  const RooflinePoint atomic = *unseen;
  experiment.points.assign(10, atomic);
  EXPECT_EQ(provenance(run, experiment),
            "measured; executed work not counted: atomic, atomic, atomic, atomic, atomic, atomic, atomic, "
            "atomic and 2 more");
}

TEST(ChartModel, NamesPointsThatAreNotOnTheChart) {
  auto run = constructed::run();
  Analysis analysis = analyse(run);
  ExperimentAnalysis& experiment = analysis.experiments.front();
  RooflinePoint copy = experiment.points.front();
  copy.label = "copy";
  copy.ai_useful.reset();
  copy.ai_executed = 0;
  experiment.points = {experiment.points.front(), copy};
  EXPECT_EQ(provenance(run, experiment), "measured; no FLOP, so not on the chart: copy");
}

TEST(ChartModel, AFailedPointIsNotCalledDeclared) {
  auto run = constructed::run();
  run.measurements[3].counters.clear();
  run.measurements[3].time.reset();
  EXPECT_EQ(first_chart(run).provenance, "measured; executed work not counted: atomic");
}

TEST(ChartModel, SubtitleNamesDeviceDateDriverCachesSizesAndTypes) {
  const auto run = constructed::run();
  const Analysis analysis = analyse(run);
  EXPECT_EQ(chart_model(run, analysis.experiments[1]).subtitle,
            "NVIDIA H200  ·  2026-01-02 03:04 UTC  ·  driver 580.159.04  ·  cold cache  ·  n = 2^20, 2^25  "
            "·  f32, f16  ·  timed launch by launch");
}

TEST(ChartModel, SubtitleDoesNotListManySizes) {
  auto run = constructed::run();
  const auto& points = run.plan.experiments[0].points;
  ASSERT_GE(points.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    run.plan.experiments[0].points[i].axes.set(axis::kSize, std::uint64_t{1} << (10 + i));
    run.measurements[i].point.axes.set(axis::kSize, std::uint64_t{1} << (10 + i));
  }
  EXPECT_THAT(first_chart(run).subtitle, testing::HasSubstr("n = 2^10 … 2^28 (6 sizes)"));
}

TEST(ChartModel, AbsurdValuesAreNotDrawn) {
  auto run = constructed::run();
  const ChartModel sound = first_chart(run);
  run.measurements[0].time = constructed::time(1e308);
  run.measurements[1].time = constructed::time(1e-308);
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.source == CeilingSource::theoretical) ceiling.value = 1e-308;
  }
  const ChartModel chart = first_chart(run);
  EXPECT_FALSE(chart.points[0].useful);
  EXPECT_FALSE(chart.points[1].useful);
  EXPECT_EQ(sound.roofs.size(), 8U);
  EXPECT_EQ(chart.roofs.size(), 5U) << "three peaks";
  EXPECT_EQ(chart.axes.flop_per_s.low, sound.axes.flop_per_s.low);
}

TEST(ChartModel, AnAbsurdRoofHasNoRidge) {
  auto run = constructed::run();
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.kind == CeilingKind::bandwidth) ceiling.value = 1e-308;
  }
  EXPECT_TRUE(first_chart(run).ridges.empty());
}

TEST(ChartModel, AFlagIsNotABound) {
  auto run = constructed::run();
  run.measurements[0].time->noisy = true;
  run.measurements[1].status = Status::failed;
  const ChartModel chart = first_chart(run);
  EXPECT_EQ(chart.points[0].bound, "latency");
  EXPECT_TRUE(chart.points[0].is_flagged);
  EXPECT_THAT(chart.flags, testing::HasSubstr("noisy: V0"));
  EXPECT_THAT(chart.flags, testing::HasSubstr("failed: V1"));
  EXPECT_EQ(chart.points[2].bound, "latency");
}

std::vector<std::string> roof_names(const ChartModel& chart) {
  std::vector<std::string> names;
  for (const RoofLine& roof : chart.roofs) names.push_back(roof.text);
  return names;
}

/// The first experiment of a run with every level and ceiling.
const Run& full_run() {
  static const Run run = constructed::with_levels(constructed::run());
  return run;
}

const ExperimentAnalysis& full_experiment() {
  static const Analysis analysis = analyse(full_run());
  return analysis.experiments.front();
}

TEST(ChartModel, DrawsTheRoofsThatApplyToItsPoints) {
  EXPECT_EQ(roof_names(first_chart(full_run())), roof_names(first_chart(constructed::run())))
      << "no other level, no triad, no other precision, no Tensor Cores";
}

TEST(ChartModel, PrecisionsCanBeChosen) {
  const ChartModel chart =
      chart_model(full_run(), full_experiment(), {.levels = {}, .precisions = {"tf32", "f64"}});
  const std::vector<std::string> names = roof_names(chart);
  EXPECT_THAT(names, testing::Contains("TF32 Tensor Core 420 TFLOP/s"));
  EXPECT_THAT(names, testing::Contains("FP64 FMA 33.0 TFLOP/s"));
  EXPECT_THAT(names, testing::Not(testing::Contains(testing::StartsWith("F32"))));
}

TEST(ChartModel, OperationsOfIntegersAreNotCalledFlops) {
  const auto run = constructed::of_integers(full_run());
  const ChartModel chart = first_chart(run);
  EXPECT_EQ(chart.operations, "OP");
  EXPECT_THAT(roof_names(chart), testing::Contains("INT32 ADD 16.5 TOP/s"));
  EXPECT_THAT(roof_names(chart), testing::Not(testing::Contains(testing::HasSubstr("FLOP"))));
  EXPECT_THAT(chart.points[3].title,
              testing::AllOf(testing::HasSubstr("GOP/s useful"), testing::HasSubstr("OP/byte, "),
                             testing::Not(testing::HasSubstr("FLOP"))));
  EXPECT_EQ(first_chart(full_run()).operations, "FLOP");
}

TEST(LevelsModel, HoldsTheMeasuredReadRoofOfEveryLevel) {
  EXPECT_THAT(roof_names(levels_model(full_run(), full_experiment())),
              testing::ElementsAre("shared read 33.0 TB/s", "L1 read 31.0 TB/s", "L2 read 9.90 TB/s",
                                   "DRAM read 4.58 TB/s", "FP32 FMA 65.0 TFLOP/s", "FP32 ADD 32.5 TFLOP/s"));
}

TEST(LevelsModel, AMarkLiesAtTheIntensityOfItsLevel) {
  const RooflinePoint& point = full_experiment().points[3];
  const ChartPoint chart = levels_model(full_run(), full_experiment()).points[3];
  ASSERT_EQ(chart.levels.size(), 4U);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    EXPECT_EQ(chart.levels[i].level, point.levels[i].level);
    EXPECT_EQ(chart.levels[i].at->ai, point.flops_useful / point.levels[i].bytes);
    EXPECT_EQ(chart.levels[i].at->flop_per_s, point.flop_per_s);
    EXPECT_EQ(chart.levels[i].is_limiting, point.busiest_level == point.levels[i].level);
  }
}

TEST(LevelsModel, LevelsCanBeChosen) {
  const ChartModel chart = levels_model(full_run(), full_experiment(),
                                        {.levels = {MemoryLevel::l2, MemoryLevel::shared}, .precisions = {}});
  EXPECT_THAT(roof_names(chart), testing::ElementsAre("shared read 33.0 TB/s", "L2 read 9.90 TB/s",
                                                      "FP32 FMA 65.0 TFLOP/s", "FP32 ADD 32.5 TFLOP/s"));
  EXPECT_EQ(chart.points[3].levels.size(), 2U);
}

TEST(LevelsModel, TheDetailHoldsEveryMarkOfItsPoints) {
  const ChartModel chart = levels_model(full_run(), full_experiment());
  ASSERT_TRUE(chart.detail);
  for (const ChartPoint& point : chart.points) {
    if (point.useful->flop_per_s < chart.detail->flop_per_s.low) continue;
    for (const LevelMark& mark : point.levels) {
      EXPECT_GT(mark.at->ai, chart.detail->ai.low) << point.label;
      EXPECT_LT(mark.at->ai, chart.detail->ai.high) << point.label;
    }
  }
}

TEST(LevelsModel, TheDetailIsAPartOfTheAxes) {
  // In shared memory its points have an intensity that no roof's ridge comes near.
  const auto run = recorded_run("ladder-h200");
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    const ChartModel chart =
        levels_model(run, experiment, {.levels = {MemoryLevel::l2, MemoryLevel::shared}});
    if (!chart.detail) continue;
    EXPECT_GE(chart.detail->ai.low, chart.axes.ai.low) << experiment.name;
    EXPECT_LE(chart.detail->ai.high, chart.axes.ai.high) << experiment.name;
    EXPECT_GE(chart.detail->flop_per_s.low, chart.axes.flop_per_s.low) << experiment.name;
    EXPECT_LE(chart.detail->flop_per_s.high, chart.axes.flop_per_s.high) << experiment.name;
  }
}

TEST(LevelsModel, IsDrawnOnlyWhereMoreThanDramWasCounted) {
  EXPECT_TRUE(has_levels(full_experiment()));
  EXPECT_FALSE(has_levels(analyse(constructed::run()).experiments.front()));
}

TEST(CeilingsModel, NamesTheDeviceWhereThereAreSeveral) {
  auto run = constructed::empty_run();
  EXPECT_EQ(ceilings_model(run).title, "Ceilings of NVIDIA H200");
  run.devices.resize(2, run.devices[0]);
  EXPECT_EQ(ceilings_model(run).title, "Ceilings, device 0: NVIDIA H200");
}

TEST(CeilingsModel, HasOneUnitPerAxisAndAColourPerKind) {
  const ChartModel chart = ceilings_model(constructed::with_levels(constructed::empty_run()));
  EXPECT_EQ(chart.operations, "OP");
  std::set<std::size_t> kinds;
  for (const RoofLine& roof : chart.roofs) {
    EXPECT_THAT(roof.text, testing::Not(testing::HasSubstr("FLOP")));
    kinds.insert(roof.family.value());
  }
  EXPECT_EQ(kinds.size(), kRoofKinds.size());
}

TEST(CeilingsModel, HoldsReadRoofsAndComputeRoofs) {
  const std::vector<std::string> names =
      roof_names(ceilings_model(constructed::with_levels(constructed::empty_run())));
  for (const char* name :
       {"DRAM peak 4.81 TB/s", "L2 read 9.90 TB/s", "L2 read peak 10.8 TB/s", "FP8 Tensor Core 1.65 POP/s",
        "INT8 Tensor Core peak 1.93 POP/s", "INT32 ADD 16.5 TOP/s"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
  EXPECT_THAT(names, testing::Not(testing::Contains(testing::HasSubstr("write"))));
}

/// The constructed run on two devices: the second has half the bandwidths and takes twice the time.
Run on_two_devices() {
  auto run = constructed::run();
  run.devices.push_back(run.devices[0]);
  const Run first = run;
  for (Ceiling ceiling : first.ceilings) {
    ceiling.device = 1;
    if (ceiling.kind == CeilingKind::bandwidth) ceiling.value /= 2;
    run.ceilings.push_back(ceiling);
  }
  for (Measurement measurement : first.measurements) {
    measurement.device = 1;
    if (measurement.time) measurement.time->median_s *= 2;
    run.measurements.push_back(measurement);
  }
  return run;
}

TEST(TwoDevices, EachHasItsPointsUnderItsOwnRoofs) {
  const auto run = on_two_devices();
  const ReportModel report(run);
  ASSERT_EQ(report.experiments.size(), 4U);
  const ExperimentReport& first = report.experiments[0];
  const ExperimentReport& second = report.experiments[1];
  EXPECT_EQ(first.analysis->name, "ladder_device0");
  EXPECT_EQ(second.analysis->name, "ladder_device1");
  EXPECT_THAT(second.chart.title, testing::EndsWith(", device 1: NVIDIA H200"));
  EXPECT_THAT(roof_names(first.chart), testing::Contains("DRAM read 4.58 TB/s"));
  EXPECT_THAT(roof_names(second.chart), testing::Contains("DRAM read 2.29 TB/s"));
  EXPECT_THAT(roof_names(second.chart), testing::Not(testing::Contains("DRAM read 4.58 TB/s")));
  EXPECT_EQ(first.analysis->points.size(), second.analysis->points.size());
  for (const LadderStep& step : second.analysis->steps) {
    EXPECT_EQ(step.from->measurement->device, 1U);
    EXPECT_EQ(step.to->measurement->device, 1U);
  }
  EXPECT_NEAR(*second.analysis->points[3].fraction_of_roofline,
              *first.analysis->points[3].fraction_of_roofline, 1e-9);
  EXPECT_EQ(device_text(run), "2 × NVIDIA H200");
}

TEST(TwoDevices, AreNamedIfTheirModelsDiffer) {
  auto run = on_two_devices();
  run.devices[1].name = "NVIDIA H100";
  EXPECT_EQ(device_text(run), "NVIDIA H200, NVIDIA H100");
  EXPECT_THAT(ReportModel(run).experiments[1].chart.subtitle, testing::StartsWith("NVIDIA H100"));
}

TEST(TwoDevices, AnExperimentOnOneOfThemKeepsItsName) {
  auto run = on_two_devices();
  std::erase_if(run.measurements, [](const Measurement& measurement) { return measurement.device == 0; });
  const ReportModel report(run);
  ASSERT_EQ(report.experiments.size(), 2U);
  EXPECT_EQ(report.experiments[0].analysis->name, "ladder");
  EXPECT_THAT(roof_names(report.experiments[0].chart), testing::Contains("DRAM read 2.29 TB/s"));
}

}  // namespace
}  // namespace rooflinectl::chart_model_test
