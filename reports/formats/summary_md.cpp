// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "analysis/roofline/point.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/model/chart_model.h"
#include "reports/charts/model/size_sweep.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace {

using namespace markdown;

constexpr std::string_view kExplanation =
    "GB/s: compulsory bytes over time. AI: operations per byte of DRAM traffic, useful (declared by the "
    "algorithm) and executed (counted). % of roofline: relative to the measured ceilings. Busiest level: the "
    "memory level with the highest utilisation of its measured ceiling.\n\n";

constexpr std::string_view kProgramExplanation =
    "Share: of the time of all kernels. AI: executed operations per counted byte of DRAM traffic. % of "
    "roofline: the least time that the counted work needs at the ceilings, over the mean time of a launch. "
    "Could save: what all launches took beyond that. Roof: the resource that takes longest, and its "
    "ceiling.\n\n";

std::string titled_tables(const std::vector<Table>& tables) {
  return format::joined(tables, "", titled_table);
}

/// Takes columns with the same content in every row away, which makes the table narrower, for the sentence
/// that comes back: `All of them: n 2^28, dtype f32.`
std::string take_shared(Table& table) {
  std::vector<std::string> texts;
  for (const std::string_view title : {"n", "dtype", "cache", "launch", "flags"}) {
    const auto shared = table.remove_constant(title);
    if (shared && !shared->empty()) texts.push_back(fmt::format("{} {}", title, *shared));
  }
  return texts.empty() ? "" : fmt::format("All of them: {}.", format::joined(texts));
}

/// For a program's kernels, the longest first; for many points, the notable ones.
std::string point_table(const ExperimentReport& report) {
  const ExperimentAnalysis& experiment = *report.analysis;
  if (experiment.points.empty()) return "The run has no point of this experiment.\n";
  constexpr std::size_t kMost = 40;
  constexpr std::size_t kMostOfAProgram = 200;
  const std::vector<std::size_t> shown = notable_points(experiment, report.program ? kMostOfAProgram : kMost);
  Table points = rooflinectl::point_table(experiment, shown);
  const std::string shared = take_shared(points);
  const std::string table = (shared.empty() ? "" : escaped(shared) + "\n\n") + markdown::table(points);
  if (shown.size() == experiment.points.size()) return table;
  return table + fmt::format("\n{} of {} points: {}. points.csv has all of them.\n", shown.size(),
                             experiment.points.size(), notable_points_text(experiment));
}

std::string program(const Run& run, const ExperimentReport& report) {
  if (!report.program) return {};
  constexpr std::size_t kMostRows = 50;
  constexpr std::size_t kTop = 10;
  const ProgramUse& program = *report.program;
  std::string text = fmt::format("**{}**\n\n", escaped(program_headline(program)));
  std::vector<std::string> lines = program_sentences(run, program);
  const auto end = std::back_inserter(lines);
  if (report.timeline) std::ranges::move(timeline_sentences(*report.timeline), end);
  if (report.operators) std::ranges::move(operator_sentences(*report.operators), end);
  std::ranges::move(program_problems(run), end);
  text += list(lines);
  text +=
      titled_tables({loss_table(program, kTop / 2), recoverable_table(program, kTop),
                     range_table(program, kMostRows), gap_table(program), idle_before_table(program, kTop),
                     transfer_table(program), roofless_table(program, kMostRows)});
  if (report.operators) {
    text += titled_tables(
        {operator_table(*report.operators, kMostRows), module_table(*report.operators, kMostRows)});
  }
  return text + "\n**Kernels**\n\n";
}

std::string ranks(const ReportModel& report) {
  if (!report.ranks) return {};
  constexpr std::size_t kMostRows = 50;
  const RankAnalysis& analysis = *report.ranks;
  return "## Ranks\n\n" + list(rank_sentences(report.run, analysis)) +
         titled_tables(rank_tables(report.run, analysis, kMostRows)) + "\n";
}

