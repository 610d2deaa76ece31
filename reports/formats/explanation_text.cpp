// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/program/recoverable.h"
#include "core/text/names.h"
#include "reports/charts/model/chart_model.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

namespace {

/// Two times that differ by less are the same: the intervals within one run do not include its drift.
constexpr double kSameTime = 0.02;

std::string unjudged_text(const std::vector<UnjudgedRule>& rules, bool in_full, std::size_t width) {
  if (rules.empty()) return {};
  if (!in_full) {
    return paragraph(
        fmt::format("({} could not be judged; --all shows why)", format::counted(rules.size(), "rule")),
        width, 2);
  }
  return format::joined(rules, "", [&](const UnjudgedRule& rule) {
    return paragraph(
        fmt::format("{}: not judged; missing: {}", rule.rule, format::joined(rule.missing, "; ")), width, 2);
  });
}

/// Something about a point that is not known: `no roof: FP64 operations: launched only while these were not
/// counted`.
struct Missing {
  std::string of;                 // `no roof`
  std::vector<std::string> what;  // `FP64 operations`; empty if all of it is in `reason`
  std::string reason;             // `: launched only while these were not counted`, ` not counted: …`
};

/// The text before `mark`, of which the text is rid together with `mark`; nothing without `mark`.
std::optional<std::string> taken_before(std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string before = text.substr(0, at);
  text.erase(0, at + mark.size());
  return before;
}

Missing missing_of(std::string_view of, const std::string& cause) {
  constexpr std::string_view kNoLaunch = ": launched only while these were not counted";
  Missing missing = {.of = std::string(of), .what = {}, .reason = plain_cause(cause)};
  if (missing.reason.ends_with(kNoLaunch)) {
    missing.what = {missing.reason.substr(0, missing.reason.size() - kNoLaunch.size())};
    missing.reason = kNoLaunch;
    return missing;
  }
  constexpr std::string_view kNotCounted = " not counted";
  if (missing.reason.ends_with(kNotCounted)) missing.reason += ": ";
  auto what = taken_before(missing.reason, " not counted: ");
  if (!what) return missing;
  // `atomics: l2_atomic_operations were`
  missing.what = {what->substr(0, what->find(':'))};
  missing.reason.insert(0, missing.reason.empty() ? " not counted" : " not counted: ");
  return missing;
}

/// Those with one reason as one.
void add_missing(std::vector<Missing>& all, Missing missing) {
  const auto same = std::ranges::find_if(
      all, [&](const Missing& one) { return !missing.what.empty() && one.reason == missing.reason; });
  if (same == all.end()) return all.push_back(std::move(missing));
  for (const std::string& what : missing.what) {
    if (std::ranges::find(same->what, what) == same->what.end()) same->what.push_back(what);
  }
}

/// What is not known about the point, and why: each reason once.
std::vector<std::string> missing_texts(const RooflinePoint& point) {
  std::vector<Missing> all;
  if (!point.measurement->time) return {};
  if (!point.roof_missing.empty()) {
    add_missing(all, missing_of(point.roof ? "partly counted" : "no roof", point.roof_missing));
  }
  // Else that says which operations were not counted.
  const bool is_said = point.roof_missing.find("operations") != std::string::npos;
  if (!is_said && !point.flops_executed && !point.executed_missing.empty() &&
      !point.measurement->counters.empty()) {
    std::string reason = plain_cause(point.executed_missing);
    taken_before(reason, ": ");  // the key of a counter
    const std::string why = reason == "not counted" ? "" : ": " + reason;
    add_missing(all, missing_of("executed work unavailable", "operations not counted" + why));
  }
  const bool matters = point.bound == Bound::unknown || is_latency(point.bound);
  for (const std::string& unjudged : point.verdict.unjudged) {
    if (matters) add_missing(all, missing_of("not judged", unjudged));
  }
  return format::each(all, [](const Missing& missing) {
    return fmt::format("{}: {}{}", missing.of, format::joined(missing.what), missing.reason);
  });
}

/// What was said of which point, so that it is not said again.
using Said = std::map<std::string, std::string>;

/// `text`, or where it was said; `name` is what it begins with.
std::string text_or_place(Said& said, const std::string& text, std::string_view name,
                          const std::string& label) {
  const auto [place, is_new] = said.try_emplace(text, label);
  return is_new || place->second == label ? text : fmt::format("{}: as for {}", name, place->second);
}

std::string finding_text(const Finding& finding, Said& said, const std::string& label, std::size_t width) {
  const std::string what = fmt::format("{}: {}", finding.rule, finding.text);
  const auto [place, is_new] = said.try_emplace(fmt::format("{}\n{}", what, finding.next_step), label);
  std::string text =
      paragraph(is_new ? what : fmt::format("{}: as for {}", finding.rule, place->second), width, 2);
  text += paragraph(evidence_text(finding.evidence), width, 4);
  return is_new ? text + paragraph(fmt::format("next: {}", finding.next_step), width, 4) : text;
}

/// The rows with the source below its place: beside it, a terminal has no room for code.
Table stacked(const Table& source_lines) {
  Table table{.columns = {column::number("samples"), column::sentence("line, and what its warps did")}};
  for (const std::vector<std::string>& row : source_lines.rows) {
    table.rows.push_back({row.at(1), fmt::format("{}: {}", row.at(0), row.at(3))});
    if (const std::string& source = row.at(2); !source.empty()) table.rows.push_back({"", source});
  }
  return table;
}

/// Points with one kernel have the same lines.
std::string source_lines_text(const SampledLines& sampled, Said& said, const std::string& label,
                              std::size_t width) {
  const std::string indent(4, ' ');
  const Table table = source_line_table(sampled);
  std::string text = text_table(stacked(table), std::max(width, indent.size() + 1) - indent.size(), indent);
  for (const std::string& note : table.notes) text += paragraph(note, width, indent.size());
  const auto [place, is_new] = said.try_emplace(text, label);
  if (!is_new) return paragraph(fmt::format("{}: as for {}", table.title, place->second), width, 2);
  return paragraph(table.title + ":", width, 2) + text;
}

/// Of a program with steps, what a kernel could save in one; else in all.
SavingBasis saving_basis(const RooflinePoint& point, const std::optional<ProgramUse>& program) {
  if (!program || !point.launches || point.launches->recoverable_s.value_or(0) <= 0) return {};
  const LossBasis basis = loss_basis(*program);
  if (!basis.is_step) return {};
  return {saving_share(*program, *point.launches) * basis.time_s / *point.launches->recoverable_s,
          "per step"};
}

// `latency-bound, 7.9 % of roofline; busiest level: L2 21 %`
std::string standing_text(const RooflinePoint& point) {
  if (point.measurement->status != Status::ok) return std::string(to_string(point.measurement->status));
  if (!point.measurement->time) return "not timed";
  std::string text = std::string(bound_phrase(point));
  if (point.fraction_of_roofline) {
    text += fmt::format(", {} of roofline", fraction_text(point));
  }
  if (point.busiest_level) text += fmt::format("; busiest level: {}", limit_text(point));
  return text;
}

std::string point_text(const RooflinePoint& point, const PointExplanation& explanation,
                       const std::optional<ProgramUse>& program, bool all, Said& said, std::size_t width) {
  const std::string share =
      program && point.launches
          ? fmt::format("{} of {}, ", format::percent(time_share(*program, point.launches->in_steps_s)),
                        loss_basis(*program).is_step ? "a step" : "the time")
          : "";
  std::string text = paragraph(fmt::format("{}: {}{}", point.label, share, standing_text(point)), width);
  if (!point.measurement->cause.empty()) text += paragraph(point.measurement->cause, width, 2);
  if (const std::string intervals = intervals_text(point, saving_basis(point, program)); !intervals.empty()) {
    text += paragraph("95 % intervals: " + intervals, width, 2);
  }
  for (const Implausible& finding : point.implausible) text += paragraph(finding.text(), width, 2);
  for (const std::string& evidence : point.evidence) text += paragraph(evidence, width, 2);
  if (const std::string stalls = stalls_text(point); !stalls.empty()) {
    text += paragraph("warps wait for: " + stalls + " of their cycles", width, 2);
  }
  for (const std::string& missing : missing_texts(point)) {
    text +=
        paragraph(text_or_place(said, missing, missing.substr(0, missing.find(':')), point.label), width, 2);
  }
  for (const Finding& finding : explanation.findings) text += finding_text(finding, said, point.label, width);
  if (const SampledLines* sampled = sampled_lines(point)) {
    text += source_lines_text(*sampled, said, point.label, width);
  }
  return text + unjudged_text(explanation.unjudged, all, width) + "\n";
}

/// Those that are named; if no name is given, of a program's kernels the ten that could save most.
std::vector<const RooflinePoint*> selected_points(const ExperimentAnalysis& experiment,
                                                  const std::optional<ProgramUse>& program,
                                                  const ExplanationSelection& selection) {
  constexpr std::size_t kMostOfAProgram = 10;
  if (selection.point.empty() && experiment.points.size() > kMostOfAProgram) {
    if (program && !program->recoverable.empty()) {
      std::vector<const RooflinePoint*> most = program->recoverable;
      most.resize(std::min(most.size(), kMostOfAProgram));
      return most;
    }
  }
  std::vector<const RooflinePoint*> named;
  for (const RooflinePoint& point : experiment.points) {
    if (is_named(point, selection.point)) named.push_back(&point);
  }
  return named;
}

// `V2 → V3: 1.30× faster`, `V7 → V8: equally fast`
std::string step_verdict(const LadderStep& step) {
  const std::string way = fmt::format("{} → {}", step.from->label, step.to->label);
  if (std::abs(step.speedup - 1) < kSameTime) return fmt::format("{}: equally fast", way);
  return fmt::format("{}: {}", way, format::speedup(step.speedup));
}

std::string step_text(const LadderStep& step, const StepExplanation& explanation, std::size_t width) {
  std::string text = paragraph(step_verdict(step), width);
  for (const CounterChange& change : step.counter_changes) {
    text += paragraph(fmt::format("{}: {}", change.meaning(), counter_change_text(change)), width, 2);
  }
  if (step.counter_changes.empty()) text += paragraph(no_change_text(step), width, 2);
  if (!explanation.gone.empty()) {
    text += paragraph(fmt::format("eliminated: {}", format::joined(explanation.gone)), width, 2);
  }
  if (!explanation.came.empty()) {
    text += paragraph(fmt::format("introduced: {}", format::joined(explanation.came)), width, 2);
  }
  return text;
}

}  // namespace

