// SPDX-License-Identifier: Apache-2.0
// The reports of a profiled program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/roofline/point.h"
#include "core/files/files.h"
#include "core/text/printable.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/model/chart_model.h"
#include "reports/formats/formats.h"
#include "reports/page/page.h"
#include "reports/reports.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "tests/support/program_run.h"
#include "tests/support/readable_scene.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::program_reports_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(ProgramReports, BeginWithWhereTheTimeIsAndWhatCouldBeSaved) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const std::string headline = program_headline(*report.experiments.at(0).program);
  // 22.0 ms of AdamW, 9.92 of layer_norm backward and 8.4 + 6.72 of products. AdamW needs 3.36 GB / 4.28 TB/s
  // of 1.1 ms.
  EXPECT_EQ(headline,
            "The GPU is idle 13 % of the time (514.4 µs of each 3.900 ms step), waiting for launches in gaps "
            "mostly "
            "below 100 µs: try CUDA graphs, or larger batches. multi_tensor_apply<FusedAdam, f32> could save "
            "up to 391.6 µs (10.0 %).");
}

TEST(ProgramReports, ThePageHasEachKernelsOwnAdviceWhereOthersHaveAnotherOfTheSameRule) {
  auto run = constructed::program_run();
  Measurement own =
      *std::find_if(run.measurements.begin(), run.measurements.end(),
                    [](const Measurement& one) { return one.point.subject == constructed::kAdamName; });
  own.point.subject = "own_optimizer(float*)";
  run.measurements.push_back(own);
  const ReportModel report(run);
  const auto page = nlohmann::json::parse(page_data(report))["run"]["experiments"][0];
  const auto& explanations = report.experiments.at(0).explanations;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    for (std::size_t j = 0; j < explanations[i].findings.size(); ++j) {
      const auto& texts = page["rules"].at(page["points"][i]["findings"][j][0].get<std::size_t>());
      EXPECT_EQ(texts["text"], explanations[i].findings[j].text);
      EXPECT_EQ(texts["next_step"], explanations[i].findings[j].next_step) << page["points"][i]["key"];
    }
  }
}

TEST(ProgramReports, BeginWithAKernelThatCouldSaveMoreInSeveralShapesThanAnyGroup) {
  auto run = constructed::program_run();
  Measurement other =
      *std::find_if(run.measurements.begin(), run.measurements.end(),
                    [](const Measurement& one) { return one.point.subject == constructed::kAdamName; });
  other.point.axes.set("grid", std::uint64_t{1024});
  run.measurements.push_back(other);
  EXPECT_THAT(program_headline(*ReportModel(run).experiments.at(0).program),
              HasSubstr("; multi_tensor_apply<FusedAdam, f32> (2 launch groups) could save up to 783.2 µs"));
  LaunchStatistics& launches = *run.measurements.back().launches;
  launches.overlapped_s = launches.total_s;
  EXPECT_THAT(program_headline(*ReportModel(run).experiments.at(0).program), Not(HasSubstr("launch groups")))
      << "what the program would gain is not known";
}

TEST(ProgramReports, BeginWithIdleTimeWhereMoreOfItIsThanAnyKernelCouldSave) {
  auto run = constructed::program_run();
  const auto headline = [&](std::vector<IdleGaps> gaps) {
    run.application->devices[0].undisturbed->gaps = std::move(gaps);
    return program_headline(*ReportModel(run).experiments.at(0).program);
  };
  EXPECT_THAT(
      headline({{20e-6, 9, 0.01}}),
      StartsWith(
          "The GPU is idle 16 % of the time (629.1 µs of each 3.900 ms step), waiting for launches in "));
  EXPECT_THAT(headline({{1e-3, 9, 0.05}}),
              StartsWith("The GPU is idle 49 % of the time (1.912 ms of each 3.900 ms step), waiting for the "
                         "CPU between kernels, mostly for 100 µs to 1 ms: try "));
  EXPECT_THAT(headline({{{}, 9, 0.05}}),
              StartsWith("The GPU is idle 49 % of the time (1.912 ms of each 3.900 ms step), waiting for the "
                         "CPU, mostly in gaps of 1 ms or more: wait for results less "));
  EXPECT_THAT(headline({{20e-6, 9, 0.003}}),
              StartsWith("3 of 11 kernels take 60 % of the time (2.335 ms of each 3.900 ms step); "));
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.subject == constructed::kAdamName) measurement.time->median_s *= 10;
    if (measurement.point.subject == constructed::kAdamName) measurement.launches->total_s *= 10;
  }
  EXPECT_THAT(headline({{20e-6, 9, 0.01}}), StartsWith("1 of 11 kernels takes 68 % of the time "))
      << "the optimizer costs more";
}

