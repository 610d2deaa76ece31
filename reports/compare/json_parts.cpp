// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/json_parts.h"

#include <variant>

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
