// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "analysis/roofline/quantities/quantities.h"
#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "reports/charts/model/chart_model.h"
#include "reports/formats/formats.h"
#include "reports/page/page.h"
#include "reports/reports.h"
#include "reports/tables/tables.h"
#include "reports/text/markup.h"
#include "tests/support/changed_runs.h"
#include "tests/support/constructed_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::report_page_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string page_of(const Run& run) {
  const ReportModel report(run);
  return report_page(
      report, {.experiments = std::vector<PagePictures>(report.experiments.size(), {"<svg></svg>", ""}),
               .points_csv = points_csv(report.analysis)});
}

/// Not HasSubstr: a failure would print the whole page.
bool holds(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

/// What lies between `open` and the next `close`.
std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close, begin) - begin);
}

nlohmann::json data_of(const Run& run) {
  return nlohmann::json::parse(page_data(ReportModel(run)));
}

Run with_hostile_names() {
  auto run = constructed::run();
  run.catalogue.variants[0].label = "</script><script>alert(1)</script>";
  run.catalogue.variants[1].label = "<img src=x onerror=alert(1)>";
  run.plan.name = "<!-- {{script}} -->";
  run.plan.experiments[1].title = "\"><script>alert(2)</script>";
  run.devices[0].name = "<b>device</b>";
  run.ceilings[0].method = "<i>method</i>";
  return run;
}

