// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "analysis/explanation.h"
#include "core/model/quantity.h"
#include "core/serial/json.h"
#include "core/text/typeset.h"
#include "reports/charts/chart_model.h"
#include "reports/charts/marks.h"
#include "reports/charts/roof_lines.h"
#include "reports/charts/size_sweep.h"
#include "reports/formats/explanation_text.h"
#include "reports/page/headline.h"
#include "reports/tables/agreement_summary.h"
#include "reports/tables/agreement_table.h"
#include "reports/tables/ceiling_table.h"
#include "reports/tables/environment_facts.h"
#include "reports/tables/point_table.h"
#include "reports/tables/primitive_table.h"
#include "reports/tables/self_test_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using Json = nlohmann::ordered_json;

// Finer than any screen, and half as many bytes as all of them.
Json rounded(double value) {
  return serial::rounded(value, 6);
}

Json array_of(const Range& range) {
  return Json::array({rounded(range.low), rounded(range.high)});
}

Json window(const Window& window) {
  return {{"ai", array_of(window.ai)}, {"rate", array_of(window.flop_per_s)}};
}

Json facts(const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts) list.push_back({fact.name, fact.text});
  return list;
}

// The names of facts are the same from point to point: each is written once.
class FactNames {
 public:
  /// The texts in the order of `names()`, null where the point has no such fact.
  Json texts(const std::vector<Fact>& facts) {
    Json list = Json::array();
    for (const Fact& fact : facts) list[index_of(fact.name)] = fact.text;
    return list;
  }
  const Json& names() const { return names_; }

 private:
  std::size_t index_of(const std::string& name) {
    const auto [entry, is_new] = indices_.try_emplace(name, indices_.size());
    if (is_new) names_.push_back(name);
    return entry->second;
  }

  std::map<std::string, std::size_t> indices_;
  Json names_ = Json::array();
};

Json optional_number(const std::optional<double>& value) {
  return value ? rounded(*value) : Json(nullptr);
}

std::optional<double> drawable(const std::optional<double>& value) {
  return value && is_drawable(*value) ? value : std::nullopt;
}

Json levels(const RooflinePoint& point, const ChartPoint& chart) {
  Json list = Json::array();
  for (const LevelMark& mark : chart.levels) {
    const LevelUse* use = find_level(point, mark.level);
    std::optional<double> executed;
    if (use != nullptr && point.flops_executed && is_drawable(use->bytes)) {
      executed = drawable(*point.flops_executed / use->bytes);
    }
    list.push_back({{"level", to_string(mark.level)},
                    {"ai", optional_number(mark.at ? std::optional(mark.at->ai) : std::nullopt)},
                    {"executed_ai", optional_number(executed)},
                    {"utilisation", mark.utilisation},
                    {"is_limiting", mark.is_limiting}});
  }
  return list;
}

// What bounds the point, on what evidence, and what to try next: the texts of a rule are written once.
class Rules {
 public:
  Json findings(const PointExplanation& explanation) {
    Json list = Json::array();
    for (const Finding& finding : explanation.findings) {
      list.push_back({index_of(finding), evidence_text(finding.evidence)});
    }
    return list;
  }
  const Json& texts() const { return texts_; }

 private:
  std::size_t index_of(const Finding& finding) {
    const auto [entry, is_new] = indices_.try_emplace(finding.rule, indices_.size());
    if (is_new) {
      texts_.push_back({{"rule", finding.rule},
                        {"importance", to_string(finding.importance)},
                        {"text", finding.text},
                        {"next_step", finding.next_step}});
    }
    return entry->second;
  }

  std::map<std::string_view, std::size_t> indices_;
  Json texts_ = Json::array();
};

Json point(const ExperimentReport& report, std::size_t index, bool with_energy, FactNames& names,
           Rules& rules) {
  const RooflinePoint& point = report.analysis->points[index];
  const ChartPoint& chart = report.chart.points[index];
  Json texts = Json::array();
  Json values = Json::array();
  for (const PointColumn& column : page_columns(with_energy)) {
    texts.push_back(typeset(column.text(point)));
    values.push_back(optional_number(column.value != nullptr ? column.value(point) : std::nullopt));
  }
  return {{"key", range_name(point.measurement->point)},
          {"family", chart.family},
          {"precision", to_string(point.precision)},
          {"rate", optional_number(chart.useful ? std::optional(chart.useful->flop_per_s) : std::nullopt)},
          {"executed_rate", optional_number(drawable(point.executed_flop_per_s))},
          {"is_apart", chart.executed.has_value()},
          {"interval", chart.useful_flop_per_s ? array_of(*chart.useful_flop_per_s) : Json(nullptr)},
          {"levels", levels(point, report.levels.points[index])},
          {"texts", texts},
          {"values", values},
          {"facts", names.texts(point_facts(point))},
          {"findings", rules.findings(report.explanations[index])}};
}