bool is_named(const RooflinePoint& point, std::string_view name) {
  if (name.empty()) return true;
  const PointId& id = point.measurement->point;
  const auto names = {point.label, id.subject, range_name(id)};
  return std::ranges::any_of(names,
                             [&](const std::string& own) { return own == name || matches_glob(name, own); });
}

std::string evidence_text(const QuantityValue& evidence) {
  return fmt::format("{}: {}", evidence.quantity->name,
                     text_with_unit(evidence.value, evidence.quantity->unit));
}

std::string evidence_text(const std::vector<QuantityValue>& evidence) {
  return format::joined(evidence, ", ", [](const QuantityValue& number) { return evidence_text(number); });
}

std::string findings_text(const std::vector<Finding>& findings) {
  return format::joined(findings, ", ", [](const Finding& finding) {
    return fmt::format("{} ({})", finding.rule,
                       evidence_text(finding.evidence.front()));  // every finding rests on a number
  });
}

std::string no_change_text(const LadderStep& step) {
  const auto is_counted = [](const RooflinePoint* point) { return !point->quantities.empty(); };
  return is_counted(step.from) && is_counted(step.to) ? "no counter changed by 5 % or more"
                                                      : "at least one of the two points was not counted";
}

std::string program_explanation(const ReportModel& report, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  if (report.experiments.empty() || !report.experiments.front().program) return {};
  const ProgramUse& program = *report.experiments.front().program;
  std::string text = paragraph(program_headline(program), width) + "\n";
  for (const Loss& loss : losses(program)) {
    const LossText what = loss_text(program, loss);
    if (what.cause.empty()) continue;
    text += paragraph(fmt::format("{}: {}", what.name, time_and_share(program, loss.share)), width) +
            paragraph(what.cause, width, 2) + paragraph("next: " + what.next_step, width, 2) + "\n";
  }
  return text;
}