TEST(ReportPage, NamesAreDataAndNeverMarkup) {
  const std::string page = page_of(with_hostile_names());
  for (const char* markup : {"<script>alert", "<img", "<b>", "<i>", "<!-- {{"}) {
    EXPECT_FALSE(holds(page, markup)) << markup;
  }
  EXPECT_TRUE(holds(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_EQ(data_of(with_hostile_names())["run"]["experiments"][0]["points"][0]["texts"][0],
            "</script><script>alert(1)</script>");
}

TEST(ReportPage, DataHoldEveryPointWithItsNumbers) {
  const auto run = constructed::run();
  const nlohmann::json experiments = data_of(run)["run"]["experiments"];
  ASSERT_EQ(experiments.size(), 2U);
  EXPECT_EQ(experiments[0]["points"].size() + experiments[1]["points"].size(), run.measurements.size());
  const nlohmann::json point = experiments[0]["points"][3];
  EXPECT_EQ(point["key"], "ladder.reduce_v3_sequential.f32.n268435456.b256.cold");
  std::map<std::string, std::string> facts;
  for (std::size_t i = 0; i < point["facts"].size(); ++i) {
    if (!point["facts"][i].is_null()) facts[experiments[0]["fact_names"][i]] = point["facts"][i];
  }
  EXPECT_EQ(facts["DRAM bytes per element"], "4.02");
  EXPECT_EQ(point["texts"].size(), data_of(run)["columns"].size());
}

// To the six digits that the page is given.
void expect_near(const nlohmann::json& number, double expected) {
  EXPECT_NEAR(number.get<double>(), expected, 1e-5 * expected);
}

TEST(ReportPage, FindingsNameTheirRuleAndEvidence) {
  const nlohmann::json experiment = data_of(constructed::run())["run"]["experiments"][0];
  const nlohmann::json finding = experiment["points"][0]["findings"].at(0);
  const nlohmann::json rule = experiment["rules"].at(finding[0].get<std::size_t>());
  const auto run = constructed::run();
  const Analysis analysis = analyse(run);
  const Finding expected = explain(run, analysis.experiments[0].points[0]).findings.at(0);
  EXPECT_EQ(rule["rule"], expected.rule);
  EXPECT_EQ(rule["text"], expected.text);
  EXPECT_EQ(rule["next_step"], expected.next_step);
  EXPECT_EQ(finding[1], evidence_text(expected.evidence));
}

TEST(ReportPage, DataHaveSourceLinesWhenTheyWereSampled) {
  auto run = constructed::run();
  run.measurements[0].launches = LaunchStatistics{
      .sampled =
          SampledLines{.samples = 2, .lines = {{.file = "a.cu", .line = 3, .text = "y = x;", .samples = 1}}}};
  const nlohmann::json points = data_of(run)["run"]["experiments"][0]["points"];
  EXPECT_EQ(points[0]["source_lines"]["title"], "Where its warps were (2 samples)");
  EXPECT_EQ(points[0]["source_lines"]["table"]["rows"],
            nlohmann::json::parse(R"([["a.cu:3", "50.0 %", "y = x;", "issuing"]])"));
  EXPECT_FALSE(points[1].contains("source_lines"));
}

TEST(ReportPage, MarksLieWhereTheChartModelHasThem) {
  const auto run = constructed::with_levels(constructed::run());
  const Analysis analysis = analyse(run);
  const nlohmann::json experiment = data_of(run)["run"]["experiments"][0];
  const RooflinePoint& v0 = analysis.experiments[0].points[0];
  const nlohmann::json point = experiment["points"][0];
  expect_near(point["rate"], *v0.flop_per_s);
  expect_near(point["executed_rate"], *v0.executed_flop_per_s);
  EXPECT_TRUE(point["is_apart"]);
  ASSERT_EQ(point["levels"].size(), 4U);
  EXPECT_EQ(point["levels"][1]["level"], "l2");
  expect_near(point["levels"][1]["ai"], *v0.levels[1].ai);
  expect_near(point["levels"][1]["executed_ai"], *v0.flops_executed / v0.levels[1].bytes);
}

TEST(ReportPage, PointsOfSeveralDevicesHaveKeysOfTheirOwn) {
  std::set<std::string> keys;
  const nlohmann::json data = data_of(changed::on_two_devices(changed::ladder_run()));
  for (const auto& experiment : data["run"]["experiments"]) {
    for (const auto& point : experiment["points"]) keys.insert(point["key"]);
  }
  EXPECT_EQ(keys.size(), 20U);
}

TEST(ReportPage, RoofsMeetWhereTheChartModelHasThem) {
  const auto run = constructed::with_levels(constructed::run());
  const nlohmann::json view = data_of(run)["run"];
  const auto place_of = [&](const std::string& text) {
    const auto& roofs = view["roofs"];
    for (std::size_t place = 0; place < roofs.size(); ++place) {
      if (roofs[place]["text"] == text) return place;
    }
    throw std::runtime_error("no roof '" + text + "'");
  };
  const std::size_t read = place_of("DRAM read 4.58 TB/s");
  const std::size_t copy = place_of("DRAM copy 4.23 TB/s");
  const std::size_t add = place_of("FP32 ADD 32.5 TFLOP/s");
  const std::vector<PlanePoint> ridges = ReportModel(run).experiments[0].chart.ridges;
  const auto ridge = std::find_if(ridges.begin(), ridges.end(),
                                  [](const PlanePoint& one) { return one.flop_per_s == 32.5e12; });
  ASSERT_NE(ridge, ridges.end());
  expect_near(view["roofs"][read]["ridges"][add], ridge->ai);
  EXPECT_TRUE(view["roofs"][read]["ridges"][copy].is_null());
  EXPECT_TRUE(view["roofs"][add]["ridges"].empty());
}

TEST(ReportPage, EachLevelHasItsRoofs) {
  const auto run = constructed::with_levels(constructed::run());
  const nlohmann::json view = data_of(run)["run"];
  const auto names = [&](const nlohmann::json& places) {
    std::vector<std::string> texts;
    for (const std::size_t place : places) {
      if (view["roofs"][place]["kind"] == "bandwidth") texts.push_back(view["roofs"][place]["text"]);
    }
    return texts;
  };
  const nlohmann::json sets = view["experiments"][0]["roofs"];
  EXPECT_THAT(names(sets["dram"]["main"]),
              testing::IsSupersetOf({"DRAM peak 4.81 TB/s", "DRAM read 4.58 TB/s"}));
  EXPECT_THAT(names(sets["dram"]["others"]), testing::ElementsAre("DRAM write 4.60 TB/s"));
  EXPECT_THAT(names(sets["l2"]["main"]), testing::Contains("L2 read 9.90 TB/s"));
  EXPECT_THAT(names(sets["l2"]["main"]), testing::Each(HasSubstr("L2")));
  EXPECT_THAT(names(sets["all"]["main"]), testing::Contains("L2 read 9.90 TB/s"));
  EXPECT_THAT(names(sets["all"]["others"]), testing::IsEmpty());
  EXPECT_THAT(names(view["bare_charts"][0]["roofs"]["main"]),
              testing::Not(testing::Contains("DRAM copy 4.23 TB/s")));
}

TEST(ReportPage, HoldsTheRunAndThePointsAsTheyAreInFiles) {
  const auto run = constructed::run();
  const std::string page = page_of(run);
  EXPECT_EQ(between(page, "<script type=\"application/zlib\" id=\"run-json\">", "</script>"),
            base64(deflated(run_to_json(run))));
  EXPECT_EQ(between(page, "<script type=\"application/zlib\" id=\"points-csv\">", "</script>"),
            base64(deflated(points_csv(analyse(run)))));
  EXPECT_EQ(between(page, "<script type=\"application/zlib\" id=\"page-data\">", "</script>"),
            base64(deflated(page_data(ReportModel(run)))));
}

TEST(ReportPage, AgreementsHaveVerdictsAndTexts) {
  auto run = constructed::run();
  Agreement agreement{.subject = "<b>fadd</b>", .quantity = "fadd", .unit = ComparedUnit::operations};
  agreement.ours = CounterValue::measured(1001);
  agreement.reference = CounterValue::measured(1000);
  run.self_test = SelfTest{.agreements = {agreement}};
  run.cross_checks = {
      CrossCheck{.tool = CrossCheckTool::ncu, .reason = "ncu was not found", .hint = "install it"}};
  const nlohmann::json tables = data_of(run)["run"]["agreements"];
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0]["headings"], nlohmann::json({"point", "quantity", "ours", "known work", "difference",
                                                   "tolerance", "verdict", "note"}));
  EXPECT_EQ(tables[0]["rows"][0],
            nlohmann::json({"<b>fadd</b>", "fadd", "1001", "1000", "+0.1 %", "exact", "differs", ""}));
  EXPECT_EQ(tables[0]["summary"], "1 differs");
  EXPECT_EQ(tables[1]["reason"], "ncu was not found");
}