TEST(ProgramReports, HaveATerminalOf80Columns) {
  const auto run = constructed::program_run();
  const std::string text = terminal_summary(ReportModel(run), 80);
  for (const std::string& line : lines_of(text)) EXPECT_LE(count_characters(line), 80U) << line;
  EXPECT_THAT(text, HasSubstr("could save"));
  EXPECT_THAT(text, HasSubstr("Each step of 3.900 ms, the median of 13 without counting: GPU busy 3.386 ms"));
  EXPECT_THAT(text, HasSubstr("Without a roof"));
  EXPECT_THAT(text, HasSubstr("within the device"));
  EXPECT_THAT(text, HasSubstr("NVTX ranges"));
  EXPECT_THAT(text, Not(HasSubstr("useful")));
  EXPECT_THAT(text, Not(HasSubstr("unverified")));
}

TEST(ProgramReports, SayThatWhatOverlapsSavesLess) {
  auto run = constructed::program_run();
  for (Measurement& measurement : run.measurements) {
    measurement.launches->overlapped_s = 0.5 * measurement.launches->total_s;
  }
  const ReportModel report(run);
  const ProgramUse& program = *report.experiments.at(0).program;
  EXPECT_THAT(program_headline(program), HasSubstr(", less where it overlaps with other kernels."));
  EXPECT_THAT(program_sentences(run, program),
              testing::Contains(HasSubstr("kernels overlapped with others")));
}

TEST(ProgramReports, HaveACsvWithTheFullNamesAndNothingDeclared) {
  const auto run = constructed::program_run();
  const std::vector<std::string> lines = lines_of(points_csv(analyse(run)));
  const auto columns = [](const std::string& line) {
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"') is_quoted = !is_quoted;
      if (c == ',' && !is_quoted) {
        fields.emplace_back();
      } else if (c != '"' && c != '\r') {
        fields.back() += c;
      }
    }
    return fields;
  };
  const std::vector<std::string> head = columns(lines.at(0));
  const std::vector<std::string> first = columns(lines.at(1));
  const auto field = [&](const std::string& name) {
    const auto found = std::find(head.begin(), head.end(), name);
    return found == head.end() ? "no such column" : first.at(static_cast<std::size_t>(found - head.begin()));
  };
  EXPECT_EQ(field("kernel"), constructed::kGemmName);
  EXPECT_EQ(field("variant"), "");
  EXPECT_EQ(field("flops_useful"), "");
  EXPECT_EQ(field("dram_bytes_useful"), "");
  EXPECT_EQ(field("grid"), "132");
  EXPECT_EQ(field("cluster"), "2");
  EXPECT_EQ(field("path"), "step/forward");
  EXPECT_EQ(field("launches"), "24");
  EXPECT_EQ(field("traced"), "20");
  EXPECT_EQ(field("counted"), "3");
  EXPECT_EQ(field("total_time_s"), "0.0084");
  EXPECT_EQ(field("roof_ceiling"), "bf16_tensor");
  EXPECT_EQ(field("roof_resource"), "tensor");
  EXPECT_EQ(field("ai_l1"), "");
  EXPECT_EQ(field("timed"), "trace");
  EXPECT_EQ(field("axis grid"), "no such column");
}

