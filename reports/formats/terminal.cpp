// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/energy.h"
#include "reports/charts/model/chart_model.h"
#include "reports/sentences/kernel_text.h"
#include "reports/sentences/notable_points.h"
#include "reports/sentences/point_text.h"
#include "reports/tables/ceiling_table.h"
#include "reports/tables/devices/collective_table.h"
#include "reports/tables/devices/link_table.h"
#include "reports/tables/devices/rank_table.h"
#include "reports/tables/devices/scaling_table.h"
#include "reports/tables/devices/spread_table.h"
#include "reports/tables/loss_table.h"
#include "reports/tables/operator_table.h"
#include "reports/tables/point_table.h"
#include "reports/tables/primitive_table.h"
#include "reports/tables/program_table.h"
#include "reports/tables/self_test_table.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

// More lines of a kind would hide the rest.
constexpr std::size_t kMostTerminalRows = 40;
constexpr std::size_t kMostSentences = 10;

std::string more(std::size_t left_out, std::string_view what) {
  return fmt::format("… {}; --all shows all\n", format::counted(left_out, fmt::format("more {}", what)));
}

std::string point_table(const ExperimentAnalysis& experiment, std::size_t width, Rows rows) {
  if (experiment.points.empty()) return sentence("the run has no point of this experiment", width);
  const std::vector<std::size_t> shown = rows == Rows::all
                                             ? notable_points(experiment, experiment.points.size())
                                             : notable_points(experiment, kMostTerminalRows);
  std::vector<TextColumn> columns;
  for (const PointColumn& column : point_columns(kinds_of(experiment))) {
    std::vector<std::string> texts;
    for (const std::size_t index : shown) texts.push_back(column.text(experiment.points[index]));
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  std::string text = text_table(std::move(columns), width,
                                {"flags", "launch", "dtype", "AI useful", "n", "power", "AI exec.", "GB/s"});
  if (shown.size() < experiment.points.size()) {
    text += sentence(fmt::format("{} points: {}; --all shows {} more", shown.size(),
                                 notable_points_text(experiment), experiment.points.size() - shown.size()),
                     width);
  }
  return text;
}

std::string paragraphs(const std::vector<std::string>& texts, std::size_t width, Rows rows) {
  const std::size_t shown = rows == Rows::all ? texts.size() : std::min(texts.size(), kMostSentences);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += paragraph(texts[i], width);
  return shown < texts.size() ? text + more(texts.size() - shown, "sentence") : text;
}

std::string ceiling_table(const ReportModel& report, std::size_t width) {
  if (report.ceilings.empty()) return {};
  std::vector<TextColumn> columns;
  for (const CeilingColumn& column : ceiling_columns()) {
    if (column.title == "method") continue;
    std::vector<std::string> texts;
    for (const CeilingPair& pair : report.ceilings) {
      // What the counters measured instead is below the table.
      const bool is_finding = column.title == "counted" && pair.measured != nullptr &&
                              pair.measured->confirmation && !pair.measured->confirmation->agrees;
      texts.push_back(is_finding ? "no" : column.text(report.run, pair));
    }
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return text_table(std::move(columns), width, {"at SM clock", "SM clock", "theoretical"});
}

std::vector<std::string> cause_texts(const ExperimentAnalysis& experiment) {
  std::vector<std::string> texts;
  for (const RooflinePoint& point : experiment.points) {
    const Measurement& measurement = *point.measurement;
    if (measurement.cause.empty()) continue;
    texts.push_back(fmt::format("{} {}: {}", point.label, to_string(measurement.status), measurement.cause));
  }
  return texts;
}

std::string program_table(const ProgramTable& table, std::size_t width,
                          const std::vector<std::string_view>& dispensable) {
  if (table.rows.empty()) return {};
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<std::string> texts;
    for (const auto& row : table.rows) texts.push_back(row[i]);
    columns.push_back(text_column(table.columns[i].title, table.columns[i].is_number, texts));
  }
  return text_table(std::move(columns), width, dispensable) +
         (table.left_out > 0 ? more(table.left_out, "row") : "");
}

// What a profiled program did, and what could be gained.
std::string program_block(const ExperimentReport& report, std::size_t width, Rows rows) {
  constexpr std::size_t kTop = 10;
  const std::size_t most = rows == Rows::all ? report.analysis->points.size() : kTop;
  const Run& run = *report.run;
  const ProgramUse& program = *report.program;
  std::string text = sentence(fmt::format("{}: {}", report.analysis->name, report.chart.title), width) +
                     paragraph(program_headline(program), width) + "\n";
  const std::string where_to_begin = program_table(loss_table(program, kTop / 2), width, {});
  if (!where_to_begin.empty()) text += where_to_begin + "\n";
  const std::string savings = program_table(recoverable_table(program, most), width, {"launches"});
  if (!savings.empty()) text += savings + "\n";
  for (const std::string& line : program_sentences(run, program)) text += paragraph(line, width);
  if (report.operators) {
    for (const std::string& line : operator_sentences(*report.operators)) text += paragraph(line, width);
  }
  text += paragraphs(program_problems(run), width, rows);
  for (const auto& [table, dispensable] :
       {std::pair(gap_table(program), std::vector<std::string_view>{}),
        std::pair(idle_before_table(program, most / 2), std::vector<std::string_view>{"mean gap", "gaps"}),
        std::pair(transfer_table(program), std::vector<std::string_view>{"of ceiling", "number"}),
        std::pair(range_table(program, rows == Rows::all ? program.ranges.size() : kTop),
                  std::vector<std::string_view>{"launches", "FLOP/byte"}),
        std::pair(roofless_table(program, most), std::vector<std::string_view>{"launches"})}) {
    const std::string shown = program_table(table, width, dispensable);
    if (!shown.empty()) text += fmt::format("\n{}\n{}", table.title, shown);
  }
  if (report.operators) {
    for (const ProgramTable& table :
         {operator_table(*report.operators, most), module_table(*report.operators, most)}) {
      const std::string shown = program_table(table, width, {"launches", "FLOP/byte"});
      if (!shown.empty()) text += fmt::format("\n{}\n{}", table.title, shown);
    }
  }
  text += fmt::format("\n{}", paragraphs(cause_texts(*report.analysis), width, rows));
  text += paragraphs(implausible_texts(report.analysis->points), width, rows);
  return text + paragraph(report.chart.provenance, width);
}

std::string device_table(const DeviceTable& table, std::size_t width) {
  std::string text = sentence(table.title, width);
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<std::string> texts;
    for (const auto& row : table.rows) texts.push_back(row[i]);
    columns.push_back(text_column(table.columns[i].title, table.columns[i].is_number, texts));
  }
  if (!table.rows.empty()) text += text_table(std::move(columns), width, {});
  for (const std::string& reason : table.reasons) text += paragraph(reason, width);
  return text;
}