TEST(ReportPage, NamesThatAreNotUtf8StillGiveJson) {
  auto run = constructed::run();
  run.catalogue.variants[0].label = "bad \xff name";
  EXPECT_EQ(data_of(run)["run"]["experiments"][0]["points"][0]["texts"][0], "bad \xef\xbf\xbd name");
}

TEST(ReportPage, AllPartsAreFilledInAndNothingIsLoaded) {
  std::string page = page_of(constructed::run());
  EXPECT_TRUE(holds(page, "default-src 'none'"));
  // The policy above holds for the script too; its text may mention things that it does not use.
  const std::size_t script = page.find("<script type=\"module\">");
  page.erase(script, page.find("</script>", script) - script);
  for (const char* text : {"<!--rooflinectl:", " src=", "@import", "url("}) {
    EXPECT_FALSE(holds(page, text)) << text;
  }
}

TEST(ReportPage, TheTableIsThereWithoutJavaScript) {
  const std::string page = page_of(constructed::run());
  const std::string row = between(page, "<td>V3</td>", "</tr>");
  for (const char* cell : {">2²⁸<", ">1.132 ms<", ">952<", ">20.8 %<", ">latency<"}) {
    EXPECT_THAT(row, HasSubstr(cell));
  }
}

TEST(ReportPage, ShowsEveryChangeFromVersionToVersion) {
  const auto run = constructed::run();
  const Analysis analysis = analyse(run);
  const std::string page = page_of(run);
  for (const LadderStep& step : analysis.experiments[0].steps) {
    for (const CounterChange& change : step.counter_changes) {
      EXPECT_THAT(between(page, "<li>" + step.from->label + " → " + step.to->label, "</li>"),
                  HasSubstr(std::string(change.quantity->name)));
    }
  }
  EXPECT_FALSE(holds(page, " more</li>"));
}

TEST(ReportPage, TheCeilingsAreThereWithTheirFindings) {
  auto run = constructed::run();
  run.ceilings[1].confirmation = Confirmation{false, "counted <half> of the bytes"};
  const std::string page = page_of(run);
  EXPECT_TRUE(holds(
      page, "<td>DRAM read</td><td class=\"number\">4.58 TB/s</td><td class=\"number\">4.81 TB/s</td>"));
  EXPECT_TRUE(holds(page, "<td>no</td>"));
  EXPECT_TRUE(holds(page, "<li>DRAM read: not confirmed: counted &lt;half&gt; of the bytes</li>"));
}

TEST(ReportPage, NamesWhatCannotBeRight) {
  auto run = constructed::run();
  run.measurements[0].time = constructed::time(run.measurements[0].work.bytes() / (4 * 4579e9));
  EXPECT_TRUE(holds(page_of(run), "<li>V0: 400.0 % of roofline: "));
}