/// For a program, those of the kernels that could save most.
std::string findings(const ExperimentReport& report) {
  constexpr std::size_t kMostOfAProgram = 10;
  std::vector<std::size_t> shown;
  if (report.program) {
    for (const RooflinePoint* point : report.program->recoverable) {
      if (shown.size() == kMostOfAProgram) break;
      shown.push_back(static_cast<std::size_t>(point - report.analysis->points.data()));
    }
  } else {
    shown.resize(report.explanations.size());
    std::iota(shown.begin(), shown.end(), 0);
  }
  std::vector<std::string> texts;
  for (const std::size_t i : shown) {
    const std::vector<Finding>& findings = report.explanations[i].findings;
    if (findings.empty()) continue;
    texts.push_back(fmt::format("{}: {}", report.analysis->points[i].label, findings_text(findings)));
  }
  if (texts.empty()) return {};
  return "\n**What bounds them** (details: `rooflinectl explain`)\n" + list(texts);
}

std::string steps(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMostMoves = 3;
  if (experiment.steps.empty()) return {};
  const auto text = [](const LadderStep& step) { return step_text(step, kMostMoves); };
  return "\n**From version to version**\n" + list(format::each(experiment.steps, text));
}

std::string speeds(const std::vector<SpeedTable>& all) {
  return format::joined(all, "", [](const SpeedTable& one) { return titled_table(speed_table(one)); });
}

/// A picture as wide as the text, which leads to the large one.
std::string linked_picture(std::string_view name, const std::string& shown, const std::string& large) {
  return fmt::format("[![{}]({}.png)]({}.png)\n\n", name, shown, large);
}

/// Those that can be read at the width of a text, and links to the others.
std::string pictures(const ExperimentReport& report, const std::string& title) {
  const auto file = [&](std::string_view kind) { return chart_file_name(kind, report.file_name); };
  std::string shown;
  std::vector<std::string> links;
  if (report.program) {
    shown += linked_picture("Where the time goes: " + title, file(kTimeKind), file(kTimeKind));
  }
  if (report.sizes) {
    shown +=
        linked_picture("Bandwidth against size: " + title, file(kSummarySizeSweepKind), file(kSizeSweepKind));
  }
  const std::string_view roofline = report.has_narrow_picture() ? kSummaryRooflineKind : kRooflineKind;
  shown += linked_picture("Roofline: " + title, file(roofline), file(kRooflineKind));
  if (has_levels(*report.analysis)) links.push_back(fmt::format("[all levels]({}.png)", file(kLevelsKind)));
  if (has_energy(*report.analysis)) links.push_back(fmt::format("[energy]({}.png)", file(kEnergyKind)));
  if (!links.empty()) shown += fmt::format("Further pictures: {}\n\n", format::joined(links));
  return shown;
}

std::string scaling_part(const ExperimentReport& report) {
  if (!report.scaling) return {};
  const std::string file = chart_file_name(kScalingKind, report.file_name);
  return fmt::format("{}\n{}\n\n{}", titled_tables(scaling_tables(*report.scaling)), kScalingExplanation,
                     linked_picture("Scaling over GPUs", file, file));
}

std::string section(const ExperimentReport& report) {
  const ExperimentAnalysis& experiment = *report.analysis;
  const std::string title = escaped(experiment.title.empty() ? experiment.name : experiment.title);
  if (report.was_watched()) {
    return fmt::format("## {}\n\n{}\n{}\n", title, list(timeline_sentences(*report.timeline)),
                       markdown::table(strip_table(*report.timeline)));
  }
  return fmt::format("## {}\n\n{}{}\n\n{}{}{}{}{}{}{}{}\n", title, pictures(report, title),
                     escaped(report.chart.provenance), program(*report.run, report), point_table(report),
                     list(cause_texts(experiment)),
                     list(implausible_texts(experiment.points)) + list(energy_reasons(experiment)),
                     findings(report), steps(experiment), speeds(report.speeds), scaling_part(report));
}

