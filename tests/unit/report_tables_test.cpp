// SPDX-License-Identifier: Apache-2.0
// points.csv, summary.md and the terminal's table.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "core/counters/metrics.h"
#include "core/text/printable.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/draw/scene.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/text/markup.h"
#include "reports/text/text_table.h"
#include "tests/golden/golden_run.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::report_tables_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// RFC 4180, read back.
std::vector<std::vector<std::string>> parse_csv(std::string_view csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& field = rows.back().back();
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\r') {
      rows.emplace_back(1, "");
      ++i;
    } else {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

std::size_t column(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  const auto found = std::find(rows[0].begin(), rows[0].end(), name);
  EXPECT_NE(found, rows[0].end()) << name;
  return static_cast<std::size_t>(found - rows[0].begin());
}

TEST(PointsCsv, BeginsWithThePublishedColumns) {
  EXPECT_THAT(
      points_csv(analyse(constructed::run())),
      StartsWith(
          "variant,family,dtype,n,cache,status,time_s,time_ci_low_s,time_ci_high_s,flops_useful,"
          "flops_executed,dram_bytes,dram_bytes_useful,ai_useful,ai_executed,flop_per_s,roof_flop_per_s,"
          "fraction_of_roofline,bound,warp_execution_efficiency,warp_nonpred_execution_efficiency,flags,"));
}

TEST(PointsCsv, OneRowPerPointOfTheSameLength) {
  const auto run = constructed::run();
  const auto rows = parse_csv(points_csv(analyse(run)));
  ASSERT_EQ(rows.size(), run.measurements.size() + 1);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST(PointsCsv, NumbersReadBackExactly) {
  const auto run = constructed::run();
  const auto rows = parse_csv(points_csv(analyse(run)));
  const std::size_t time = column(rows, "time_s");
  for (std::size_t i = 0; i < run.measurements.size(); ++i) {
    EXPECT_EQ(std::stod(rows[i + 1][time]), run.measurements[i].time->median_s);
  }
}

TEST(PointsCsv, AnUnavailableCounterIsAnEmptyField) {
  auto run = constructed::run();
  run.measurements[0].counters.insert_or_assign(std::string(counter::kDramReadBytes),
                                                CounterValue::unavailable("no DRAM unit"));
  const auto rows = parse_csv(points_csv(analyse(run)));
  EXPECT_EQ(rows[1][column(rows, "dram_bytes")], "");
  EXPECT_EQ(rows[1][column(rows, "ai_executed")], "");
  EXPECT_NE(rows[2][column(rows, "dram_bytes")], "");
}

TEST(PointsCsv, QuotesCommasQuotesAndNewlines) {
  auto run = constructed::run();
  run.measurements[0].cause = "first, \"second\"\r\nthird";
  const auto rows = parse_csv(points_csv(analyse(run)));
  EXPECT_EQ(rows[1][column(rows, "cause")], "first, \"second\"  third");
}

TEST(PointsCsv, HasTheLevels) {
  const auto run = constructed::with_levels(constructed::run());
  const Analysis analysis = analyse(run);
  const auto rows = parse_csv(points_csv(analysis));
  const RooflinePoint& point = analysis.experiments[0].points[0];
  ASSERT_EQ(point.busiest_level, MemoryLevel::dram);
  EXPECT_EQ(rows[1][column(rows, "busiest_level")], "dram");
  EXPECT_EQ(std::stod(rows[1][column(rows, "busiest_level_utilisation")]), point.levels[0].utilisation);
  EXPECT_EQ(std::stod(rows[1][column(rows, "ai_l2")]), point.levels[1].ai);
  EXPECT_EQ(std::stod(rows[1][column(rows, "ai_shared")]), point.levels[3].ai);
}

TEST(PointsCsv, ALevelThatWasNotCountedIsAnEmptyField) {
  const auto rows = parse_csv(points_csv(analyse(constructed::run())));
  EXPECT_EQ(rows[1][column(rows, "ai_l2")], "");
  auto run = constructed::run();
  run.measurements[0].counters.clear();
  EXPECT_EQ(parse_csv(points_csv(analyse(run)))[1][column(rows, "busiest_level")], "");
}

/// The first point four times as fast as its roof allows, and a ceiling that its counters contradict.
Run implausible_run() {
  auto run = constructed::with_levels(constructed::run());
  run.measurements[0].time = constructed::time(run.measurements[0].work.bytes() / (4 * 4579e9));
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.id == "l2_read") ceiling.confirmation = Confirmation{false, "counted 0.61 of the bytes"};
    if (ceiling.id == "l1_read") ceiling.confirmation = Confirmation{true, "counted 1.001 of the bytes"};
  }
  return run;
}

