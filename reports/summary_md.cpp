// SPDX-License-Identifier: Apache-2.0
#include "reports/summary_md.h"

#include <fmt/format.h>

#include "reports/chart_model.h"
#include "reports/file_names.h"
#include "reports/format.h"
#include "reports/point_table.h"

namespace rooflinectl {
namespace {

// Names from files are text, never markup.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]<>|#&~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", escaped(cell));
  return row + "\n";
}

std::string point_table(const ExperimentAnalysis& experiment) {
  std::vector<std::string> titles;
  std::string rule = "|";
  for (const PointColumn& column : point_columns()) {
    titles.emplace_back(column.title);
    rule += column.is_number ? "---:|" : "---|";
  }
  std::string table = table_row(titles) + rule + "\n";
  for (const RooflinePoint& point : experiment.points) {
    std::vector<std::string> cells;
    for (const PointColumn& column : point_columns()) cells.push_back(column.text(point));
    table += table_row(cells);
  }
  return table;
}

std::string causes(const ExperimentAnalysis& experiment) {
  std::string text;
  for (const RooflinePoint& point : experiment.points) {
    if (point.measurement->cause.empty()) continue;
    text += fmt::format("- {} {}: {}\n", escaped(point.label), to_string(point.measurement->status),
                        escaped(point.measurement->cause));
  }
  return text.empty() ? text : "\n" + text;
}

std::string steps(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMostMoves = 3;
  if (experiment.steps.empty()) return {};
  std::string text = "\n**From version to version**\n\n";
  for (const LadderStep& step : experiment.steps) {
    text += fmt::format("- {}\n", escaped(step_text(step, kMostMoves)));
  }
  return text;
}

std::string section(const Run& run, const ExperimentAnalysis& experiment) {
  const std::string title = escaped(experiment.title.empty() ? experiment.name : experiment.title);
  return fmt::format("## {}\n\n![Roofline: {}]({}.png)\n\n{}\n\n{}{}{}\n", title, title,
                     chart_file_name(experiment.name), escaped(provenance(run, experiment.points)),
                     point_table(experiment), causes(experiment), steps(experiment));
}

std::string ceilings(const Run& run) {
  std::string text =
      "## Ceilings\n\n| ceiling | value | source | SM clock | spread | method "
      "|\n|---|---:|---|---:|---:|---|\n";
  for (const CeilingRow& row : ceiling_rows(run)) {
    text += table_row({row.name, row.value, row.source, row.clock, row.spread, row.method});
  }
  return run.ceilings.empty() ? std::string("## Ceilings\n\nNone.\n") : text;
}

std::string environment(const Run& run) {
  std::string text = "\n## Environment\n\n| | |\n|---|---|\n";
  for (const Fact& fact : environment_facts(run)) text += table_row({fact.name, fact.text});
  return text;
}

}  // namespace

std::string summary_md(const Run& run, const Analysis& analysis) {
  std::string text = fmt::format(
      "# Roofline of {}\n\n{} · {} · {}\n\nGB/s: compulsory bytes over time. AI: FLOP per byte of DRAM "
      "traffic, useful "
      "(declared by the algorithm) and executed (counted). Of roof: against the measured ceilings.\n\n",
      escaped(run.plan.name), escaped(run.device.name), escaped(format::utc(run.started_utc)),
      to_string(run.source));
  for (const ExperimentAnalysis& experiment : analysis.experiments) text += section(run, experiment);
  return text + ceilings(run) + environment(run);
}

}  // namespace rooflinectl
