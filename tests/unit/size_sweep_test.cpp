// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/size_sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "reports/draw/scene.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "tests/support/constructed_run.h"
#include "tests/support/readable_scene.h"

namespace rooflinectl::size_sweep_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two sums, of which the second is a reference and half as fast, at sizes from 2^10 on, in both types and
/// cache states.
Run sweep_run(int sizes) {
  Run run = constructed::empty_run();
  run.catalogue.variants[9].label = "ours";
  run.catalogue.variants[10].label = "theirs";
  run.catalogue.variants[10].family = "reference";
  Experiment experiment{.name = "sweep", .title = "Sweep", .timing = {}, .points = {}};
  // The largest first: curves have to be sorted.
  for (int power = 9 + sizes; power >= 10; --power) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f16}) {
      for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
        for (const std::size_t variant : {9, 10}) {
          PointId id = constructed::point_id("sweep", constructed::variants()[variant], dtype, power);
          id.axes.set(axis::kCache, cache);
          experiment.points.push_back(id);
          run.measurements.push_back(constructed::measurement(constructed::variants()[variant], id));
          run.measurements.back().time = constructed::time((variant == 9 ? 1e-6 : 2e-6) * power);
        }
      }
    }
  }
  run.plan.experiments = {experiment};
  return run;
}

TEST(SizeSweep, TakesFourSizesOfOneVersion) {
  const auto three = sweep_run(3);
  EXPECT_FALSE(has_size_sweep(analyse(three).experiments.front()));
  const auto four = sweep_run(4);
  EXPECT_TRUE(has_size_sweep(analyse(four).experiments.front()));
}

TEST(SizeSweep, TakesOnlyWhatWasTimed) {
  auto run = sweep_run(4);
  for (Measurement& measurement : run.measurements) {
    if (size_of(measurement.point) == 1024) measurement.time.reset();
  }
  EXPECT_FALSE(has_size_sweep(analyse(run).experiments.front()));
}

TEST(SizeSweep, HasAPanelPerTypeAndACurvePerVersionAndCacheState) {
  const auto run = sweep_run(5);
  const Analysis analysis = analyse(run);
  const SizeSweep sweep = size_sweep(run, analysis.experiments.front());
  EXPECT_THAT(sweep.versions, testing::ElementsAre("ours", "theirs"));
  ASSERT_EQ(sweep.panels.size(), 2U);
  EXPECT_EQ(sweep.panels[1].dtype, Dtype::f16);
  for (const SweepPanel& panel : sweep.panels) {
    ASSERT_EQ(panel.curves.size(), 4U);
    for (const SweepCurve& curve : panel.curves) {
      ASSERT_EQ(curve.points.size(), 5U);
      EXPECT_TRUE(std::is_sorted(curve.points.begin(), curve.points.end(),
                                 [](const SweepPoint& a, const SweepPoint& b) { return a.n < b.n; }));
    }
  }
  // 1024 floats and a result in 10 µs.
  EXPECT_NEAR(sweep.panels[0].curves[0].points[0].bytes_per_s, 4.1e8, 0.01e8);
}

TEST(SizeSweep, IsComparedWithTheCeilingsOfItsDevice) {
  auto run = sweep_run(4);
  run.devices.push_back(run.devices[0]);
  run.devices[1].l2_bytes = 4 << 20;
  for (Measurement& measurement : run.measurements) measurement.device = 1;
  const Analysis analysis = analyse(run);
  EXPECT_EQ(size_sweep(run, analysis.experiments.front()).dram_read_bytes_per_s, std::nullopt);
  Ceiling slower = *find_ceiling(run, "dram_read", CeilingSource::measured, 0);
  slower.device = 1;
  slower.value /= 2;
  run.ceilings.push_back(slower);
  const SizeSweep sweep = size_sweep(run, analysis.experiments.front());
  EXPECT_EQ(sweep.dram_read_bytes_per_s, slower.value);
  EXPECT_EQ(sweep.l2_bytes, 4 << 20);
}

TEST(SizeSweep, NamesWhatIsLaunchedOneByOne) {
  auto run = sweep_run(4);
  for (PointId& id : run.plan.experiments[0].points) id.axes.set(axis::kMode, LaunchMode::plain);
  for (Measurement& measurement : run.measurements)
    measurement.point.axes.set(axis::kMode, LaunchMode::plain);
  const Analysis analysis = analyse(run);
  EXPECT_THAT(size_sweep(run, analysis.experiments.front()).versions,
              testing::ElementsAre("ours plain", "theirs plain"));
}