/// With plain spaces between numbers and units.
std::string summary_of(const Run& run) {
  std::string text = summary_md(ReportModel(run));
  constexpr std::string_view kNoBreak = "\u00a0";
  for (std::size_t at = text.find(kNoBreak); at != std::string::npos; at = text.find(kNoBreak)) {
    text.replace(at, kNoBreak.size(), " ");
  }
  return text;
}

TEST(SummaryMd, NamesWhatCannotBeRight) {
  const auto run = implausible_run();
  const std::string text = summary_of(run);
  EXPECT_THAT(text, HasSubstr("\n- V0: 400.0 % of roofline: "));
  EXPECT_THAT(text, HasSubstr("| 400.0 % |")) << "never clamped";
  EXPECT_THAT(text, HasSubstr("\n- L2 read: not confirmed: counted 0.61 of the bytes\n"));
  EXPECT_THAT(text, HasSubstr("| 0.2 % | no | constructed: kernel |"));
  EXPECT_THAT(text, HasSubstr("| 0.2 % | ok | constructed: kernel |"));
}

TEST(SummaryMd, NamesTheLimitingLevel) {
  const auto run = constructed::with_levels(constructed::run());
  EXPECT_THAT(summary_of(run), HasSubstr("| DRAM | DRAM 96 % |"));
}

TEST(SummaryMd, ShowsThePictureOfAllLevelsWhereThereIsOne) {
  const auto run = constructed::with_levels(constructed::run());
  EXPECT_THAT(summary_of(run), HasSubstr("](levels-ladder.png)"));
  const auto without = constructed::run();
  EXPECT_THAT(summary_md(ReportModel(without)), Not(HasSubstr("(levels-")));
}

TEST(SummaryMd, ShowsANarrowPictureThatLeadsToTheLargeOne) {
  const auto run = constructed::run();
  EXPECT_THAT(summary_of(run), HasSubstr("](summary_roofline-ladder.png)](roofline-ladder.png)"));
  const auto counted = constructed::with_levels(constructed::run());
  const std::string levels = summary_md(ReportModel(counted, {.levels = {MemoryLevel::l2}}));
  EXPECT_THAT(levels, HasSubstr("](roofline-ladder.png)](roofline-ladder.png)"));
  EXPECT_THAT(levels, Not(HasSubstr("summary_roofline-ladder")));
}

TEST(SummaryMd, WhatAllRowsHaveInCommonStandsAboveTheTable) {
  const auto run = constructed::run();
  const std::string text = summary_of(run);
  EXPECT_THAT(text, HasSubstr("\nAll of them: n 2²⁸, dtype f32, launch "));
  EXPECT_THAT(text, HasSubstr("\n| point | time | GB/s |"));
}

TEST(Markdown, NamesAreNoMarkup) {
  EXPECT_EQ(markdown::escaped("a*b_c|d<e>[f]{g}~h`i&j\\k"),
            "a\\*b\\_c\\|d\\<e\\>\\[f\\]\\{g\\}\\~h\\`i\\&j\\\\k");
}

// A backslash does not keep GitHub from linking and notifying.
TEST(Markdown, GitHubMakesNothingOfNames) {
  EXPECT_EQ(markdown::escaped("$x$"), "<span>$</span>x<span>$</span>");
  EXPECT_EQ(markdown::escaped("@octocat, a@b.org"), "<span>@</span>octocat, a<span>@</span>b.org");
  EXPECT_EQ(markdown::escaped("lambda()#1, a/b#12"), "lambda()<span>#</span>1, a/b<span>#</span>12");
  EXPECT_EQ(markdown::escaped("GH-1 gh-12"), "GH<span>-</span>1 gh<span>-</span>12");
  EXPECT_EQ(markdown::escaped("https://a.org"), "https<span>:</span>//a.org");
  EXPECT_EQ(markdown::escaped("www.a.org WWW.B.org"), "www<span>.</span>a.org WWW<span>.</span>B.org");
  // As it is in names of kernels.
  EXPECT_EQ(markdown::escaped("# at::native::sm90-128x64 GH100 1.5"),
            "\\# at::native::sm90-128x64 GH100 1.5");
}