// The ranks of a program beside each other.
std::string rank_block(const ReportModel& report, std::size_t width, Rows rows) {
  constexpr std::size_t kTop = 10;
  const RankAnalysis& ranks = *report.ranks;
  const std::size_t most = rows == Rows::all ? ranks.groups.size() + ranks.ranks.size() : kTop;
  std::string text;
  for (const std::string& line : rank_sentences(report.run, ranks)) text += paragraph(line, width);
  for (const auto& [table, dispensable] :
       {std::pair(rank_table(report.run, ranks, most), std::vector<std::string_view>{"device", "host"}),
        std::pair(rank_collective_table(ranks, most), std::vector<std::string_view>{"compared"}),
        std::pair(rank_collective_size_table(report.run, ranks, most),
                  std::vector<std::string_view>{"algorithm bandwidth", "compared"}),
        std::pair(rank_range_table(ranks, most),
                  std::vector<std::string_view>{"ranks", "shortest", "longest"}),
        std::pair(rank_group_table(ranks, most), std::vector<std::string_view>{"ranks", "range"})}) {
    const std::string shown = program_table(table, width, dispensable);
    if (!shown.empty()) text += fmt::format("\n{}\n{}", table.title, shown);
  }
  return text + "\n";
}

std::string block(const ExperimentReport& report, std::size_t width, Rows rows) {
  if (report.program && !kinds_of(*report.analysis).has_variants) {
    return program_block(report, width, rows);
  }
  const ExperimentAnalysis& experiment = *report.analysis;
  std::string text = sentence(fmt::format("{}: {}", experiment.name, report.chart.title), width);
  text += point_table(experiment, width, rows);
  text += paragraphs(cause_texts(experiment), width, rows);
  text += paragraphs(implausible_texts(experiment.points), width, rows);
  text += paragraphs(energy_reasons(experiment), width, rows);
  text += paragraph(report.chart.provenance, width);
  if (!report.scaling) return text;
  for (const DeviceTable& table : scaling_tables(*report.scaling)) {
    text += fmt::format("\n{}", device_table(table, width));
  }
  return text;
}