Json steps(const ExperimentAnalysis& experiment) {
  const auto index_of = [&](const RooflinePoint* point) { return point - experiment.points.data(); };
  Json list = Json::array();
  for (const LadderStep& step : experiment.steps) {
    Json moves = Json::array();
    for (const CounterChange& change : step.counter_changes) {
      moves.push_back({{"name", change.name},
                       {"from", quantity_text(change.from, change.is_ratio)},
                       {"to", quantity_text(change.to, change.is_ratio)}});
    }
    Json changes = Json::array();
    for (const Change& change : changes_of(step)) changes.push_back(change.text);
    if (changes.empty()) changes.push_back(no_change_text(step));
    list.push_back({{"from", index_of(step.from)},
                    {"to", index_of(step.to)},
                    {"speedup", step.speedup},
                    {"speedup_text", format::speedup(step.speedup)},
                    {"moves", moves},
                    {"changes", changes}});
  }
  return list;
}

// How much faster than the references, at every size.
Json speeds(const std::vector<SpeedTable>& speed_tables) {
  Json tables = Json::array();
  for (const SpeedTable& table : speed_tables) {
    Json columns = {"elements"};
    for (const Dtype dtype : table.dtypes) columns.push_back(to_string(dtype));
    Json rows = Json::array();
    for (const SpeedTable::Row& row : table.rows) {
      Json cells = {typeset(elements_text(row.n))};
      for (const auto& speed : row.speeds) cells.push_back(speed_text(speed));
      rows.push_back(cells);
    }
    tables.push_back({{"title", fmt::format("Speed of {} over {}, {}", table.version, table.reference,
                                            to_string(table.cache))},
                      {"columns", columns},
                      {"rows", rows}});
  }
  return tables;
}

// The ceilings over the points; for a level without any, its read ceiling.
Json main_roofs(const Run& run, const ExperimentAnalysis& experiment) {
  std::set<std::string> ids;
  std::set<std::string> subjects;
  for (const RooflinePoint& point : experiment.points) {
    if (point.roof) ids.insert(point.roof->memory_ceiling);
    for (const LevelUse& use : point.levels) ids.insert(use.ceiling);
  }
  for (const Ceiling& ceiling : run.ceilings) {
    if (ids.contains(ceiling.id)) subjects.insert(ceiling.subject);
  }
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.operation == "read" && !subjects.contains(ceiling.subject)) ids.insert(ceiling.id);
  }
  ids.erase("");
  return ids;
}

Json precisions(const ExperimentAnalysis& experiment) {
  std::set<std::string_view> names;
  for (const RooflinePoint& point : experiment.points) names.insert(to_string(point.precision));
  return names;
}

// The object `text` with one more member. Points are many: as text they take a tenth of the memory of a tree.
std::string with_member(std::string text, std::string_view name, std::string_view value) {
  text.pop_back();
  text += fmt::format(R"(,"{}":)", name);
  text += value;
  return text + "}";
}

std::string array_text(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string experiment(const Run& run, const ExperimentReport& report, bool with_energy) {
  const ExperimentAnalysis& experiment = *report.analysis;
  const ChartModel& chart = report.chart;
  FactNames names;
  Rules rules;
  std::vector<std::string> points;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    points.push_back(serial::to_text(point(report, i, with_energy, names, rules)));
  }
  const Json rest = {{"name", experiment.name},
                     {"title", typeset(experiment.title.empty() ? experiment.name : experiment.title)},
                     {"heading", typeset(chart.title)},
                     {"subtitle", typeset(chart.subtitle)},
                     {"provenance", typeset(chart.provenance)},
                     {"headline", typeset(headline(experiment))},
                     {"operations", chart.operations},
                     {"axes", {{"dram", window(chart.axes)}, {"levels", window(report.levels.axes)}}},
                     {"are_joined", are_joined(chart)},
                     {"families", chart.families},
                     {"precisions", precisions(experiment)},
                     {"main_roofs", main_roofs(run, experiment)},
                     {"fact_names", names.names()},
                     {"rules", rules.texts()},
                     {"steps", steps(experiment)},
                     {"speeds", speeds(report.speeds)},
                     {"findings", implausible_texts(experiment.points)}};
  return with_member(serial::to_text(rest), "points", array_text(points));
}