TEST(ProgramReports, DrawExecutedWorkByItsShareOfTheTimeWithTenNames) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ChartModel& chart = report.experiments.at(0).chart;
  EXPECT_TRUE(chart.is_of_program);
  EXPECT_EQ(std::count_if(chart.points.begin(), chart.points.end(),
                          [](const ChartPoint& point) { return point.is_labelled; }),
            10);
  const RooflinePoint& product = report.experiments.at(0).analysis->points.at(0);
  EXPECT_DOUBLE_EQ(chart.points.at(0).useful->ai, *product.ai_executed);
  EXPECT_DOUBLE_EQ(*chart.points.at(0).share, product.launches->share);
  EXPECT_THAT(chart.points.at(0).title, HasSubstr(std::string(constructed::kGemmName)));
  // A copy has no place among operations, but in every table.
  EXPECT_FALSE(chart.points.at(8).useful);
  const bool has_tensor_roof = std::any_of(chart.roofs.begin(), chart.roofs.end(), [](const RoofLine& roof) {
    return roof.text.starts_with("BF16 Tensor");
  });
  EXPECT_TRUE(has_tensor_roof);
}

TEST(ProgramReports, AKernelHasTheLookOfWhatBoundsItAndItsPlaceInTheList) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ExperimentReport& experiment = report.experiments.at(0);
  const std::vector<std::size_t> order = list_order(experiment.chart);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ChartPoint& point = experiment.chart.points.at(order[i]);
    const FamilyLook look = look_of(experiment.analysis->points.at(order[i]).bound);
    EXPECT_EQ(point.look.colour, look.colour) << point.label;
    EXPECT_EQ(point.look.shape, look.shape) << point.label;
    EXPECT_EQ(point.rank, i + 1);
  }
}

TEST(ProgramReports, ANameThatIsCutKeepsItsAsterisk) {
  const auto run = constructed::program_run();
  ChartModel chart = chart_model(run, analyse(run).experiments.front());
  chart.points.front().label = "a name that goes on and on and on and never ends, of a kernel";
  chart.points.front().is_flagged = true;
  const Scene scene = chart_scene(chart);
  const auto is_row = [](const Group& group) { return group.name == "ladder-row" && group.point == 0U; };
  const auto row = std::find_if(scene.groups.begin(), scene.groups.end(), is_row);
  ASSERT_NE(row, scene.groups.end());
  const bool has_asterisk = std::any_of(row->shapes.begin(), row->shapes.end(), [](const Shape& shape) {
    const Text* text = std::get_if<Text>(&shape);
    return text != nullptr && text->content.ends_with("… *");
  });
  EXPECT_TRUE(has_asterisk);
}

/// The titles of the groups of a picture with this name.
std::vector<std::string> titles_of(const Scene& scene, std::string_view name) {
  std::vector<std::string> titles;
  for (const Group& group : scene.groups) {
    if (group.name == name) titles.push_back(group.title);
  }
  return titles;
}

TEST(ProgramReports, KernelsWithoutFlopsStandBesideTheRooflineByTheirShareOfTheBandwidth) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ChartModel& chart = report.experiments.at(0).chart;
  const ChartPoint& copy = chart.points.at(8);
  ASSERT_FALSE(copy.useful);
  ASSERT_TRUE(copy.dram_share);
  for (const Extent extent : {Extent::full, Extent::narrow}) {
    const Scene scene = chart_scene(chart, extent);
    EXPECT_THAT(titles_of(scene, "point"), testing::Contains(copy.title));
    expect_readable(scene);
  }
}