TEST(Markdown, ANumberStaysWithItsUnit) {
  EXPECT_EQ(markdown::escaped("454.1 µs, 50.2 %, 4.58 TB/s, 60.0 MiB, 0.25 FLOP/byte"),
            "454.1\u00a0µs, 50.2\u00a0%, 4.58\u00a0TB/s, 60.0\u00a0MiB, 0.25\u00a0FLOP/byte");
  EXPECT_EQ(markdown::escaped("V6 manual, 2 blocks, 3 steps"), "V6 manual, 2 blocks, 3 steps");
}

TEST(SummaryMd, ARunOfCeilingsShowsTheirPicture) {
  const auto run = constructed::empty_run();
  const std::string text = summary_of(run);
  EXPECT_THAT(text, HasSubstr("](roofline.png)"));
  EXPECT_THAT(text, HasSubstr("| FP32 FMA | 65.0 TFLOP/s | 66.9 TFLOP/s |"));
}

TEST(SummaryMd, ACeilingFromTheCacheShowsWhenItWasMeasured) {
  auto run = constructed::empty_run();
  run.ceilings[1].measured_utc = "2025-12-31T10:00:00Z";
  run.ceilings[2].measured_utc = run.started_utc;
  const std::string text = summary_of(run);
  EXPECT_THAT(text, HasSubstr("constructed: 4 blocks per SM; measured 2025-12-31 10:00 UTC |"));
  EXPECT_THAT(text, Not(HasSubstr("measured 2026")));
}

TEST(SummaryMd, HoldsPictureTableStepsCeilingsAndEnvironment) {
  const auto run = constructed::run();
  const std::string text = summary_of(run);
  EXPECT_THAT(text, HasSubstr("](roofline-ladder.png)"));
  EXPECT_THAT(text, HasSubstr("- V2 → V3: 1.01× faster, shared wavefronts per instruction 3.10 → 1.00"));
  EXPECT_THAT(text,
              HasSubstr("| DRAM read | 4.58 TB/s | 4.81 TB/s | 4.81 TB/s | 95.1 % | 1.98 GHz | 0.2 % | – |"));
  EXPECT_THAT(text, HasSubstr("| driver | 580.159.04 (CUDA 13.0) |"));
  EXPECT_THAT(text, HasSubstr("\nmeasured; executed work not counted: atomic\n"));
}

TEST(SummaryMd, StatesHowManyChangesItLeavesOut) {
  const auto run = golden_run();
  const Analysis analysis = analyse(run);
  const auto& steps = analysis.experiments[0].steps;
  const auto step = std::find_if(steps.begin(), steps.end(), [](const LadderStep& candidate) {
    return candidate.counter_changes.size() > 3;
  });
  ASSERT_NE(step, steps.end());
  const std::string text = summary_of(run);
  const std::string line = text.substr(text.find("- " + step->from->label + " → " + step->to->label + ":"));
  EXPECT_THAT(line.substr(0, line.find('\n')),
              testing::EndsWith(", and " + std::to_string(step->counter_changes.size() - 3) + " more"));
}

TEST(SummaryMd, NamesCannotBreakTheTable) {
  auto run = constructed::run();
  run.catalogue.variants[0].label = "a|b<i>\nc";
  EXPECT_THAT(summary_of(run), HasSubstr("| a\\|b\\<i\\> c | "));
}