std::string primitives(const Run& run) {
  if (run.primitives.empty()) return {};
  std::string text = fmt::format("## Primitives\n\n[Picture of latency and throughput]({}.png). {}\n\n",
                                 kPrimitivesFileName, kPrimitiveExplanation);
  const Table table = primitive_table(run);
  return text + markdown::table(table) + list(table.notes) + "\n";
}

std::string ceilings(const ReportModel& report) {
  const Run& run = report.run;
  if (run.ceilings.empty()) return "## Ceilings\n\nNone.\n";
  const Table table = ceiling_table(run, report.ceilings);
  return "## Ceilings\n\n" + markdown::table(table) + list(table.notes);
}

std::string between_devices(const ReportModel& report) {
  const std::string picture =
      has_collectives_picture(report.run)
          ? fmt::format("[Picture of bus bandwidth against size]({}.png). ", kCollectivesFileName)
          : std::string();
  return format::joined(device_sections(report.run, report.spread), "", [&](const DeviceSection& section) {
    return fmt::format("\n## {}\n\n{}{}\n{}", section.title, section.has_picture ? picture : "",
                       section.explanation, titled_tables(section.tables));
  });
}

/// Where there are no experiments: the first device's picture, and links to those of the others.
std::string ceilings_pictures(const Run& run) {
  std::string text = linked_picture("Ceilings of the device", std::string(kSummaryRooflineKind),
                                    ceilings_chart_file_name(Run::kFirstDevice));
  std::vector<std::string> others;
  for (std::size_t device = 1; device < run.devices.size(); ++device) {
    others.push_back(fmt::format("[device {}]({}.png)", device, ceilings_chart_file_name(device)));
  }
  return others.empty() ? text : text + fmt::format("Further pictures: {}\n\n", format::joined(others));
}

/// A row per quantity, then the single numbers that do not agree.
std::string agreements(const AgreementSection& section) {
  const std::string text = fmt::format("\n## {}\n\n", escaped(section.title));
  if (!section.reason.empty())
    return text + fmt::format("Nothing was compared: {}\n", escaped(section.reason));
  const Table others =
      agreement_table(*section.agreements, section.reference,
                      [](const Agreement& agreement) { return agreement.verdict() != Verdict::agrees; });
  return text + escaped(section.summary) + "\n\n" + markdown::table(quantity_table(*section.agreements)) +
         (others.rows.empty() ? "" : "\n" + markdown::table(others));
}

// Before the tables whose numbers it makes suspect.
std::string suspicion(const Run& run) {
  if (!run.self_test) return {};
  const std::vector<std::string> findings = self_test_findings(*run.self_test);
  if (findings.empty()) return {};
  return fmt::format("**{}**\n{}\n", kSuspectCounters, list(findings));
}

std::string environment(const Run& run) {
  std::string text = "\n## Environment\n\n| | |\n|---|---|\n";
  for (const Fact& fact : environment_facts(run)) text += table_row({fact.name, fact.text});
  return text;
}

}  // namespace

std::string summary_md(const ReportModel& report) {
  const Run& run = report.run;
  std::string text =
      fmt::format("# {}Roofline of {}\n\n{} · {} · {}\n\n", headline_prefix(run, report.is_incomplete()),
                  escaped(run.plan.name), escaped(device_text(run)), escaped(format::utc(run.started_utc)),
                  to_string(run.source));
  text += suspicion(run);
  if (!report.nothing_measured.empty()) text += report.nothing_measured + "\n\n";
  if (report.has_ceilings_picture()) {
    text += ceilings_pictures(run);
  } else if (!report.experiments.empty()) {
    text += kinds_of(report.analysis).has_program ? kProgramExplanation : kExplanation;
  }
  for (const ExperimentReport& experiment : report.experiments) text += section(experiment);
  text += ranks(report);
  text += primitives(run) + ceilings(report) + between_devices(report);
  for (const AgreementSection& section : agreement_sections(run)) text += agreements(section);
  return text + environment(run);
}

}  // namespace rooflinectl