std::string terminal_explanation(const Run& run, const Analysis& analysis,
                                 const ExplanationSelection& selection, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    Explanations explanations(run, experiment);
    std::string points;
    Said said;
    const std::optional<ProgramUse> program = program_use(run, experiment);
    const std::vector<const RooflinePoint*> selected = selected_points(experiment, program, selection);
    for (const RooflinePoint* point : selected) {
      points += point_text(*point, explanations.of(*point), program, selection.unjudged, said, width);
    }
    if (selection.point.empty() && selected.size() < experiment.points.size()) {
      points +=
          paragraph(fmt::format("The {} kernels that could save most; {} more with --point NAME, or --json.",
                                selected.size(), experiment.points.size() - selected.size()),
                    width) +
          "\n";
    }
    std::string steps;
    for (const LadderStep& step : experiment.steps) {
      if (is_named(*step.to, selection.point)) steps += step_text(step, explanations.of(step), width);
    }
    if (points.empty() && experiment.missing.empty()) continue;
    const std::string& title = experiment.title.empty() ? experiment.name : experiment.title;
    text += paragraph(fmt::format("== {}: {} ==", experiment.name, title), width) + "\n";
    if (!experiment.missing.empty()) text += paragraph(missing_text(experiment), width) + "\n";
    if (const std::string lacks = partly_counted_sentence(run); !lacks.empty()) {
      text += paragraph(lacks, width) + "\n";
    }
    text += points;
    if (!steps.empty()) text += "From version to version:\n" + steps + "\n";
  }
  return text;
}

}  // namespace rooflinectl