Json roofs(const Run& run) {
  Json list = Json::array();
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.kind == CeilingKind::latency || !is_drawable(ceiling.value)) continue;
    list.push_back({{"id", ceiling.id},
                    {"text", roof_line(ceiling).text},
                    {"kind", to_string(ceiling.kind)},
                    {"source", to_string(ceiling.source)},
                    {"subject", ceiling.subject},
                    {"operation", ceiling.operation},
                    {"value", ceiling.value},
                    {"method", ceiling.method}});
  }
  return list;
}

// A row for each of `items`.
template <typename Column, typename Item>
Json table(const Run& run, std::span<const Column> columns, const std::vector<Item>& items,
           const std::vector<std::string>& findings) {
  Json headings = Json::array();
  for (const Column& column : columns) {
    headings.push_back({{"title", column.title}, {"is_number", column.is_number}});
  }
  Json rows = Json::array();
  for (const Item& item : items) {
    Json row = Json::array();
    for (const Column& column : columns) row.push_back(column.text(run, item));
    rows.push_back(row);
  }
  return {{"columns", headings}, {"rows", rows}, {"findings", findings}};
}

Json ceilings(const ReportModel& report) {
  return table(report.run, ceiling_columns(), report.ceilings, ceiling_findings(report.ceilings));
}

Json primitives(const Run& run) {
  return table(run, primitive_columns(), run.primitives, primitive_failures(run));
}

Json agreements(const Run& run) {
  Json tables = Json::array();
  for (const AgreementTable& table : agreement_tables(run)) {
    Json rows = Json::array();
    for (const Agreement& agreement : *table.agreements) {
      rows.push_back(agreement_cells(agreement));
    }
    Json quantities = Json::array();
    for (const QuantitySummary& summary : by_quantity(*table.agreements)) {
      quantities.push_back(quantity_cells(summary));
    }
    tables.push_back({{"title", table.title},
                      {"summary", table.summary},
                      {"reason", table.reason},
                      {"hint", table.hint},
                      {"quantity_headings", quantity_headings()},
                      {"quantities", quantities},
                      {"headings", agreement_headings(table.reference)},
                      {"rows", rows}});
  }
  return tables;
}

// What the self-test makes suspect; null where it found nothing.
Json suspicion(const Run& run) {
  const std::vector<std::string> findings =
      run.self_test ? self_test_findings(*run.self_test) : std::vector<std::string>();
  if (findings.empty()) return nullptr;
  return {{"text", kSuspectCounters}, {"findings", findings}};
}

Json columns(bool with_energy) {
  Json list = Json::array();
  for (const PointColumn& column : page_columns(with_energy)) {
    list.push_back({{"title", column.title},
                    {"name", column.name.empty() ? column.title : column.name},
                    {"is_number", column.is_number},
                    {"help", column.help},
                    {"role", column.role}});
  }
  return list;
}

Json bounds() {
  Json list = Json::array();
  for (const BoundWords& words : bound_words()) {
    list.push_back({{"id", words.id}, {"label", words.label}, {"meaning", words.meaning}});
  }
  return list;
}

std::string run_view(const ReportModel& report) {
  const Run& run = report.run;
  std::vector<std::string> experiments;
  for (const ExperimentReport& one : report.experiments)
    experiments.push_back(experiment(run, one, report.has_energy()));
  const ChartModel& bare = report.ceilings_chart;
  Json rest = {{"name", run.plan.name},
               {"device", device_text(run)},
               {"started", format::utc(run.started_utc)},
               {"source", to_string(run.source)},
               {"provenance", bare.provenance},
               {"axes", window(bare.axes)},
               {"roofs", roofs(run)},
               {"ceilings", ceilings(report)},
               {"environment", facts(environment_facts(run))},
               {"agreements", agreements(run)},
               {"suspicion", suspicion(run)}};
  if (!run.primitives.empty()) rest["primitives"] = primitives(run);
  return with_member(serial::to_text(rest), "experiments", array_text(experiments));
}

}  // namespace

std::string page_data(const ReportModel& report) {
  const Run& run = report.run;
  const Json data = {{"format", "rooflinectl-page"},
                     {"schema", 1},
                     {"tool", fmt::format("rooflinectl {} ({})", run.tool_version, run.tool_commit)},
                     {"columns", columns(report.has_energy())},
                     {"bounds", bounds()}};
  return with_member(serial::to_text(data), "run", run_view(report));
}

}  // namespace rooflinectl
