// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "analysis/roofline/quantities/quantities.h"
#include "core/enum_names.h"
#include "core/json/json.h"
#include "reports/compare/comparison_reports.h"

namespace rooflinectl {

using serial::Json;

namespace {

Json interval_json(const TimeInterval& time) {
  return {{"median_s", time.median_s}, {"ci_low_s", time.low_s}, {"ci_high_s", time.high_s}};
}

constexpr int kSchema = 1;

// One side of a point; null where it was not measured.
Json side_json(const RooflinePoint* point) {
  if (point == nullptr) return nullptr;
  const Measurement& measurement = *point->measurement;
  return {{"status", to_string(measurement.status)},
          {"cause", measurement.cause},
          {"flop_per_s", serial::or_null(point->flop_per_s)},
          {"fraction_of_roofline", serial::or_null(point->fraction_of_roofline)},
          {"bound", to_string(point->bound)},
          {"ai_useful", serial::or_null(point->ai_useful)},
          {"ai_executed", serial::or_null(point->ai_executed)},
          {"dram_bytes", serial::or_null(point->dram_bytes)},
          {"flops_executed", serial::or_null(point->flops_executed)},
          {"executed_missing", point->executed_missing},
          {"roof_missing", point->roof_missing},
          {"flags", names_of(point->flags)}};
}

Json counter_change_json(const CounterChange& change) {
  return {{"name", change.quantity->name},
          {"from", change.from},
          {"to", change.to},
          {"is_ratio", change.quantity->unit == Unit::ratio}};
}

Json device_json(const ComparedDevice& device) {
  return {{"base", serial::list_of(device.bases, serial::or_null<std::size_t>)},
          {"now", serial::or_null(device.now)}};
}

Json compared_point_json(const PointComparison& point) {
  return {{"verdict", to_string(point.change)},
          {"label", point.label},
          {"point", point_json(point.point)},
          {"time", point.time ? change_json(*point.time) : Json(nullptr)},
          {"base", side_json(point.base)},
          {"now", side_json(point.now)},
          {"counter_changes", serial::list_of(point.counter_changes, counter_change_json)}};
}

Json ceiling_change_json(const CeilingChange& change) {
  const Ceiling& named = change.base != nullptr ? *change.base : *change.now;
  const auto value = [](const Ceiling* ceiling) {
    return ceiling != nullptr ? Json(ceiling->value) : Json(nullptr);
  };
  return {{"id", named.id},
          {"kind", to_string(named.kind)},
          {"from", value(change.base)},
          {"to", value(change.now)}};
}

Json run_comparison_json(const RunComparison& comparison) {
  Json json = {{"baseline", serial::list_of(comparison.baseline, run_json)},
               {"now", run_json(*comparison.now)},
               {"same_device_model", model_differences(comparison).empty()},
               {"smallest_change", comparison.smallest_change},
               {"points", serial::list_of(comparison.points, compared_point_json)},
               {"environment", environment_json(comparison.environment)},
               {"ceilings", serial::list_of(comparison.ceilings, ceiling_change_json)}};
  for (const ProgramComparison& program : comparison.programs) {
    json["programs"].push_back({{"program", program.whole.point.experiment},
                                {"verdict", to_string(program.whole.change)},
                                {"time", change_json(*program.whole.time)},
                                {"launches_before", program.launches_before},
                                {"launches_now", program.launches_now},
                                {"device", program.whole.device}});
  }
  if (comparison.devices.size() == 1) return json;
  // Which device is meant: its place in `devices`, which has the places in the runs.
  json["devices"] = serial::list_of(comparison.devices, device_json);
  for (std::size_t i = 0; i < comparison.points.size(); ++i) {
    json["points"][i]["device"] = comparison.points[i].device;
  }
  for (std::size_t i = 0; i < comparison.ceilings.size(); ++i) {
    json["ceilings"][i]["device"] = comparison.ceilings[i].device;
  }
  return json;
}

constexpr int kGateSchema = 1;

std::string_view verdict(const Gate& gate) {
  if (!gate.incomparable.empty()) return "not-comparable";
  return gate.regressed() ? "failed" : "passed";
}

Json run_check_json(const GateRunResult& result) {
  return {{"check", separated_name<'-'>(result.check)},
          {"outcome", result.has_failed ? "failed" : "passed"},
          {"text", result.text}};
}

Json check_json(const GateResult& result) {
  Json json = {{"check", to_string(result.check)}, {"outcome", to_string(result.outcome)}};
  if (result.outcome == GateOutcome::unchecked) {
    json["reason"] = result.reason;
    return json;
  }
  json["from"] = result.from;
  json["to"] = result.to;
  json["best_case"] = result.best_case;
  json["limit"] = result.limit;
  if (result.detectable) json["detectable"] = *result.detectable;
  return json;
}

Json named(const Gate& gate, const PointComparison& point) {
  Json json = {{"label", point.label}, {"point", point_json(point.point)}};
  if (gate.comparison->devices.size() > 1) json["device"] = point.device;
  return json;
}

Json gate_point_json(const Gate& gate, const GatePoint& point) {
  Json json = named(gate, *point.point);
  json["loss"] = point.loss;
  json["checks"] = serial::list_of(point.results, check_json);
  return json;
}

Json coverage_json(const Gate& gate) {
  const Coverage& coverage = gate.coverage;
  const auto missing_point = [&](const PointComparison* point) { return named(gate, *point); };
  const auto missing_group = [&](const PointComparison* group) {
    Json json = named(gate, *group);
    json["fraction_of_gpu_time"] = base_share(*group, *gate.comparison, coverage);
    return json;
  };
  return {{"points", coverage.points},
          {"missing_points", serial::list_of(coverage.missing_points, missing_point)},
          {"groups", coverage.groups},
          {"missing_groups", serial::list_of(coverage.missing_groups, missing_group)},
          {"missing_fraction_of_gpu_time", coverage.missing_share()},
          {"launches_before", coverage.launches_before},
          {"launches_now", coverage.launches_now},
          {"launched_again", coverage.launched_again()}};
}

}  // namespace

Json run_json(const AnalysedRun& analysed) {
  const Run& run = analysed.run;
  return {{"name", analysed.name},
          {"started_utc", run.started_utc},
          {"host", run.host},
          {"device", run.device().name},
          {"uuid", run.device().uuid},
          {"driver_version", run.device().driver_version},
          {"tool_version", run.tool_version},
          {"tool_commit", run.tool_commit}};
}

Json point_json(const PointId& id) {
  Json axes = Json::object();
  for (const auto& [name, value] : id.axes) {
    std::visit([&, &name = name](const auto& content) { axes[name] = content; }, value);
  }
  return {{"experiment", id.experiment}, {"subject", id.subject}, {"axes", std::move(axes)}};
}

Json change_json(const TimeChange& change) {
  return {{"ratio", change.ratio()},
          {"ratio_low", change.lowest_ratio()},
          {"ratio_high", change.highest_ratio()},
          {"from", interval_json(change.from)},
          {"to", interval_json(change.to)}};
}

Json environment_json(const std::vector<EnvironmentChange>& changes) {
  return serial::list_of(changes, [](const EnvironmentChange& change) -> Json {
    return {{"name", change.name}, {"from", change.from}, {"to", change.to}};
  });
}

std::string comparison_json(const std::vector<RunComparison>& comparisons) {
  return serial::to_document(Json{{"format", "rooflinectl-comparison"},
                                  {"schema", kSchema},
                                  {"comparisons", serial::list_of(comparisons, run_comparison_json)}});
}

std::string gate_json(const Gate& gate) {
  Json json = {{"format", "rooflinectl-gate"},
               {"schema", kGateSchema},
               {"verdict", verdict(gate)},
               {"exit_code", gate.exit_code()},
               {"incomparable", gate.incomparable},
               {"baseline", serial::list_of(gate.comparison->baseline, run_json)},
               {"repeats", serial::list_of(gate.comparison->repeats, run_json)},
               {"now", run_json(*gate.comparison->now)},
               {"limits", Json::object()},
               {"coverage", coverage_json(gate)},
               {"run", serial::list_of(gate.run, run_check_json)},
               {"points", serial::list_of(gate.points, [&](const GatePoint& point) {
                  return gate_point_json(gate, point);
                })}};
  for (const GateCheck check : gate.options.checks) {
    json["limits"][std::string(to_string(check))] = gate.options.limit(check);
  }
  return serial::to_document(json);
}

}  // namespace rooflinectl