std::string primitive_table(const Run& run, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const PrimitiveColumn& column : primitive_columns()) {
    std::vector<std::string> texts;
    for (const PrimitiveResult& result : run.primitives) texts.push_back(column.text(run, result));
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  std::string text = "primitives, in SM cycles\n" +
                     text_table(std::move(columns), width, {"bandwidth", "elements/s", "throughput"});
  for (const std::string& failure : primitive_failures(run)) text += paragraph(failure, width);
  return text;
}

std::string self_test_lines(const SelfTest& self_test, std::size_t width) {
  std::string text = paragraph(fmt::format("self-test: {}", self_test_verdict(self_test)), width);
  const std::vector<std::string> findings = self_test_findings(self_test);
  for (const std::string& finding : findings) text += paragraph(finding, width);
  if (!findings.empty()) text += paragraph(std::string(kSuspectCounters), width);
  return text;
}

// What a run shows below its points or its ceilings.
std::string below_tables(const ReportModel& report, std::size_t width, Rows rows) {
  const Run& run = report.run;
  std::string text;
  text += paragraphs(compiler_findings(run), width, rows);
  for (const std::string& finding : ceiling_findings(report.ceilings)) text += paragraph(finding, width);
  constexpr std::size_t kMostSpreads = 8;
  for (const DeviceTable& table : spread_tables(run, report.spread, kMostSpreads)) {
    text += fmt::format("\n{}", device_table(table, width));
  }
  for (const DeviceTable& table : link_tables(run)) text += fmt::format("\n{}", device_table(table, width));
  const std::vector<DeviceTable> collectives = collective_tables(run);
  if (!collectives.empty()) text += fmt::format("\n{}", device_table(collectives.front(), width));
  if (run.self_test) text += self_test_lines(*run.self_test, width);
  if (!run.primitives.empty()) text += fmt::format("\n{}", primitive_table(run, width));
  return text;
}

std::size_t width_of(int columns) {
  return static_cast<std::size_t>(std::max(columns, 1));
}

}  // namespace

std::string terminal_summary(const ReportModel& report, int columns, Rows rows) {
  const std::size_t width = width_of(columns);
  if (report.experiments.empty()) {
    const std::string tables = ceiling_table(report, width) + below_tables(report, width, rows);
    return tables.empty() ? sentence("the run has neither points nor ceilings", width) : tables;
  }
  std::string text = report.ranks ? rank_block(report, width, rows) : "";
  for (const ExperimentReport& experiment : report.experiments) {
    if (!text.empty()) text += "\n";
    text += block(experiment, width, rows);
  }
  text += below_tables(report, width, rows);
  const std::string roofline = terminal_roofline(report.experiments.front(), columns);
  return roofline.empty() ? text : fmt::format("{}\n{}", text, roofline);
}

std::string terminal_self_test(const SelfTest& self_test, int columns) {
  std::vector<TextColumn> table_columns;
  for (const SelfTestColumn& column : self_test_columns()) {
    std::vector<std::string> texts;
    for (const Agreement& agreement : self_test.agreements) texts.push_back(column.text(agreement));
    table_columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return text_table(std::move(table_columns), width_of(columns), {"tolerance"}) + "\n" +
         self_test_lines(self_test, width_of(columns));
}

}  // namespace rooflinectl