TEST(SizeSweep, SpeedIsTheTimeOfTheReferenceOverThatOfTheVersion) {
  const auto run = sweep_run(4);
  const Analysis analysis = analyse(run);
  const auto tables = speed_tables(run, analysis.experiments.front());
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].version, "ours");
  EXPECT_EQ(tables[0].reference, "theirs");
  ASSERT_EQ(tables[0].rows.size(), 4U);
  EXPECT_EQ(tables[0].rows.begin()->first, 1024U);
  for (const auto& [n, of_size] : tables[0].rows) {
    ASSERT_EQ(of_size.size(), 2U);
    for (const Speed& speed : of_size) EXPECT_DOUBLE_EQ(speed.factor.value(), 2);
  }
}

TEST(SizeSweep, EachBlockSizeHasACurveAndATable) {
  auto run = sweep_run(4);
  const std::vector<Measurement> measurements = run.measurements;
  for (Measurement other : measurements) {
    if (other.point.subject != constructed::variants()[9].id) continue;
    other.point.axes.set(axis::kBlock, 512);
    other.time = constructed::time(other.time->median_s / 4);
    run.plan.experiments[0].points.push_back(other.point);
    run.measurements.push_back(other);
  }
  const Analysis analysis = analyse(run);
  const SizeSweep sweep = size_sweep(run, analysis.experiments.front());
  EXPECT_THAT(sweep.versions, testing::ElementsAre("ours b256", "theirs", "ours b512"));
  for (const SweepPanel& panel : sweep.panels) {
    EXPECT_EQ(panel.curves.size(), 6U);
    for (const SweepCurve& curve : panel.curves) EXPECT_EQ(curve.points.size(), 4U) << "no zig-zag";
  }
  std::map<std::string, double> speeds;
  for (const SpeedTable& table : speed_tables(run, analysis.experiments.front())) {
    speeds[table.version] = table.rows.begin()->second.front().factor.value();
  }
  EXPECT_DOUBLE_EQ(speeds["ours b256"], 2);
  EXPECT_DOUBLE_EQ(speeds["ours b512"], 8);
}

TEST(SizeSweep, WhatWasTimedDifferentlyHasNoSpeed) {
  auto run = sweep_run(4);
  for (Measurement& measurement : run.measurements) {
    const bool is_ours = measurement.point.subject == constructed::variants()[9].id;
    measurement.time->launches_per_sample = is_ours || size_of(measurement.point) > 1024 ? 64 : 1;
  }
  const Analysis analysis = analyse(run);
  const SpeedTable table = speed_tables(run, analysis.experiments.front()).front();
  EXPECT_EQ(speed_text(table.rows.begin()->second[0]), "timed differently");
  EXPECT_EQ(speed_text(std::next(table.rows.begin())->second[0]), "2.00×");
  EXPECT_THAT(summary_md(ReportModel(run)), HasSubstr("| 2¹⁰ | timed differently | timed differently |"));
}

