// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/json/json.h"
#include "reports/compare/comparison_json.h"
#include "reports/compare/comparison_reports.h"

namespace rooflinectl {
namespace {

using compared::point_json, compared::run_json;
using serial::Json;

constexpr int kGateSchema = 1;

std::string_view verdict(const Gate& gate) {
  if (!gate.incomparable.empty()) return "not-comparable";
  return gate.regressed() ? "failed" : "passed";
}

// As an identifier: `exit-code`.
std::string id_of(RunCheck check) {
  std::string id(to_string(check));
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

Json to_json(const GateRunResult& result) {
  return {{"check", id_of(result.check)},
          {"outcome", result.has_failed ? "failed" : "passed"},
          {"text", result.text}};
}

Json to_json(const GateResult& result) {
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

Json to_json(const Gate& gate, const GatePoint& point) {
  Json json = named(gate, *point.point);
  json["loss"] = point.loss;
  json["checks"] = Json::array();
  for (const GateResult& result : point.results) json["checks"].push_back(to_json(result));
  return json;
}

Json coverage_json(const Gate& gate) {
  const Coverage& coverage = gate.coverage;
  Json points = Json::array();
  for (const PointComparison* point : coverage.missing_points) points.push_back(named(gate, *point));
  Json groups = Json::array();
  for (const PointComparison* group : coverage.missing_groups) {
    Json json = named(gate, *group);
    json["fraction_of_gpu_time"] = base_share(*group, *gate.comparison, coverage);
    groups.push_back(std::move(json));
  }
  return {{"points", coverage.points},
          {"missing_points", std::move(points)},
          {"groups", coverage.groups},
          {"missing_groups", std::move(groups)},
          {"missing_fraction_of_gpu_time", coverage.missing_share()},
          {"launches_before", coverage.launches_before},
          {"launches_now", coverage.launches_now},
          {"launched_again", coverage.launched_again()}};
}

}  // namespace

std::string gate_json(const Gate& gate) {
  Json json = {{"format", "rooflinectl-gate"},
               {"schema", kGateSchema},
               {"verdict", verdict(gate)},
               {"exit_code", gate.exit_code()},
               {"incomparable", gate.incomparable},
               {"baseline", Json::array()},
               {"repeats", Json::array()},
               {"now", run_json(*gate.comparison->now)},
               {"limits", Json::object()},
               {"coverage", coverage_json(gate)},
               {"run", Json::array()},
               {"points", Json::array()}};
  for (const AnalysedRun& base : gate.comparison->baseline) json["baseline"].push_back(run_json(base));
  for (const AnalysedRun& repeat : gate.comparison->repeats) json["repeats"].push_back(run_json(repeat));
  for (const GateCheck check : gate.options.checks) {
    json["limits"][std::string(to_string(check))] = gate.options.limit(check);
  }
  for (const GateRunResult& result : gate.run) json["run"].push_back(to_json(result));
  for (const GatePoint& point : gate.points) json["points"].push_back(to_json(gate, point));
  return serial::to_document(json);
}

}  // namespace rooflinectl