TEST(ProgramReports, TheBarOfTheTimeHasAPartForEachLimitAsWideAsItsShare) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ExperimentReport& experiment = report.experiments.at(0);
  const Scene scene = time_scene(experiment.chart, *experiment.program);
  const ProgramUse& program = *experiment.program;
  const std::vector<TimeLimit> limits = time_by_limit(program);
  const std::vector<std::string> rows = titles_of(scene, "time-row");
  // As the page: of a step, in which the GPU is also idle.
  EXPECT_EQ(rows.size(), limits.size() + 1);
  EXPECT_EQ(rows.back(), "GPU idle: 13.2 % of a step, 514.4 µs");
  const auto part = std::find_if(scene.groups.begin(), scene.groups.end(),
                                 [](const Group& group) { return group.name == "time-part time-0"; });
  ASSERT_NE(part, scene.groups.end());
  const auto& bar = std::get<Polygon>(part->shapes.front()).points;
  EXPECT_NEAR(bar.at(1).x - bar.at(0).x, time_share(program, limits.front().in_steps_s) * (scene.width - 72),
              0.01);
  expect_readable(scene);
}

// A plan may have both on one chart.
TEST(ProgramReports, ShareAnExperimentWithVariants) {
  auto run = constructed::run();
  const auto program = constructed::program_run();
  run.ceilings = program.ceilings;
  run.application = program.application;
  for (Measurement measurement : program.measurements) {
    measurement.point.experiment = "ladder";
    run.measurements.push_back(std::move(measurement));
  }
  const ReportModel report(run);
  const ExperimentReport& ladder = report.experiments.at(0);
  EXPECT_EQ(ladder.program->groups.size(), program.measurements.size());
  EXPECT_FALSE(ladder.analysis->steps.empty());
  const std::string text = terminal_summary(report, 200);
  EXPECT_THAT(text, HasSubstr("AI useful"));
  EXPECT_THAT(text, HasSubstr("could save"));
  EXPECT_THAT(text, HasSubstr("V7"));
  EXPECT_THAT(text, HasSubstr("flash_fwd<bf16, hdim 64, causal>"));
  const bool are_variants_labelled =
      std::all_of(ladder.chart.points.begin(), ladder.chart.points.end(),
                  [](const ChartPoint& point) { return point.share || point.is_labelled; });
  EXPECT_TRUE(are_variants_labelled);
  const TemporaryFolder folder;
  write_reports(report, folder.path(), {});
  EXPECT_THAT(read_file(folder.path() / "summary.md"), HasSubstr("From version to version"));
}

TEST(ProgramReports, ListIdleTimeBeforeAFewKernelsAndAllOthersTogether) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ProgramUse& program = *report.experiments.at(0).program;
  const Table all = idle_before_table(program, 100);
  const Table two = idle_before_table(program, 2);
  ASSERT_EQ(two.rows.size(), 3U);
  EXPECT_EQ(two.rows[0], all.rows[0]);
  EXPECT_EQ(two.rows[2][0], fmt::format("{} others", all.rows.size() - 2));
  double idle_s = 0;
  for (std::size_t i = 2; i < program.idle->before.size(); ++i) idle_s += program.idle->before[i].idle_s;
  const double steps = program.watched_s() / *program.step->interval_s;
  EXPECT_EQ(two.rows[2][2], format::duration(idle_s / steps));
  EXPECT_EQ(two.columns[2].title, "idle/step");
}

TEST(ProgramReports, ListKernelsWithoutARoofByReason) {
  auto run = constructed::program_run();
  for (Measurement& measurement : run.measurements) {
    measurement.counters.insert_or_assign(std::string(counter::kFadd), CounterValue::unavailable("too late"));
    measurement.counters.insert_or_assign(std::string(counter::kFmaPipeInstructions),
                                          CounterValue::unavailable("too late"));
  }
  const ReportModel report(run);
  const Table table = roofless_table(*report.experiments.at(0).program, 10);
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), [](const auto& cells) {
    return cells.back() == "FP32 operations not counted: too late";
  });
  ASSERT_NE(row, table.rows.end());
  EXPECT_THAT(row->front(), testing::MatchesRegex(".* and [0-9]+ more"));
  EXPECT_LT(table.rows.size(), run.measurements.size());
}

