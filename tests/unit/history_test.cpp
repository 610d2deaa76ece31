// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/history/history_reports.h"
#include "tests/support/changed_runs.h"

namespace rooflinectl::history_test {
namespace {

using namespace changed;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kV3 = "reduce_v3_sequential";

/// The constructed ladder, measured on this day of October, V3 with this factor.
Run run_of_day(int day, double factor = 1) {
  Run run = ladder_run();
  run.started_utc = fmt::format("2026-10-{:02}T09:30:00Z", day);
  scale_time(measurement_of(run, kV3), factor);
  return run;
}

std::vector<Run> runs_of_days(const std::vector<double>& factors) {
  std::vector<Run> runs;
  for (const double factor : factors) runs.push_back(run_of_day(static_cast<int>(runs.size()) + 1, factor));
  return runs;
}

const PointHistory& point_of(const History& history, std::string_view variant) {
  return *std::find_if(history.points.begin(), history.points.end(),
                       [&](const PointHistory& point) { return point.point.subject == variant; });
}

/// `slower`, …, and `-` where there is no verdict on the point.
std::vector<std::string> changes_of(const History& history, std::string_view variant) {
  std::vector<std::string> texts;
  for (const auto& change : point_of(history, variant).changes) {
    texts.emplace_back(change ? to_string(change->change) : "-");
  }
  return texts;
}

std::vector<std::string> names_of(const std::vector<AnalysedRun>& runs) {
  std::vector<std::string> names;
  for (const AnalysedRun& run : runs) names.push_back(run.name);
  return names;
}

std::string reason_of(const ComparableRuns& comparable, std::string_view name) {
  for (const LeftOutRun& run : comparable.left_out) {
    if (run.name == name) return run.reason;
  }
  return {};
}

HistoryReport report_of(const ComparableRuns& comparable) {
  return {history(comparable.runs), followed_quantities({"dram_read_bytes"}), comparable.left_out};
}

TEST(History, ChangesAreThoseFromTheRunBefore) {
  const auto runs = analysed(runs_of_days({1, 1.001, 1.2, 1.2, 0.9}));
  const History followed = history(runs);
  EXPECT_THAT(changes_of(followed, kV3), ElementsAre("-", "same", "slower", "same", "faster"));
  EXPECT_NEAR(point_of(followed, kV3).changes[2]->time->ratio(), 1.2 / 1.001, 1e-9);
  EXPECT_THAT(changes_of(followed, "reduce_v4_add_on_load"),
              ElementsAre("-", "same", "same", "same", "same"));
}

TEST(History, VerdictsAreThoseOfCompare) {
  const auto runs = analysed(runs_of_days({1, 1.02, 1.004, 1.011}));
  const History followed = history(runs);
  for (std::size_t run = 1; run < runs.size(); ++run) {
    const RunComparison pair = compare({&runs[run - 1], 1}, runs[run]);
    const auto point = std::find_if(pair.points.begin(), pair.points.end(),
                                    [](const PointComparison& one) { return one.point.subject == kV3; });
    EXPECT_EQ(point_of(followed, kV3).changes[run]->change, point->change);
    EXPECT_EQ(point_of(followed, kV3).changes[run]->time->lowest_ratio(), point->time->lowest_ratio());
  }
}

TEST(History, AFailureIsMarkedAndTheTimeAfterItComparedWithThatBefore) {
  auto runs = runs_of_days({1, 1, 1, 1.2});
  fail(measurement_of(runs[1], kV3), Status::failed, "wrong result");
  runs[2].measurements.clear();  // of another plan
  const auto together = analysed(std::move(runs));
  EXPECT_THAT(changes_of(history(together), kV3), ElementsAre("-", "broken", "-", "slower"));
}

TEST(History, TheEnvironmentOfARunIsThatWhichDiffersFromTheRunBefore) {
  auto runs = runs_of_days({1, 1, 1});
  for (const std::size_t run : {1, 2}) runs[run].devices[0].driver_version = "590.1";
  const auto together = analysed(std::move(runs));
  const History followed = history(together);
  EXPECT_THAT(followed.environment, ElementsAre(IsEmpty(), SizeIs(1), IsEmpty()));
  EXPECT_EQ(followed.environment[1][0].name, "driver");
  EXPECT_EQ(followed.environment[1][0].to, "590.1");
}

TEST(History, RunsAreInTheOrderInWhichTheyBegan) {
  const ComparableRuns comparable = comparable_runs(analysed({run_of_day(3), run_of_day(1), run_of_day(2)}));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 1", "run 2", "run 0"));
  EXPECT_THAT(comparable.left_out, IsEmpty());
}

TEST(History, WhatTheNewestRunCannotBeComparedWithIsLeftOut) {
  auto other_device = run_of_day(1);
  other_device.devices[0].name = "NVIDIA H100";
  auto replay = run_of_day(2);
  replay.source = RunSource::replayed;
  auto ceilings = run_of_day(9);  // newer, but without points
  ceilings.measurements.clear();
  auto other_points = run_of_day(3);
  for (Measurement& measurement : other_points.measurements) measurement.point.subject += "_other";
  const ComparableRuns comparable = comparable_runs(
      analysed({other_device, replay, ceilings, other_points, run_of_day(4), run_of_day(4), run_of_day(5)}));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 4", "run 6"));
  EXPECT_EQ(reason_of(comparable, "run 0"), "was measured on NVIDIA H100, not NVIDIA H200");
  EXPECT_EQ(reason_of(comparable, "run 1"), "is a replay, not a measurement");
  EXPECT_EQ(reason_of(comparable, "run 2"), "has no timed point in common with run 6");
  EXPECT_EQ(reason_of(comparable, "run 3"), "has no timed point in common with run 6");
  EXPECT_EQ(reason_of(comparable, "run 5"), "is the same run as run 4");
}

TEST(History, RunsOfOneSecondAreOneRunOnlyIfTheirTimesAreTheSame) {
  auto imported = run_of_day(1);  // another file of the same kernels
  scale_time(measurement_of(imported, kV3), 1.1);
  auto begun = run_of_day(1);  // a copy from before it was resumed
  begun.measurements.pop_back();
  const ComparableRuns comparable =
      comparable_runs(analysed({run_of_day(1), imported, begun, run_of_day(2)}));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 0", "run 1", "run 3"));
  EXPECT_EQ(reason_of(comparable, "run 2"), "is the same run as run 0");
}

TEST(History, ReportsOfOneSecondAreOneRunOnlyIfTheirKernelsAreTheSame) {
  const auto with = [](std::initializer_list<std::string_view> variants) {
    auto run = run_of_day(1);
    run.imports.emplace_back();
    std::erase_if(run.measurements, [&](const Measurement& m) {
      return std::ranges::find(variants, m.point.subject) == variants.end();
    });
    return run;
  };
  const ComparableRuns comparable =
      comparable_runs(analysed({with({kV3}), with({kV3, "reduce_v4_add_on_load"}), with({kV3}),
                                with({kV3, "reduce_v7_multi_add"}), run_of_day(2)}));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 0", "run 1", "run 3", "run 4"));
  EXPECT_EQ(reason_of(comparable, "run 2"), "is the same run as run 0");
}

TEST(History, RunsOfWhichEachHasPointsThatTheOtherLacksAreNotOne) {
  auto first = run_of_day(1);
  auto second = first;
  first.measurements.pop_back();
  second.measurements.erase(second.measurements.begin());
  const ComparableRuns comparable = comparable_runs(analysed({first, second, run_of_day(2)}));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 0", "run 1", "run 2"));
}

TEST(History, ARunWithoutAGpuIsOfAnUnknownOne) {
  auto imported = run_of_day(1);
  imported.devices[0].name.clear();
  const ComparableRuns comparable = comparable_runs(analysed({imported, run_of_day(2)}));
  EXPECT_EQ(reason_of(comparable, "run 0"), "was measured on an unknown GPU, not NVIDIA H200");
}

TEST(History, WhatBeganLaterIsNoBase) {
  std::vector<AnalysedRun> runs = analysed({run_of_day(1), run_of_day(2), run_of_day(3)});
  const AnalysedRun now = std::move(runs[1]);
  runs.erase(runs.begin() + 1);
  const ComparableRuns comparable = runs_comparable_with(now, std::move(runs));
  EXPECT_THAT(names_of(comparable.runs), ElementsAre("run 0"));
  EXPECT_EQ(reason_of(comparable, "run 2"), "began after run 1");
}

TEST(History, WithoutTimesThereIsNone) {
  auto replay = run_of_day(2);
  replay.source = RunSource::replayed;
  const ComparableRuns comparable = comparable_runs(analysed({replay}));
  EXPECT_THAT(comparable.runs, IsEmpty());
  EXPECT_THAT(comparable.left_out, SizeIs(1));
}

TEST(History, DevicesOfOneRunHavePointsOfTheirOwn) {
  auto second = on_two_devices(run_of_day(2));
  scale_time(
      *std::find_if(second.measurements.begin(), second.measurements.end(),
                    [](const Measurement& one) { return one.point.subject == kV3 && one.device == 1; }),
      1.3);
  const auto runs = analysed({on_two_devices(run_of_day(1)), std::move(second)});
  std::vector<std::string> marked;
  for (const PointHistory& point : history(runs).points) {
    if (marked_changes(point) > 0) marked.push_back(point.label);
  }
  EXPECT_THAT(marked, ElementsAre("V3 device 1"));
}

TEST(HistoryText, HasASparklineOfEachPointAndWhatChangedWhen) {
  ComparableRuns comparable = comparable_runs(analysed(runs_of_days({1, 1, 1.5, 1.5})));
  const std::string text = history_text(report_of(comparable), 200);
  EXPECT_THAT(text, StartsWith("4 runs, 2026-10-01 09:30 UTC to 2026-10-04 09:30 UTC\n"));
  EXPECT_THAT(text, HasSubstr("▁▁██"));
  EXPECT_THAT(text, HasSubstr("run 3: slower (+50.0 %)"));
  EXPECT_THAT(text, HasSubstr("  run 3, 2026-10-03 09:30 UTC: run 2\n    V3: slower, "));
  EXPECT_THAT(text, HasSubstr("dram_read_bytes"));
}

TEST(HistoryText, OfManyPointsThoseThatChangedAreShown) {
  auto runs = runs_of_days({1, 1.5});
  for (auto& run : runs) {
    const std::vector<Measurement> measurements = run.measurements;
    for (int copy = 0; copy < 5; ++copy) {
      for (Measurement measurement : measurements) {
        if (measurement.point.subject == kV3) continue;
        measurement.point.subject += fmt::format("_{}", copy);
        run.measurements.push_back(std::move(measurement));
      }
    }
  }
  const ComparableRuns comparable = comparable_runs(analysed(std::move(runs)));
  const HistoryReport report = report_of(comparable);
  const std::string text = history_text(report, 200);
  EXPECT_THAT(text, AllOf(HasSubstr("\nV3 "), Not(HasSubstr("\nV4 ")),
                          HasSubstr(" points without a change; --all shows them\n")));
  EXPECT_THAT(history_text(report, 200, HistoryRows::all), HasSubstr("\nV4 "));
}

TEST(HistoryCsv, HasARowForEachPointInEachRun) {
  auto runs = runs_of_days({1, 1.5});
  runs[1].host = "node7";
  fail(measurement_of(runs[1], "reduce_v4_add_on_load"), Status::failed, "wrong result");
  const ComparableRuns comparable = comparable_runs(analysed(std::move(runs)));
  const std::string csv = history_csv(report_of(comparable));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'),
            1 + static_cast<long>(2 * comparable.runs[0].run.measurements.size()));
  EXPECT_THAT(csv, StartsWith("run,name,started_utc,device,"));
  EXPECT_THAT(csv, HasSubstr(",V3,ok,"));
  EXPECT_THAT(csv, HasSubstr(",slower,1.5,"));
  EXPECT_THAT(csv, HasSubstr(",V4,failed,,,,,,broken,,,,node7\r\n"));
}

TEST(HistoryPage, ShowsWhereThePointChangedAndNoMarkupOfFiles) {
  auto runs = runs_of_days({1, 1.5});
  runs[0].host = "before";
  runs[1].host = "<script>alert(1)</script>";
  const ComparableRuns comparable = comparable_runs(analysed(std::move(runs)));
  const std::string page = history_page(report_of(comparable));
  EXPECT_THAT(page, HasSubstr("<circle class=\"marked slower\""));
  EXPECT_THAT(page, HasSubstr("<line class=\"environment\""));
  EXPECT_THAT(page, HasSubstr("host: before → &lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace rooflinectl::history_test
