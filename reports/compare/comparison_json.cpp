// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison_json.h"

#include <variant>

#include "analysis/roofline/quantities/quantities.h"
#include "core/json/json.h"
#include "reports/compare/comparison_reports.h"

namespace rooflinectl::compared {

using serial::Json;

namespace {

Json interval_json(const TimeInterval& time) {
  return {{"median_s", time.median_s}, {"ci_low_s", time.low_s}, {"ci_high_s", time.high_s}};
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
  Json json = Json::array();
  for (const auto& [name, from, to] : changes) json.push_back({{"name", name}, {"from", from}, {"to", to}});
  return json;
}

}  // namespace rooflinectl::compared

namespace rooflinectl {
namespace {

using compared::run_json, compared::point_json, compared::change_json, compared::environment_json;
using serial::Json;
using OptionalNumber = std::optional<double>;

constexpr int kSchema = 1;

Json number(const OptionalNumber& value) {
  return value ? Json(*value) : Json(nullptr);
}

// One side of a point; null where it was not measured.
Json to_json(const RooflinePoint* point) {
  if (point == nullptr) return nullptr;
  const Measurement& measurement = *point->measurement;
  return {{"status", to_string(measurement.status)},
          {"cause", measurement.cause},
          {"flop_per_s", number(point->flop_per_s)},
          {"fraction_of_roofline", number(point->fraction_of_roofline)},
          {"bound", to_string(point->bound)},
          {"ai_useful", number(point->ai_useful)},
          {"ai_executed", number(point->ai_executed)},
          {"dram_bytes", number(point->dram_bytes)},
          {"flops_executed", number(point->flops_executed)},
          {"executed_missing", point->executed_missing},
          {"roof_missing", point->roof_missing},
          {"flags", names_of(point->flags)}};
}

Json to_json(const CounterChange& change) {
  return {{"name", change.quantity->name},
          {"from", change.from},
          {"to", change.to},
          {"is_ratio", change.quantity->unit == Unit::ratio}};
}

Json place(const std::optional<std::size_t>& device) {
  return device ? Json(*device) : Json(nullptr);
}

Json to_json(const ComparedDevice& device) {
  Json bases = Json::array();
  for (const auto& base : device.bases) bases.push_back(place(base));
  return {{"base", std::move(bases)}, {"now", place(device.now)}};
}

Json to_json(const PointComparison& point) {
  Json changes = Json::array();
  for (const CounterChange& change : point.counter_changes) changes.push_back(to_json(change));
  return {
      {"verdict", to_string(point.change)},   {"label", point.label},
      {"point", point_json(point.point)},     {"time", point.time ? change_json(*point.time) : Json(nullptr)},
      {"base", to_json(point.base)},          {"now", to_json(point.now)},
      {"counter_changes", std::move(changes)}};
}

Json to_json(const CeilingChange& change) {
  const Ceiling& named = change.base != nullptr ? *change.base : *change.now;
  const auto value = [](const Ceiling* ceiling) {
    return ceiling != nullptr ? Json(ceiling->value) : Json(nullptr);
  };
  return {{"id", named.id},
          {"kind", to_string(named.kind)},
          {"from", value(change.base)},
          {"to", value(change.now)}};
}

Json to_json(const RunComparison& comparison) {
  Json json = {{"baseline", Json::array()},
               {"now", run_json(*comparison.now)},
               {"same_device_model", model_differences(comparison).empty()},
               {"smallest_change", comparison.smallest_change},
               {"points", Json::array()},
               {"environment", environment_json(comparison.environment)},
               {"ceilings", Json::array()}};
  for (const AnalysedRun& base : comparison.baseline) json["baseline"].push_back(run_json(base));
  for (const PointComparison& point : comparison.points) json["points"].push_back(to_json(point));
  for (const CeilingChange& change : comparison.ceilings) json["ceilings"].push_back(to_json(change));
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
  for (const ComparedDevice& device : comparison.devices) json["devices"].push_back(to_json(device));
  for (std::size_t i = 0; i < comparison.points.size(); ++i) {
    json["points"][i]["device"] = comparison.points[i].device;
  }
  for (std::size_t i = 0; i < comparison.ceilings.size(); ++i) {
    json["ceilings"][i]["device"] = comparison.ceilings[i].device;
  }
  return json;
}

}  // namespace

std::string comparison_json(const std::vector<RunComparison>& comparisons) {
  Json json = {{"format", "rooflinectl-comparison"}, {"schema", kSchema}, {"comparisons", Json::array()}};
  for (const RunComparison& comparison : comparisons) json["comparisons"].push_back(to_json(comparison));
  return serial::to_document(json);
}

}  // namespace rooflinectl