class WriteReports : public testing::Test {
 protected:
  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(WriteReports, WritesAndNamesEveryFile) {
  std::vector<std::string> names;
  for (const fs::path& file : write_reports(ReportModel(constructed::run()), folder_)) {
    EXPECT_GT(fs::file_size(file), 0U) << file;
    names.push_back(file.filename());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "roofline.svg", "roofline.png", "roofline.pdf", "roofline-ladder.svg",
                         "roofline-ladder.png", "roofline-ladder.pdf", "roofline-seeds.svg",
                         "roofline-seeds.png", "roofline-seeds.pdf", "summary_roofline-ladder.png",
                         "summary_roofline-seeds.png", "points.csv", "summary.md", "report.html"));
}

TEST_F(WriteReports, ThePageHoldsThePicture) {
  write_reports(ReportModel(constructed::run()), folder_);
  EXPECT_TRUE(holds(read_file(folder_ / "report.html"), read_file(folder_ / "roofline-seeds.svg")));
}

TEST_F(WriteReports, ThePageOfTheShippedRecordingIsSmall) {
  const fs::path recording =
      fs::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "reductions-h200" / "run.json.gz";
  write_reports(ReportModel(read_run(recording)), folder_);
  EXPECT_LT(fs::file_size(folder_ / "report.html"), 2'000'000U);
}

TEST_F(WriteReports, ARunWithoutPointsHasReportsToo) {
  auto run = constructed::empty_run();
  run.plan.experiments.push_back({.name = "none", .title = "", .timing = {}, .points = {}});
  EXPECT_EQ(write_reports(ReportModel(run), folder_).size(), 7U) << "no picture of nothing";
}

