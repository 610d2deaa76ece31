// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "analysis/explain/explanation.h"
#include "core/text/written_number.h"
#include "reports/charts/parts/plot.h"
#include "reports/formats/formats.h"
#include "reports/page/page_parts.h"
#include "reports/page/program/page_program.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

/// Which point is fastest and what bounds how many: `Closest to the roofline: V7, 97.2 % of roofline
/// (DRAM-bound). …`.
std::string headline(const ExperimentAnalysis& experiment) {
  std::map<Bound, std::size_t> counts;
  const RooflinePoint* best = nullptr;
  for (const RooflinePoint& point : experiment.points) {
    ++counts[point.bound];
    if (!point.fraction_of_roofline) continue;
    if (best == nullptr || *point.fraction_of_roofline > *best->fraction_of_roofline) best = &point;
  }
  if (counts.empty()) return "No points were measured.";
  const std::string parts = format::joined(counts, ", ", [](const auto& entry) {
    return fmt::format("{} {}", entry.second, words_for(entry.first).phrase);
  });
  const std::string bounds =
      fmt::format("{}: {}.", format::counted(experiment.points.size(), "point"), parts);
  if (best == nullptr) return bounds;
  return fmt::format("Closest to the roofline: {}, {} of roofline ({}). {}", best->label,
                     format::percent(*best->fraction_of_roofline), words_for(best->bound).phrase, bounds);
}

using FactNames = Numbered<std::string>;

// The texts in the order of the names, null if the point has no such fact.
Json fact_texts(const std::vector<Fact>& facts, FactNames& names) {
  Json list = Json::array();
  for (const Fact& fact : facts) list[names.number_of(fact.name)] = fact.text;
  return list;
}

std::optional<double> drawable(const std::optional<double>& value) {
  return value && is_drawable(*value) ? value : std::nullopt;
}

Json levels(const RooflinePoint& point, const ChartPoint& chart) {
  return list_of(chart.levels, [&](const LevelMark& mark) -> Json {
    const LevelUse* use = find_level(point, mark.level);
    std::optional<double> executed;
    if (use != nullptr && point.flops_executed && is_drawable(use->bytes)) {
      executed = drawable(*point.flops_executed / use->bytes);
    }
    return {{"level", to_string(mark.level)},
            {"ai", optional_number(mark.at ? std::optional(mark.at->ai) : std::nullopt)},
            {"executed_ai", optional_number(executed)},
            {"utilisation", mark.utilisation},
            {"share", optional_number(use != nullptr ? use->utilisation : std::nullopt)},
            {"is_limiting", mark.is_limiting}};
  });
}

// Rule, importance, text and next step: texts of a rule are others for kernels of libraries.
using Rules = Numbered<std::array<std::string_view, 4>>;

// What bounds the point, on what evidence, and what to try next.
Json findings(const PointExplanation& explanation, Rules& rules) {
  return list_of(explanation.findings, [&](const Finding& finding) -> Json {
    return {rules.number_of({finding.rule, to_string(finding.importance), finding.text, finding.next_step}),
            evidence_text(finding.evidence)};
  });
}

Json rule_texts(const Rules& rules) {
  return list_of(rules.items(), [](const auto& rule) -> Json {
    return {{"rule", rule[0]}, {"importance", rule[1]}, {"text", rule[2]}, {"next_step", rule[3]}};
  });
}

// The range name identifies a point on its device.
std::string key(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  // Names of a program's kernels are long, and several processes may launch the same kernel.
  const std::string name = is_observed(point)
                               ? fmt::format("{}.{}", measurement.point.experiment, point.label)
                               : range_name(measurement.point);
  return run.devices.size() > 1 ? fmt::format("{} device {}", name, measurement.device) : name;
}

Json stalls(const RooflinePoint& point) {
  return list_of(point.verdict.stalls, [](const StallShare& stall) -> Json {
    return {std::string(stall.reason->label), rounded(stall.share)};
  });
}

Json source_lines(const SampledLines& sampled) {
  const Table lines = source_line_table(sampled);
  return {{"title", lines.title}, {"table", table(lines)}};
}

Json point(const Run& run, const ExperimentReport& report, std::size_t index,
           const std::vector<PointColumn>& columns, FactNames& names, Rules& rules, KernelNames& kernels,
           const std::optional<OperatorView>& operators) {
  const RooflinePoint& point = report.analysis->points[index];
  const ChartPoint& chart = report.chart.points[index];
  Json texts = Json::array();
  Json values = Json::array();
  for (const PointColumn& column : columns) {
    texts.push_back(typeset(column.cell(point)));
    values.push_back(optional_number(column.number != nullptr ? column.number->value(point) : std::nullopt));
  }
  Json view = {
      {"key", key(run, point)},
      {"family", chart.family},
      {"precision", to_string(point.precision)},
      {"rate", optional_number(chart.useful ? std::optional(chart.useful->flop_per_s) : std::nullopt)},
      {"executed_rate", optional_number(drawable(point.executed_flop_per_s))},
      {"is_apart", chart.executed.has_value()},
      {"interval", chart.useful_flop_per_s ? array_of(*chart.useful_flop_per_s) : Json(nullptr)},
      {"levels", levels(point, report.levels.points[index])},
      {"texts", texts},
      {"values", values},
      {"facts", fact_texts(point_facts(point), names)},
      {"findings", findings(report.explanations[index], rules)}};
  if (!point.verdict.stalls.empty()) view["stalls"] = stalls(point);
  if (const SampledLines* sampled = sampled_lines(point)) view["source_lines"] = source_lines(*sampled);
  if (chart.link_flop_per_s) view["link_rate"] = rounded(*chart.link_flop_per_s);
  if (chart.share) {
    view["share"] = rounded(*chart.share);
    Json of = group(run, point, kernels);
    if (report.is_together()) of["measurement"] = nullptr;
    if (operators) operators->add_to(of, *point.launches->operators);
    view["group"] = std::move(of);
  }
  return view;
}