TEST(ProgramReports, ListKernelsWithoutARoofOnceThoughTheyWereLaunchedDifferentlyOften) {
  auto run = constructed::program_run();
  std::size_t launches = 0;
  for (Measurement& measurement : run.measurements) {
    const auto uncounted = CounterValue::unavailable(
        fmt::format("none of its {} launches was counted in the pass operations", ++launches));
    measurement.counters.insert_or_assign(std::string(counter::kFadd), uncounted);
    measurement.counters.insert_or_assign(std::string(counter::kFmaPipeInstructions), uncounted);
  }
  const ReportModel report(run);
  const Table table = roofless_table(*report.experiments.at(0).program, 10);
  EXPECT_EQ(std::count_if(table.rows.begin(), table.rows.end(),
                          [](const auto& cells) {
                            return cells.back() ==
                                   "FP32 operations: launched only while these were not counted";
                          }),
            1);
}

TEST(ProgramReports, AreWrittenWithoutNonsense) {
  const auto run = constructed::program_run();
  const TemporaryFolder folder;
  write_reports(ReportModel(run), folder.path(), {});
  const std::string summary = read_file(folder.path() / "summary.md");
  EXPECT_THAT(summary, HasSubstr("**NVTX ranges, whole run**"));
  EXPECT_THAT(summary, HasSubstr("**Without a roof**"));
  EXPECT_THAT(summary, HasSubstr("launched once, before it could be counted"));
  EXPECT_THAT(summary, Not(HasSubstr("AI useful")));
  EXPECT_THAT(summary, Not(HasSubstr("From version to version")));
  EXPECT_THAT(summary, Not(HasSubstr("nan")));
  const std::string page = page_data(ReportModel(run));
  EXPECT_THAT(page, Not(HasSubstr("useful performance")));
  EXPECT_THAT(page, HasSubstr("\"program\""));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "energy-train_py.svg"));
  const std::string time = "time-" + ReportModel(run).experiments.at(0).file_name;
  for (const char* extension : {".svg", ".png", ".pdf"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / (time + extension))) << extension;
  }
  EXPECT_THAT(summary, HasSubstr("(" + time + ".png)"));
}

TEST(ProgramReports, PagesHaveTheirRangesFiguresAndTypes) {
  auto run = constructed::program_run();
  // One group outside of all ranges.
  run.measurements.front().point.axes.erase(axis::kPath);
  const ReportModel report(run);
  const ProgramUse& use = *report.experiments.at(0).program;
  const auto experiment = nlohmann::json::parse(page_data(report)).at("run").at("experiments").at(0);
  const auto& program = experiment.at("program");
  const auto& outside = program.at("ranges").back();
  EXPECT_EQ(outside.at("path"), "");
  EXPECT_EQ(outside.at("launches"), run.measurements.front().launches->count);
  double total_s = 0;
  for (const auto& range : program.at("ranges")) {
    if (range.at("depth") == 0) total_s += range.at("total_s").get<double>();
  }
  EXPECT_NEAR(total_s, use.kernel_s, 1e-5 * use.kernel_s);
  const auto& group = experiment.at("points").at(0).at("group");
  EXPECT_EQ(group.at("type"), "BF16 Tensor");
  EXPECT_EQ(group.at("uses").at(0).at(0), "tensor");
  EXPECT_EQ(program.at("kernels").at(group.at("kernel").get<std::size_t>()).at("name"),
            constructed::kGemmName);
  for (const auto& roof : group.at("roofs")) {
    EXPECT_EQ(nlohmann::json::parse(page_data(report))
                  .at("run")
                  .at("roofs")
                  .at(roof.get<std::size_t>())
                  .at("source"),
              "measured");
  }
}

nlohmann::json figures_of(const Run& run) {
  const ReportModel report(run);
  return nlohmann::json::parse(page_data(report))
      .at("run")
      .at("experiments")
      .at(0)
      .at("program")
      .at("figures");
}