TEST(SizeSweep, PictureNamesCurvesAndLimits) {
  const auto run = sweep_run(20);
  const Analysis analysis = analyse(run);
  const std::string svg = to_svg(size_sweep_scene(chart_model(run, analysis.experiments.front()),
                                                  size_sweep(run, analysis.experiments.front())));
  for (const char* text :
       {">ours<", ">theirs<", ">cold<", ">warm<", ">f16<", ">2¹⁰<", ">DRAM read 4.58 TB/s<", ">L2 "}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

/// What lies in one group of a picture, `curve-mark` or `axes`.
std::vector<const Group*> groups_of(const Scene& scene, std::string_view name) {
  std::vector<const Group*> groups;
  for (const Group& group : scene.groups) {
    if (group.name == name) groups.push_back(&group);
  }
  return groups;
}

TEST(SizeSweep, AnAxisOfBandwidthsThatDifferLittleShowsTheDifference) {
  auto run = sweep_run(4);
  for (Measurement& measurement : run.measurements) {
    // 4.0 to 4.4 TB/s, under a ceiling of 4.6.
    const double rate = measurement.point.subject == constructed::variants()[9].id ? 4.4e12 : 4.0e12;
    measurement.time = constructed::time(measurement.work.bytes() / rate);
  }
  const Analysis analysis = analyse(run);
  const Scene scene = size_sweep_scene(chart_model(run, analysis.experiments.front()),
                                       size_sweep(run, analysis.experiments.front()));
  Range heights{1e9, 0};
  Box frame;
  for (const Group* mark : groups_of(scene, "curve-mark")) {
    frame = *mark->clip;
    const Box all = std::visit(
        [](const auto& shape) -> Box {
          if constexpr (requires { shape.centre; }) return {0, shape.centre.y, 0, shape.centre.y};
          if constexpr (requires { shape.points; }) {
            return {0, shape.points.front().y, 0, shape.points.front().y};
          }
          return {};
        },
        mark->shapes.front());
    heights = {std::min(heights.low, all.top), std::max(heights.high, all.bottom)};
  }
  EXPECT_GT(heights.high - heights.low, 0.3 * frame.height());
  const std::string svg = to_svg(scene);
  EXPECT_THAT(svg, HasSubstr(">4.20 TB/s<"));
  EXPECT_THAT(svg, Not(HasSubstr(">10.0 TB/s<")));
}

TEST(SizeSweep, EveryMarkTellsItsNumbers) {
  const auto run = sweep_run(5);
  const Analysis analysis = analyse(run);
  const Scene scene = size_sweep_scene(chart_model(run, analysis.experiments.front()),
                                       size_sweep(run, analysis.experiments.front()));
  const auto marks = groups_of(scene, "curve-mark");
  ASSERT_EQ(marks.size(), 2U * 4U * 5U);
  EXPECT_EQ(marks.front()->title, "ours cold, 2¹⁰ elements: 410 MB/s");
}

TEST(SizeSweep, ANarrowPictureHasTwoPanelsInARowAndCutsNothing) {
  const auto run = sweep_run(20);
  const Analysis analysis = analyse(run);
  SizeSweep sweep = size_sweep(run, analysis.experiments.front());
  while (sweep.panels.size() < 5) sweep.panels.push_back(sweep.panels.front());
  const Scene scene = size_sweep_scene(chart_model(run, analysis.experiments.front()), sweep, Extent::narrow);
  EXPECT_LE(scene.width, 960);
  expect_readable(scene);
}

TEST(SizeSweep, OfManySizesTheRooflineAndTheTablesHaveTheBestOfEachVersion) {
  const auto run = sweep_run(12);
  const ReportModel report(run);
  const ExperimentReport& experiment = report.experiments.front();
  ASSERT_EQ(experiment.analysis->points.size(), 96U);
  const ChartModel& chart = experiment.main_chart();
  EXPECT_EQ(chart.list_title, "Best size of each");
  ASSERT_EQ(chart.points.size(), 8U) << "two versions, two types, two cache states";
  for (const ChartPoint& point : chart.points) EXPECT_THAT(point.label, HasSubstr("2^21"));
  const std::vector<std::size_t> notable = notable_points(*experiment.analysis, 40);
  std::map<std::uint64_t, int> sizes;
  for (const std::size_t i : notable) {
    ++sizes[size_of(experiment.analysis->points[i].measurement->point).value()];
  }
  // Twice as many elements take hardly longer: 2^20 is the smallest size that is half as fast as 2^21.
  EXPECT_THAT(sizes, testing::ElementsAre(testing::Pair(1U << 20, 8), testing::Pair(1U << 21, 8)));
  const auto few = sweep_run(4);
  EXPECT_FALSE(ReportModel(few).experiments.front().chosen);
}

TEST(SizeSweep, LegendExplainsTheLinesHoweverManyVersionsThereAre) {
  const auto run = sweep_run(4);
  const Analysis analysis = analyse(run);
  const ChartModel chart = chart_model(run, analysis.experiments.front());
  SizeSweep sweep = size_sweep(run, analysis.experiments.front());
  for (int i = 0; i < 13; ++i) sweep.versions.push_back(fmt::format("another version {}", i));
  const std::string few = to_svg(size_sweep_scene(chart, sweep));
  for (const char* text : {">cold<", ">warm<", ">ours<", ">another version 12<"}) {
    EXPECT_THAT(few, HasSubstr(text));
  }
  for (int i = 13; i < 100; ++i) sweep.versions.push_back(fmt::format("another version {}", i));
  const std::string many = to_svg(size_sweep_scene(chart, sweep));
  EXPECT_THAT(many, HasSubstr(">warm<"));
  EXPECT_THAT(many, Not(HasSubstr(">another version 99<")));
}

TEST(SizeSweep, SummaryShowsPictureAndSpeeds) {
  const auto run = sweep_run(4);
  const std::string summary = summary_md(ReportModel(run));
  EXPECT_THAT(summary, HasSubstr("(summary_bandwidth-sweep.png)](bandwidth-sweep.png)"));
  EXPECT_THAT(summary, HasSubstr("**Speed-up of ours over theirs, cold**"));
  EXPECT_THAT(summary, HasSubstr("| 2¹⁰ | 2.00× | 2.00× |"));
  const auto few = sweep_run(3);
  EXPECT_THAT(summary_md(ReportModel(few)), Not(HasSubstr("bandwidth-sweep")));
}

}  // namespace
}  // namespace rooflinectl::size_sweep_test
