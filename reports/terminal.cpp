// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/analysis.h"
#include "reports/ceiling_table.h"
#include "reports/chart_model.h"
#include "reports/point_table.h"
#include "reports/primitive_table.h"
#include "reports/reports.h"
#include "reports/self_test_table.h"
#include "reports/text_table.h"

namespace rooflinectl {
namespace {

std::string point_table(const ExperimentAnalysis& experiment, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const PointColumn& column : point_columns()) {
    std::vector<std::string> texts;
    for (const RooflinePoint& point : experiment.points) texts.push_back(column.text(point));
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return text_table(std::move(columns), width, {"limit"});
}

std::string ceiling_table(const ReportModel& report, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const CeilingColumn& column : ceiling_columns()) {
    if (column.title == "method") continue;
    std::vector<std::string> texts;
    for (const CeilingPair& pair : report.ceilings) {
      // What the counters say instead stands below the table.
      const bool is_finding = column.title == "counted" && pair.measured != nullptr &&
                              pair.measured->confirmation && !pair.measured->confirmation->agrees;
      texts.push_back(is_finding ? "no" : column.text(report.run, pair));
    }
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return text_table(std::move(columns), width, {"at its clock", "SM clock", "theoretical"});
}

std::string block(const ExperimentReport& report, std::size_t width) {
  const ExperimentAnalysis& experiment = *report.analysis;
  const std::string title = experiment.title.empty() ? experiment.name : experiment.title;
  std::string text = sentence(fmt::format("{}: {}", experiment.name, title), width);
  text += point_table(experiment, width);
  for (const RooflinePoint& point : experiment.points) {
    const Measurement& measurement = *point.measurement;
    if (measurement.cause.empty()) continue;
    text += sentence(fmt::format("{} {}: {}", point.label, to_string(measurement.status), measurement.cause),
                     width);
  }
  for (const std::string& finding : implausible_texts(experiment.points)) text += paragraph(finding, width);
  return text + sentence(report.chart.provenance, width);
}

std::string primitive_table(const Run& run, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const PrimitiveColumn& column : primitive_columns()) {
    std::vector<std::string> texts;
    for (const PrimitiveResult& result : run.primitives) texts.push_back(column.text(run, result));
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  std::string text = "primitives, in cycles of an SM\n" +
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
std::string below_tables(const ReportModel& report, std::size_t width) {
  const Run& run = report.run;
  std::string text;
  for (const std::string& finding : ceiling_findings(report.ceilings)) text += paragraph(finding, width);
  if (run.self_test) text += self_test_lines(*run.self_test, width);
  if (!run.primitives.empty()) text += fmt::format("\n{}", primitive_table(run, width));
  return text;
}

std::size_t width_of(int columns) {
  return static_cast<std::size_t>(std::max(columns, 1));
}

}  // namespace

std::string terminal_summary(const ReportModel& report, int columns) {
  const std::size_t width = width_of(columns);
  if (report.experiments.empty()) return ceiling_table(report, width) + below_tables(report, width);
  std::string text;
  for (const ExperimentReport& experiment : report.experiments) {
    if (!text.empty()) text += "\n";
    text += block(experiment, width);
  }
  text += below_tables(report, width);
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
