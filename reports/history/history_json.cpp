// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/point.h"
#include "reports/compare/json_parts.h"
#include "reports/history/history_reports.h"

namespace rooflinectl {
namespace {

using serial::Json;

constexpr int kHistorySchema = 1;

Json followed_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A point in one run.
Json value_json(const HistoryReport& report, const PointHistory& point, std::size_t run) {
  const RooflinePoint& measured = *point.runs[run];
  const Measurement& measurement = *measured.measurement;
  Json json = {{"run", run}, {"status", to_string(measurement.status)}, {"cause", measurement.cause}};
  for (const FollowedQuantity& quantity : report.quantities) {
    json[quantity.key] = followed_json(quantity.value(measured));
  }
  const auto& change = point.changes[run];
  json["change"] = change ? Json(to_string(change->change)) : Json(nullptr);
  json["time"] = change && change->time ? compared::change_json(*change->time) : Json(nullptr);
  return json;
}

Json point_history_json(const HistoryReport& report, const PointHistory& point) {
  Json runs = Json::array();
  for (std::size_t run = 0; run < point.runs.size(); ++run) {
    if (point.runs[run] != nullptr) runs.push_back(value_json(report, point, run));
  }
  return {{"label", point.label},
          {"point", compared::point_json(point.point)},
          {"device", point.device},
          {"runs", std::move(runs)}};
}

}  // namespace

std::string history_json(const HistoryReport& report) {
  const History& history = report.history;
  Json json = {{"format", "rooflinectl-history"},
               {"schema", kHistorySchema},
               {"smallest_change", history.smallest_change},
               {"runs", Json::array()},
               {"left_out", Json::array()},
               {"points", Json::array()}};
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    json["runs"].push_back(compared::run_json(history.runs[run]));
    json["runs"].back()["environment"] = compared::environment_json(history.environment[run]);
  }
  for (const auto& [name, reason] : report.left_out) {
    json["left_out"].push_back({{"name", name}, {"reason", reason}});
  }
  for (const PointHistory& point : history.points)
    json["points"].push_back(point_history_json(report, point));
  return serial::to_document(json);
}

}  // namespace rooflinectl