TEST(ProgramReports, HaveFiguresOfAStepAndNameTheWholeRunOnce) {
  const auto figures = figures_of(constructed::program_run());
  std::vector<std::string> texts;
  for (const auto& figure : figures) {
    texts.push_back(fmt::format("{}: {}, {}", figure.at("name").get<std::string>(),
                                figure.at("value").get<std::string>(), figure.at("note").get<std::string>()));
  }
  EXPECT_THAT(texts, testing::ElementsAre(
                         StartsWith("step: 3.900 ms, median of 13 steps"),
                         "GPU busy: 3.386 ms, 86.8 % of a step", "GPU idle: 514.4 µs, 13.2 % of a step",
                         StartsWith("Tensor Core kernels: 1.127 ms, 28.9 % of a step, at "),
                         "whole run: 20 steps, 1943 launches of 11 kernels; 52 launches were not timed"));
}

TEST(ProgramReports, SayTheSameInAnExplanation) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ProgramUse& program = *report.experiments.at(0).program;
  const std::string text = program_explanation(report, 1000);
  const std::string headline = program_headline(program);
  EXPECT_THAT(text, StartsWith(headline.substr(0, headline.find(','))));
  EXPECT_THAT(
      text,
      HasSubstr(
          "GPU idle: 514.4 µs (13.2 %)\n  77 % of the idle time is in 69.8 gaps below 100 µs per step"));
  EXPECT_THAT(text, HasSubstr("  next: Use CUDA graphs"));
}

TEST(ProgramReports, WithoutStepsAreOfAllTime) {
  auto run = constructed::program_run();
  run.application->ranges.clear();
  const auto figures = figures_of(run);
  EXPECT_EQ(figures.at(0).at("name"), "time");
  EXPECT_EQ(figures.at(1).at("note"), "89.2 % of the time");
  EXPECT_EQ(figures.back().at("value"), "1943 launches");
  const ReportModel report(run);
  const std::vector<std::string> sentences = program_sentences(run, *report.experiments.at(0).program);
  EXPECT_EQ(sentences.at(0), "GPU busy 89.2 %, idle 10.8 % (over 58.29 ms without counting).");
  EXPECT_THAT(sentences, testing::Each(testing::Not(HasSubstr("step"))));
}

TEST(ProgramReports, TensorCoresThatWereNotCountedAreNotZero) {
  auto run = constructed::program_run();
  const auto figure_of = [](const auto& program) {
    const ReportModel report(program);
    const auto experiment = nlohmann::json::parse(page_data(report)).at("run").at("experiments").at(0);
    for (const auto& figure : experiment.at("program").at("figures")) {
      if (figure.at("name") == "Tensor Core kernels") return figure.at("value").get<std::string>();
    }
    return std::string("no such figure");
  };
  EXPECT_EQ(figure_of(run), "1.127 ms");
  for (Measurement& measurement : run.measurements) {
    std::erase_if(measurement.counters, [](const auto& entry) { return entry.first.starts_with("tensor_"); });
  }
  EXPECT_EQ(figure_of(run), "–");
}

// Tensor Cores of the program: 24 launches of 8.4 ms and more, of which 20 have a time.
TEST(ProgramReports, TensorCoresAreThoseOfTheGroupsThatUseThem) {
  const auto run = constructed::program_run();
  const ReportModel report(run);
  const ProgramUse& use = *report.experiments.at(0).program;
  double share = 0;
  double time_s = 0;
  for (const RooflinePoint* group : use.groups) {
    const ResourceUse* tensor = find_use(*group, Bound::tensor);
    if (tensor == nullptr || !(tensor->amount > 0)) continue;
    share += group->launches->share;
    time_s += *tensor->time_s * static_cast<double>(group->measurement->launches->traced);
  }
  EXPECT_GT(share, 0.1);
  EXPECT_DOUBLE_EQ(use.tensor_share, share);
  EXPECT_NEAR(use.tensor_use, time_s / use.in_steps_s, 1e-12);
  EXPECT_LE(use.tensor_use, use.tensor_share);
}

}  // namespace
}  // namespace rooflinectl::program_reports_test
