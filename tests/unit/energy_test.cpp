// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/roofline/point.h"
#include "core/files/files.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/draw/scene.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"
#include "reports/page/page.h"
#include "reports/reports.h"
#include "tests/support/constructed_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::energy_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// All points of the first experiment have energy, the first one 0.25 J and 400 W.
Run metered_run() {
  auto run = constructed::run();
  const std::string experiment = run.plan.experiments.front().name;
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.experiment != experiment) continue;
    measurement.energy = EnergyResult{CounterValue::measured(0.25), 400, 1.6};
  }
  return run;
}

Measurement& first(Run& run) {
  return run.measurements.front();
}

std::string svg_of(const Run& run) {
  const Analysis analysis = analyse(run);
  const ExperimentAnalysis& experiment = analysis.experiments.front();
  return to_svg(energy_scene(run, experiment, chart_model(run, experiment)));
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(EnergyUse, IsUsefulWorkOverTheEnergyOfALaunch) {
  auto run = metered_run();
  first(run).work = {.read_bytes = 4e9, .written_bytes = 1e9, .operations = {{Dtype::f32, {.flops = 1e9}}}};
  const Analysis analysis = analyse(run);
  const auto use = energy_use(analysis.experiments.front().points.front());
  ASSERT_TRUE(use);
  EXPECT_EQ(use->joules, 0.25);
  EXPECT_EQ(use->mean_power_w, 400);
  EXPECT_EQ(use->operations_per_joule, 4e9);
  EXPECT_EQ(use->bytes_per_joule, 20e9);
  EXPECT_EQ(use->joules_per_element, 0.25 / static_cast<double>(*size_of(first(run).point)));
}

TEST(EnergyUse, OfWorkWithoutOperationsHasBytesAlone) {
  auto run = metered_run();
  first(run).work.operations.clear();
  const Analysis analysis = analyse(run);
  const auto use = energy_use(analysis.experiments.front().points.front());
  ASSERT_TRUE(use);
  EXPECT_EQ(use->operations_per_joule, std::nullopt);
  EXPECT_GT(use->bytes_per_joule, 0);
}

TEST(EnergyUse, IsMissingWithItsReason) {
  auto run = metered_run();
  first(run).energy = EnergyResult{CounterValue::unavailable("no meter"), 0, 0};
  run.measurements[1].energy.reset();
  run.measurements[1].status = Status::failed;
  run.measurements[1].cause = "out of memory";
  const Analysis analysis = analyse(run);
  const auto& points = analysis.experiments.front().points;
  EXPECT_FALSE(energy_use(points[0]));
  EXPECT_EQ(energy_missing(points[0]), "no meter");
  EXPECT_FALSE(energy_use(points[1]));
  EXPECT_EQ(energy_missing(points[1]), "failed: out of memory");
  EXPECT_EQ(energy_missing(points[2]), "");
}

TEST(EnergyPicture, HasTheThreeNumbersOfEveryPoint) {
  const auto run = metered_run();
  const std::string svg = svg_of(run);
  const std::size_t points = analyse(run).experiments.front().points.size();
  EXPECT_EQ(count(svg, ">250 mJ<"), points);
  EXPECT_EQ(count(svg, ">400 W<"), points + 1) << "and a tick";
  EXPECT_EQ(count(svg, "class=\"energy\""), points);
  EXPECT_THAT(svg, HasSubstr("GFLOP/J<"));
  EXPECT_THAT(svg, Not(HasSubstr("logarithmic")));
}

TEST(EnergyPicture, StatesWhyAPointHasNone) {
  auto run = metered_run();
  first(run).energy = EnergyResult{CounterValue::unavailable("no meter"), 0, 0};
  const std::string svg = svg_of(run);
  EXPECT_THAT(svg, HasSubstr(">unavailable: no meter<"));
  EXPECT_EQ(count(svg, ">250 mJ<"), analyse(run).experiments.front().points.size() - 1);
}

TEST(EnergyPicture, WithoutAnyValueShowsOnlyReasons) {
  auto run = metered_run();
  for (Measurement& measurement : run.measurements) {
    if (measurement.energy) measurement.energy->joules = CounterValue::unavailable("no meter");
  }
  const std::string svg = svg_of(run);
  EXPECT_EQ(count(svg, ">unavailable: no meter<"), analyse(run).experiments.front().points.size());
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(EnergyPicture, ShowsBytesWhereSomeWorkHasNoOperations) {
  auto run = metered_run();
  first(run).work.operations.clear();
  const std::string svg = svg_of(run);
  EXPECT_THAT(svg, HasSubstr("GB/J<"));
  EXPECT_THAT(svg, Not(HasSubstr("FLOP/J<")));
}

TEST(EnergyPicture, OfValuesThatBarsCannotShowIsLogarithmic) {
  auto run = metered_run();
  first(run).energy->joules = CounterValue::measured(250);
  EXPECT_THAT(svg_of(run), HasSubstr(">Energy per launch, logarithmic<"));
}

TEST(EnergyPicture, ShowsThePowerLimit) {
  auto run = metered_run();
  EXPECT_THAT(svg_of(run), Not(HasSubstr("power limit")));
  run.devices[0].settings = DeviceSettings{.power_limit_w = 700};
  EXPECT_THAT(svg_of(run), HasSubstr(">power limit 700 W<"));
}

TEST(EnergyPicture, IsWrittenAndLinkedWhereEnergyWasToBeMeasured) {
  const auto run = metered_run();
  const ReportModel report(run);
  const std::string& metered = run.plan.experiments.at(0).name;
  const std::string& other = run.plan.experiments.at(1).name;
  const TemporaryFolder folder;
  write_reports(report, folder.path());
  for (const char* extension : {".png", ".svg", ".pdf"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / ("energy-" + metered + extension)));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / ("energy-" + other + extension)));
  }
  EXPECT_THAT(summary_md(report), HasSubstr("](energy-" + metered + ".png)"));
  EXPECT_THAT(summary_md(report), Not(HasSubstr("](energy-" + other + ".png)")));
  const std::string page = read_file(folder.path() / "report.html");
  EXPECT_THAT(page, HasSubstr("<figure data-name=\"energy-0\"><svg"));
  EXPECT_THAT(page, Not(HasSubstr("<figure data-name=\"energy-1\">")));
}

TEST(EnergyPicture, OfManyPointsShowsThoseThatFit) {
  auto run = metered_run();
  run.plan.experiments.resize(1);
  const Measurement model = run.measurements.front();
  run.measurements.clear();
  run.plan.experiments.front().points.clear();
  for (std::uint64_t i = 0; i < 200; ++i) {
    Measurement copy = model;
    copy.point.axes.set(axis::kSize, *size_of(copy.point) + i);
    run.plan.experiments.front().points.push_back(copy.point);
    run.measurements.push_back(copy);
  }
  const std::string svg = svg_of(run);
  EXPECT_THAT(svg, HasSubstr("more in points.csv<"));
  EXPECT_LE(count(svg, "class=\"energy\""), 41U);
}

}  // namespace
}  // namespace rooflinectl::energy_test