TEST(SummaryMd, AFailureNamesItsCause) {
  auto run = constructed::run();
  run.measurements[2].status = Status::failed;
  run.measurements[2].cause = "illegal address";
  EXPECT_THAT(summary_of(run), HasSubstr("- V2 failed: illegal address"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TerminalSummary, FitsItsColumns) {
  auto run = constructed::run();
  run.catalogue.variants[4].label = std::string(200, 'x');
  run.measurements[5].cause = std::string(300, 'y');
  for (const int columns : {60, 80, 100, 200}) {
    for (const std::string& line : lines_of(terminal_summary(ReportModel(run), columns))) {
      EXPECT_LE(decode_utf8(line).size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(TerminalSummary, ShowsAPointInOneLine) {
  const auto lines = lines_of(terminal_summary(ReportModel(constructed::run()), 120));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(StartsWith("V3 "), HasSubstr("2^28"), HasSubstr("f32"),
                                                      HasSubstr("1.132 ms"), HasSubstr("952"),
                                                      HasSubstr("20.8 %"), HasSubstr("latency"))));
}

TEST(TerminalSummary, AMissingNumberIsADash) {
  auto run = constructed::run();
  run.measurements[0].counters.clear();
  const auto lines = lines_of(terminal_summary(ReportModel(run), 100));
  EXPECT_THAT(lines,
              testing::Contains(testing::AllOf(StartsWith("V0 "), HasSubstr("–"), HasSubstr("declared"))));
}

TEST(TerminalSummary, NoControlCharacterReachesTheTerminal) {
  auto run = constructed::run();
  run.catalogue.variants[0].label = "\x1b[31mred";
  EXPECT_THAT(terminal_summary(ReportModel(run), 100), Not(HasSubstr("\x1b")));
}

TEST(TerminalSummary, FirstLeavesOutWhatIsTheSameInEveryRowAndNamesIt) {
  const auto run = constructed::with_levels(constructed::run());
  const std::string text = terminal_summary(ReportModel(run), 80);
  EXPECT_THAT(text, HasSubstr("DRAM 96 %")) << "what limits a point stays";
  EXPECT_THAT(text, HasSubstr("same in every row: "));
  EXPECT_THAT(text, HasSubstr("dtype f32"));
  EXPECT_THAT(terminal_summary(ReportModel(run), 60),
              testing::AllOf(HasSubstr("DRAM 96 %"), HasSubstr("not shown: ")));
  EXPECT_THAT(terminal_summary(ReportModel(run), 1000),
              testing::AllOf(Not(HasSubstr("not shown")), Not(HasSubstr("same in every row"))));
}

TEST(TerminalSummary, LabelsThatDifferStayDifferent) {
  auto run = constructed::run();
  for (std::size_t i = 0; i < run.catalogue.variants.size(); ++i) {
    run.catalogue.variants[i].label = fmt::format("a warp shuffle with a very long name e{} 2^28", i);
  }
  std::set<std::string> labels;
  for (const std::string& line : lines_of(terminal_summary(ReportModel(run), 70))) {
    if (line.starts_with("a ")) labels.insert(line.substr(0, line.find("  ")));
  }
  EXPECT_GE(labels.size(), run.plan.experiments[0].points.size());
}

TEST(TerminalSummary, ShowsHowATimeWasTaken) {
  auto run = constructed::run();
  run.measurements[0].time->launches_per_sample = 64;
  const auto lines = lines_of(terminal_summary(ReportModel(run), 200));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(StartsWith("V0 "), HasSubstr(" graph "))));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(StartsWith("V1 "), HasSubstr(" plain "))));
}

/// One version at `count` sizes.
Run many_points(int count) {
  auto run = constructed::run();
  const Measurement first = run.measurements[0];
  run.plan.experiments.resize(1);
  run.plan.experiments[0].points.clear();
  run.measurements.clear();
  for (int i = 0; i < count; ++i) {
    Measurement measurement = first;
    measurement.point.axes.set(axis::kSize, *size_of(measurement.point) + static_cast<std::uint64_t>(i));
    measurement.time = constructed::time(1e-3 * (1 + i));
    run.plan.experiments[0].points.push_back(measurement.point);
    run.measurements.push_back(measurement);
  }
  return run;
}