TEST_F(WriteReports, ALevelsPictureOnlyWhereMoreThanDramWasCounted) {
  auto run = constructed::with_levels(constructed::run());
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.experiment != "seeds") continue;
    for (const auto key : {counter::kL2Bytes, counter::kL1Bytes, counter::kSharedBytes}) {
      measurement.counters.erase(measurement.counters.find(key));
    }
  }
  write_reports(ReportModel(run), folder_);
  EXPECT_TRUE(fs::exists(folder_ / "levels-ladder.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "levels-ladder.png"));
  EXPECT_FALSE(fs::exists(folder_ / "levels-seeds.svg"));
}

TEST_F(WriteReports, ChosenLevelsAreInTheMainPicture) {
  const auto run = constructed::with_levels(constructed::run());
  write_reports(ReportModel(run, {.levels = {MemoryLevel::l2}, .precisions = {"bf16"}}), folder_);
  const std::string svg = read_file(folder_ / "roofline.svg");
  EXPECT_TRUE(holds(svg, ">L2 read 9.90 TB/s<"));
  EXPECT_TRUE(holds(svg, ">BF16 Tensor Core 850 TFLOP/s<"));
  EXPECT_FALSE(holds(svg, ">DRAM read"));
  EXPECT_TRUE(holds(read_file(folder_ / "report.html"), svg));
  EXPECT_TRUE(holds(read_file(folder_ / "levels-ladder.svg"), ">DRAM read 4.58 TB/s<"));
}

TEST_F(WriteReports, ARunOfCeilingsHasAPictureAndEveryTable) {
  std::vector<std::string> names;
  for (const fs::path& file :
       write_reports(ReportModel(constructed::with_levels(constructed::empty_run())), folder_)) {
    names.push_back(file.filename());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("roofline.svg", "roofline.png", "roofline.pdf",
                                                   "summary_roofline.png", "points.csv", "summary.md",
                                                   "report.html"));
  EXPECT_TRUE(holds(read_file(folder_ / "report.html"), read_file(folder_ / "roofline.svg")));
}

TEST_F(WriteReports, ARunOfPrimitivesHasNoEmptyRoofline) {
  const fs::path recording =
      fs::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "primitives-h200" / "run.json.gz";
  write_reports(ReportModel(read_run(recording)), folder_);
  EXPECT_TRUE(fs::exists(folder_ / "primitives.svg"));
  EXPECT_FALSE(fs::exists(folder_ / "roofline.svg"));
  EXPECT_FALSE(holds(read_file(folder_ / "summary.md"), "roofline.png"));
}

TEST_F(WriteReports, AThousandSizesTakeSeconds) {
  auto run = constructed::run();
  Measurement measurement = run.measurements[0];
  run.plan.experiments.resize(1);
  run.plan.experiments[0].points.clear();
  run.measurements.clear();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    measurement.point.axes.set(axis::kSize, 1'000'003 + i);
    run.plan.experiments[0].points.push_back(measurement.point);
    run.measurements.push_back(measurement);
  }
  const auto begin = std::chrono::steady_clock::now();
  write_reports(ReportModel(run), folder_);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(WriteReports, AbsurdValuesDoNotStopTheReport) {
  auto run = constructed::run();
  run.measurements[0].time->median_s = 1e308;
  run.measurements[1].time->median_s = 1e-308;
  for (Ceiling& ceiling : run.ceilings) ceiling.value = 1e-308;
  EXPECT_FALSE(write_reports(ReportModel(run), folder_).empty());
}

TEST_F(WriteReports, AnOutputThatCannotBeWrittenIsAnEnvironmentError) {
  try {
    write_reports(ReportModel(constructed::run()), folder_ / "missing");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
  }
}

TEST(ReportPage, APointIsIdentifiedWithItsLaunchMode) {
  auto run = constructed::run();
  run.plan.experiments[0].points[0].axes.set(axis::kMode, LaunchMode::plain);
  run.measurements[0].point.axes.set(axis::kMode, LaunchMode::plain);
  const nlohmann::json points = data_of(run)["run"]["experiments"][0]["points"];
  EXPECT_THAT(points[0]["key"].get<std::string>(), testing::EndsWith(".cold.plain"));
  EXPECT_THAT(points[1]["key"].get<std::string>(), testing::EndsWith(".cold"));
}

/// The picture names of such experiments.
std::vector<std::string> file_names(const std::vector<std::string>& experiments) {
  std::vector<std::string> files;
  for (const std::string& name : chart_file_names(experiments)) {
    for (const std::string_view kind : {kRooflineKind, kLevelsKind, kSizeSweepKind, kEnergyKind, kTimeKind,
                                        kSummaryRooflineKind, kSummarySizeSweepKind}) {
      files.push_back(chart_file_name(kind, name));
    }
  }
  return files;
}

TEST(ChartFileName, NeverLeadsOutOfTheFolder) {
  EXPECT_THAT(file_names({"ladder"}),
              testing::ElementsAre("roofline-ladder", "levels-ladder", "bandwidth-ladder", "energy-ladder",
                                   "time-ladder", "summary_roofline-ladder", "summary_bandwidth-ladder"));
  EXPECT_EQ(chart_file_names({"../../etc/x y"}).front(), "______etc_x_y-148662b1");
  EXPECT_LT(chart_file_names({std::string(5000, 'x')}).front().size(), 100U);
}

TEST(ChartFileName, NeverIsThatOfAnotherPicture) {
  const std::string clash = chart_file_names({"a/b"}).front();
  const std::vector<std::string> hostile = {"sizes",
                                            "sizes-levels",
                                            "levels",
                                            "roofline",
                                            "levels-sizes",
                                            "summary_roofline",
                                            "roofline-summary",
                                            "a/b",
                                            "a.b",
                                            clash,
                                            clash,
                                            "A",
                                            "a",
                                            "a-2",
                                            "a",
                                            "",
                                            std::string(5000, 'x'),
                                            std::string(5001, 'x')};
  std::set<std::string> files = {std::string(kFirstChartFileName), std::string(kPrimitivesFileName),
                                 std::string(kSummaryRooflineKind)};
  for (std::string name : file_names(hostile)) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_TRUE(files.insert(name).second) << name;
  }
  EXPECT_EQ(chart_file_names(hostile), chart_file_names(hostile)) << "deterministic";
}

TEST_F(WriteReports, ExperimentsThatAreCalledLikePicturesOverwriteNone) {
  auto run = constructed::with_levels(constructed::run());
  const std::string second = "ladder-levels";
  run.plan.experiments[1].name = second;
  for (PointId& id : run.plan.experiments[1].points) id.experiment = second;
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.experiment == "seeds") measurement.point.experiment = second;
  }
  const std::vector<fs::path> files = write_reports(ReportModel(run), folder_);
  EXPECT_EQ(std::set<fs::path>(files.begin(), files.end()).size(), files.size());
}

}  // namespace
}  // namespace rooflinectl::report_page_test