// What the reader sees at once, by colour.
std::string_view outcome(const LadderStep& step) {
  constexpr double kNotable = 0.01;
  if (step.speedup >= 1 + kNotable) return "faster";
  return step.speedup <= 1 - kNotable ? "slower" : "same";
}

Json counter_change(const CounterChange& change) {
  return {{"name", change.quantity->name},
          {"from", text_without_unit(change.from, change.quantity->unit)},
          {"to", text_without_unit(change.to, change.quantity->unit)}};
}

Json steps(const ExperimentAnalysis& experiment) {
  const auto index_of = [&](const RooflinePoint* point) { return point - experiment.points.data(); };
  return list_of(experiment.steps, [&](const LadderStep& step) -> Json {
    Json changes =
        list_of(step.counter_changes, [](const CounterChange& change) { return change.meaning(); });
    if (changes.empty()) changes.push_back(no_change_text(step));
    return {{"from", index_of(step.from)},
            {"to", index_of(step.to)},
            {"speedup", format::speedup(step.speedup)},
            {"outcome", outcome(step)},
            {"counter_changes", list_of(step.counter_changes, counter_change)},
            {"changes", changes}};
  });
}

Json precisions_of(const Run& run, const ExperimentAnalysis& experiment) {
  std::set<std::string_view> names;
  for (const RooflinePoint& point : experiment.points) names.insert(to_string(point.precision));
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.kind == CeilingKind::compute && is_roof_of_program(ceiling, experiment.points)) {
      names.insert(ceiling.subject);
    }
  }
  return names;
}

/// The families with what tells them apart.
Json families(const std::vector<Family>& all) {
  Json list = Json::array();
  for (const Family& family : all) {
    const FamilyLook look = look_of(list.size());  // the page itself shows what bounds a kernel
    list.push_back({{"name", family.name}, {"colour", look.colour.value_or(0)}, {"shape", look.shape}});
  }
  return list;
}

/// How much faster than the references at every size.
Json speeds(const SpeedTable& speeds) {
  const auto factors = [](const auto& row) {
    return list_of(row.second, [](const Speed& speed) { return optional_number(speed.factor); });
  };
  const Table table = speed_table(speeds);
  return {{"title", table.title},
          {"columns", list_of(table.columns, [](const TableColumn& column) { return column.title; })},
          {"rows", table.rows},
          {"factors", list_of(speeds.rows, factors)}};
}

}  // namespace

std::vector<std::string> implausible(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> texts = implausible_texts(experiment.points);
  if (texts.size() <= kMost) return texts;
  const std::size_t rest = texts.size() - kMost;
  texts.resize(kMost);
  texts.push_back(fmt::format("… and {} more; the table's flags column lists them all", rest));
  return texts;
}

std::string experiment(const ReportModel& model, const ExperimentReport& report) {
  const Run& run = *report.run;
  const std::vector<PointColumn> columns = page_columns(kinds_of(model.analysis));
  const ExperimentAnalysis& analysis = *report.analysis;
  const ChartModel& chart = report.chart;
  FactNames names;
  Rules rules;
  KernelNames kernels;
  std::optional<OperatorView> operators;
  if (report.operators) operators.emplace(*report.operators);
  std::vector<std::string> points;
  for (std::size_t i = 0; i < analysis.points.size(); ++i) {
    points.push_back(serial::to_text(point(run, report, i, columns, names, rules, kernels, operators)));
  }
  Json rest = {{"name", analysis.name},
               {"title", typeset(analysis.title.empty() ? analysis.name : analysis.title)},
               {"heading", typeset(chart.title)},
               {"subtitle", typeset(chart.subtitle)},
               {"provenance", typeset(chart.provenance)},
               {"headline", typeset(report.program ? program_headline(*report.program) : headline(analysis))},
               {"operations", chart.operations},
               {"axes", {{"dram", window(chart.axes)}, {"levels", window(report.levels.axes)}}},
               {"are_joined", are_joined(chart)},
               {"families", families(chart.families)},
               {"precisions", precisions_of(run, analysis)},
               {"roofs", roof_sets(run, analysis)},
               {"fact_names", names.items()},
               {"rules", rule_texts(rules)},
               {"steps", steps(analysis)},
               {"best", report.best},
               {"speeds", list_of(report.speeds, speeds)},
               {"findings", implausible(analysis)}};
  if (report.scaling) {
    rest["scaling"] = explained_tables(kScalingExplanation, scaling_tables(*report.scaling));
  }
  if (report.program) rest["program"] = program(run, report.analysis->points, *report.program, kernels);
  if (operators) {
    rest["program"]["torch"] = operators->lists();
    for (const std::string& sentence : operator_sentences(*report.operators)) {
      rest["program"]["sentences"].push_back(sentence);
    }
  }
  if (report.timeline) rest["timeline"] = timeline(run, analysis, *model.timeline, *report.timeline);
  return with_member(serial::to_text(rest), "points", array_text(points));
}

}  // namespace rooflinectl::page