TEST(TerminalSummary, OfManyPointsShowsTheNotableOnes) {
  auto run = many_points(300);
  run.measurements[150].status = Status::failed;
  run.measurements[150].cause = "illegal address";
  const std::string text = terminal_summary(ReportModel(run), 200);
  EXPECT_LT(lines_of(text).size(), 40U);
  EXPECT_THAT(text, HasSubstr("--all shows 297 more"));
  for (const char* label : {"2^28", "268435606", "268435755"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\nV0 {} ", label)));
  }
  EXPECT_GT(lines_of(terminal_summary(ReportModel(run), 200, Rows::all)).size(), 300U);
}

TEST(TerminalSummary, NeverCutsWhereThereIsNoTerminal) {
  auto run = constructed::run();
  run.catalogue.variants[4].label = std::string(200, 'x');
  EXPECT_THAT(terminal_summary(ReportModel(run), 100'000), HasSubstr(std::string(200, 'x')));
}

TEST(Reports, NameWhatIsMissing) {
  auto run = constructed::run();
  run.measurements.erase(run.measurements.begin() + 2);
  const ReportModel report(run);
  constexpr const char* kMissing = "incomplete, 1 of 14 points missing: V2; measured";
  EXPECT_THAT(terminal_summary(report, 100),
              testing::AllOf(HasSubstr(kMissing), HasSubstr("ladder: Incomplete: ")));
  EXPECT_THAT(summary_md(report),
              testing::AllOf(HasSubstr(kMissing), HasSubstr("# Incomplete: Roofline of ")));
  EXPECT_THAT(to_svg(chart_scene(report.experiments[0].chart)),
              testing::AllOf(HasSubstr(kMissing), HasSubstr(">Incomplete: ")));
  EXPECT_THAT(to_svg(chart_scene(report.experiments[1].chart)), Not(HasSubstr("ncomplete")));
}

TEST(Reports, OfAReplayMentionItInTheHeadline) {
  auto run = constructed::run();
  run.source = RunSource::replayed;
  const ReportModel report(run);
  EXPECT_THAT(terminal_summary(report, 100), HasSubstr("ladder: Replayed: Ladder of"));
  EXPECT_THAT(summary_md(report),
              HasSubstr("# Replayed: Roofline of constructed\n\na recording of NVIDIA H200"));
  EXPECT_THAT(to_svg(chart_scene(report.experiments[0].chart)),
              testing::AllOf(HasSubstr(">Replayed: Ladder of"), HasSubstr(">a recording of NVIDIA H200")));
}

/// The energy of the first point was measured, that of the second could not be.
Run with_energy() {
  auto run = constructed::run();
  run.measurements[0].energy = EnergyResult{CounterValue::measured(0.268435456), 400, 1.6};
  run.measurements[1].energy = EnergyResult{CounterValue::unavailable("no meter"), 0, 0};
  return run;
}

TEST(Reports, ShowEnergyWhereItWasToBeMeasured) {
  const auto run = with_energy();
  const ReportModel report(run);
  EXPECT_THAT(lines_of(terminal_summary(report, 200)),
              testing::AllOf(testing::Contains(testing::AllOf(StartsWith("V0 "), HasSubstr("268 mJ"),
                                                              HasSubstr("400 W"), HasSubstr("996 MFLOP/J"))),
                             testing::Contains("energy unavailable for V1: no meter")));
  EXPECT_THAT(summary_of(run), testing::AllOf(HasSubstr("| energy | power | work/J |"),
                                              HasSubstr("| 268 mJ | 400 W | 996 MFLOP/J |"),
                                              HasSubstr("- energy unavailable for V1: no meter")));
  const auto without = constructed::run();
  EXPECT_THAT(terminal_summary(ReportModel(without), 200), Not(HasSubstr("energy")));
}

TEST(PointsCsv, HasEnergyAndHowATimeWasTaken) {
  auto run = with_energy();
  run.measurements[0].time->launches_per_sample = 64;
  const auto rows = parse_csv(points_csv(analyse(run)));
  EXPECT_EQ(rows[1][column(rows, "energy_j")], "0.268435456");
  EXPECT_EQ(rows[1][column(rows, "mean_power_w")], "400");
  EXPECT_EQ(rows[1][column(rows, "energy_per_element_j")], "1e-09");
  EXPECT_DOUBLE_EQ(std::stod(rows[1][column(rows, "flop_per_j")]),
                   run.measurements[0].work.flops() / 0.268435456);
  EXPECT_DOUBLE_EQ(std::stod(rows[1][column(rows, "bytes_per_j")]),
                   run.measurements[0].work.bytes() / 0.268435456);
  EXPECT_EQ(rows[1][column(rows, "timed")], "graph");
  EXPECT_EQ(rows[2][column(rows, "energy_j")], "");
  EXPECT_EQ(rows[2][column(rows, "mean_power_w")], "");
  EXPECT_EQ(rows[2][column(rows, "flop_per_j")], "");
  EXPECT_EQ(rows[2][column(rows, "timed")], "plain");
}

TEST(PointsCsv, HasEveryCounterOnce) {
  auto run = constructed::run();
  run.measurements[0].counters.insert_or_assign("of_tomorrow", CounterValue::measured(7));
  const auto rows = parse_csv(points_csv(analyse(run)));
  for (const std::string_view key : counter_keys()) {
    EXPECT_EQ(std::count(rows[0].begin(), rows[0].end(), key), 1) << key;
  }
  EXPECT_EQ(rows[1][column(rows, "of_tomorrow")], "7");
  EXPECT_EQ(std::stod(rows[1][column(rows, "fadd")]), value_of(run.measurements[0].counters, "fadd"));
  EXPECT_EQ(rows[1][column(rows, "fadd2")], "") << "unavailable";
}

TEST(TerminalSummary, NamesBelowTheTableWhatCannotBeRight) {
  const std::string text = terminal_summary(ReportModel(implausible_run()), 60);
  EXPECT_THAT(text, HasSubstr("\nV0: 400.0 % of roofline: "));
  for (const std::string& line : lines_of(text)) EXPECT_LE(decode_utf8(line).size(), 60U) << line;
}

TEST(ImplausibleTexts, ThatAreAlikeAreOneSentence) {
  std::vector<RooflinePoint> points(5);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].label = fmt::format("V{}", i);
    points[i].implausible = {{1.02 + 0.01 * static_cast<double>(i), "l2_read", "some reason"}};
  }
  points.back().implausible.push_back({1.5, "roofline", "another"});
  EXPECT_THAT(implausible_texts(points),
              ElementsAre("5 points (V0, V1, V2, …): 102.0 to 106.0 % of l2_read: some reason",
                          "V4: 150.0 % of roofline: another"));
  points.resize(2);
  EXPECT_THAT(implausible_texts(points),
              ElementsAre("V0: 102.0 % of l2_read: some reason", "V1: 103.0 % of l2_read: some reason"));
}

/// The same without points.
Run implausible_ceilings() {
  auto run = implausible_run();
  run.plan.experiments.clear();
  run.measurements.clear();
  return run;
}

TEST(TerminalCeilings, FitsItsColumns) {
  for (const int columns : {1, 40, 60, 80, 100, 200}) {
    for (const std::string& line : lines_of(terminal_summary(ReportModel(implausible_ceilings()), columns))) {
      EXPECT_LE(decode_utf8(line).size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(Paragraph, KeepsNumbersWithTheirUnits) {
  EXPECT_EQ(paragraph("it takes (3.210 ms) each", 15), "it takes\n(3.210 ms) each\n");
  EXPECT_EQ(paragraph("it takes 4.9 %, or", 13), "it takes\n4.9 %, or\n");
  EXPECT_EQ(paragraph("runs at 1.5 TFLOP/s", 12), "runs at\n1.5 TFLOP/s\n");
  EXPECT_EQ(paragraph("one of 12 small ones", 9), "one of 12\nsmall\nones\n") << "no unit";
  EXPECT_EQ(paragraph("12 ms", 3), "12\nms\n") << "no room for both";
}

TEST(TerminalCeilings, ShowsACeilingInOneLineAndFindingsBelow) {
  const auto lines = lines_of(terminal_summary(ReportModel(implausible_ceilings()), 100));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(StartsWith("L1 read "), HasSubstr("31.0 TB/s"),
                                                      HasSubstr("92.7 %"), testing::EndsWith("ok"))));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(StartsWith("L2 read "), testing::EndsWith("no"))));
  EXPECT_EQ(lines.back(), "L2 read: not confirmed: counted 0.61 of the bytes");
}

TEST(TerminalCeilings, ScalesTheTheoreticalValueToTheClock) {
  auto run = constructed::empty_run();
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.id == "f32_fma" && ceiling.source == CeilingSource::measured) ceiling.sm_clock_hz = 0.99e9;
  }
  EXPECT_THAT(lines_of(terminal_summary(ReportModel(run), 100)),
              testing::Contains(testing::AllOf(StartsWith("FP32 FMA "), HasSubstr("66.9 TFLOP/s"),
                                               HasSubstr("33.5 TFLOP/s"), HasSubstr("990 MHz"))));
}

TEST(TerminalCeilings, ARunWithoutCeilingsHasAnEmptyTable) {
  auto run = constructed::empty_run();
  run.ceilings.clear();
  EXPECT_EQ(lines_of(terminal_summary(ReportModel(run), 100)).size(), 1U);
}

}  // namespace
}  // namespace rooflinectl::report_tables_test
