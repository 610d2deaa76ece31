// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/analysis.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
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
  std::string text = text_table(rooflinectl::point_table(experiment, shown), width);
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

std::string rows_of(const Table& table, std::size_t width) {
  return text_table(table, width) + (table.left_out > 0 ? more(table.left_out, "row") : "");
}

// With its title and what there is to say below it, after an empty line; nothing if it is empty.
std::string titled_table(const Table& table, std::size_t width) {
  if (table.empty()) return {};
  std::string text = "\n" + sentence(table.title, width) + rows_of(table, width);
  for (const std::string& note : table.notes) text += paragraph(note, width);
  return text;
}

// What a profiled program lost, and where to begin.
std::string program_head(const ExperimentReport& report, std::size_t width) {
  constexpr std::size_t kMostLosses = 5;
  const ProgramUse& program = *report.program;
  const Table table = loss_table(program, kMostLosses);
  return paragraph(fmt::format("{}: {}", report.analysis->name, report.chart.title), width) +
         paragraph(program_headline(program), width) + "\n" +
         (table.empty() ? "" : rows_of(table, width) + "\n");
}

// What a profiled program did, and what could be gained.
std::string program_block(const ExperimentReport& report, std::size_t width, Rows rows) {
  constexpr std::size_t kTop = 10;
  const std::size_t most = rows == Rows::all ? report.analysis->points.size() : kTop;
  const Run& run = *report.run;
  const ProgramUse& program = *report.program;
  std::string text = program_head(report, width);
  const Table recoverable = recoverable_table(program, most);
  if (!recoverable.empty()) text += rows_of(recoverable, width) + "\n";
  for (const std::string& line : program_sentences(run, program)) text += paragraph(line, width);
  if (report.operators) {
    for (const std::string& line : operator_sentences(*report.operators)) text += paragraph(line, width);
  }
  text += paragraphs(program_problems(run), width, rows);
  for (const Table& table :
       {gap_table(program), idle_before_table(program, most / 2), transfer_table(program),
        range_table(program, rows == Rows::all ? program.ranges.size() : kTop),
        roofless_table(program, most)}) {
    text += titled_table(table, width);
  }
  if (report.operators) {
    text += titled_table(operator_table(*report.operators, most), width);
    text += titled_table(module_table(*report.operators, most), width);
  }
  text += fmt::format("\n{}", paragraphs(cause_texts(*report.analysis), width, rows));
  text += paragraphs(implausible_texts(report.analysis->points), width, rows);
  return text + paragraph(report.chart.provenance, width);
}

// The ranks of a program beside each other.
std::string rank_block(const ReportModel& report, std::size_t width, Rows rows) {
  constexpr std::size_t kTop = 10;
  const RankAnalysis& ranks = *report.ranks;
  const std::size_t most = rows == Rows::all ? ranks.groups.size() + ranks.ranks.size() : kTop;
  std::string text;
  for (const std::string& line : rank_sentences(report.run, ranks)) text += paragraph(line, width);
  for (const Table& table : rank_tables(report.run, ranks, most)) text += titled_table(table, width);
  return text + "\n";
}

std::string block(const ExperimentReport& report, std::size_t width, Rows rows) {
  if (report.program && !kinds_of(*report.analysis).has_variants) {
    return program_block(report, width, rows);
  }
  const ExperimentAnalysis& experiment = *report.analysis;
  std::string text = paragraph(fmt::format("{}: {}", experiment.name, report.chart.title), width);
  text += point_table(experiment, width, rows);
  text += paragraphs(cause_texts(experiment), width, rows);
  text += paragraphs(implausible_texts(experiment.points), width, rows);
  text += paragraphs(energy_reasons(experiment), width, rows);
  text += paragraph(report.chart.provenance, width);
  if (!report.scaling) return text;
  for (const Table& table : scaling_tables(*report.scaling)) text += titled_table(table, width);
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
  for (const Table& table : spread_tables(run, report.spread, kMostSpreads))
    text += titled_table(table, width);
  for (const Table& table : link_tables(run)) text += titled_table(table, width);
  std::vector<Table> collectives = collective_tables(run);
  if (!collectives.empty()) {
    collectives.front().remove_empty();
    text += titled_table(collectives.front(), width);
  }
  if (run.self_test) text += self_test_lines(*run.self_test, width);
  if (run.primitives.empty()) return text;
  Table primitives = primitive_table(run);
  primitives.title = "primitives, in SM cycles";
  return text + titled_table(primitives, width);
}

std::size_t width_of(int columns) {
  return static_cast<std::size_t>(std::max(columns, 1));
}

}  // namespace

std::string terminal_summary(const ReportModel& report, int columns, Rows rows) {
  const std::size_t width = width_of(columns);
  if (report.experiments.empty()) {
    const std::string tables =
        text_table(ceiling_table(report.run, report.ceilings), width) + below_tables(report, width, rows);
    if (!report.nothing_measured.empty()) return paragraph(report.nothing_measured, width) + "\n" + tables;
    return tables.empty() ? sentence("the run has neither points nor ceilings", width) : tables;
  }
  std::string text;
  for (const ExperimentReport& experiment : report.experiments) {
    if (!text.empty()) text += "\n";
    // The tables of all GPUs together are enough at first.
    const bool is_part = report.of_together && experiment.program && !experiment.is_together();
    text += is_part && rows != Rows::all ? program_head(experiment, width) + "--all shows its tables\n"
                                         : block(experiment, width, rows);
  }
  if (report.ranks) text += "\n" + rank_block(report, width, rows);
  text += below_tables(report, width, rows);
  const std::string roofline = terminal_roofline(report.experiments.front(), columns);
  return roofline.empty() ? text : fmt::format("{}\n{}", text, roofline);
}

std::string terminal_self_test(const SelfTest& self_test, int columns) {
  return text_table(self_test_table(self_test), width_of(columns)) + "\n" +
         self_test_lines(self_test, width_of(columns));
}

}  // namespace rooflinectl
