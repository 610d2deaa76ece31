// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/roofline/point.h"
#include "reports/compare/comparison_reports.h"
#include "reports/history/history_reports.h"
#include "reports/text/csv.h"

namespace rooflinectl {

namespace {

std::optional<double> interval_end(const RooflinePoint& point, double LaunchTime::*value) {
  return is_timed(*point.measurement) ? std::optional(mean_launch(*point.measurement).*value) : std::nullopt;
}

std::vector<std::string> history_fields(const HistoryReport& report, const PointHistory& point,
                                        std::size_t run) {
  const AnalysedRun& analysed = report.history.runs[run];
  const RooflinePoint& measured = *point.runs[run];
  const DeviceInfo& device = analysed.run.device_of(*measured.measurement);
  std::vector<std::string> fields = {fmt::format("{}", run + 1),
                                     analysed.name,
                                     analysed.run.started_utc,
                                     device.name,
                                     device.uuid,
                                     device.driver_version,
                                     analysed.run.tool_commit,
                                     point.point.experiment,
                                     point.point.subject,
                                     point.label,
                                     std::string(to_string(measured.measurement->status))};
  for (const FollowedQuantity& quantity : report.quantities) {
    fields.push_back(csv::number(quantity.value(measured)));
  }
  fields.push_back(csv::number(interval_end(measured, &LaunchTime::low_s)));
  fields.push_back(csv::number(interval_end(measured, &LaunchTime::high_s)));
  const auto& change = point.changes[run];
  fields.emplace_back(change ? to_string(change->change) : "");
  const bool has_ratio = change && change->time;
  fields.push_back(has_ratio ? csv::number(change->time->ratio()) : "");
  fields.push_back(has_ratio ? csv::number(change->time->lowest_ratio()) : "");
  fields.push_back(has_ratio ? csv::number(change->time->highest_ratio()) : "");
  fields.push_back(analysed.run.host);
  return fields;
}

using serial::Json;

constexpr int kHistorySchema = 1;

/// A point in one run.
Json value_json(const HistoryReport& report, const PointHistory& point, std::size_t run) {
  const RooflinePoint& measured = *point.runs[run];
  const Measurement& measurement = *measured.measurement;
  Json json = {{"run", run}, {"status", to_string(measurement.status)}, {"cause", measurement.cause}};
  for (const FollowedQuantity& quantity : report.quantities) {
    json[quantity.key] = serial::or_null(quantity.value(measured));
  }
  const auto& change = point.changes[run];
  json["change"] = change ? Json(to_string(change->change)) : Json(nullptr);
  json["time"] = change && change->time ? change_json(*change->time) : Json(nullptr);
  return json;
}

Json point_history_json(const HistoryReport& report, const PointHistory& point) {
  Json runs = Json::array();
  for (std::size_t run = 0; run < point.runs.size(); ++run) {
    if (point.runs[run] != nullptr) runs.push_back(value_json(report, point, run));
  }
  return {{"label", point.label},
          {"point", point_json(point.point)},
          {"device", point.device},
          {"runs", std::move(runs)}};
}

}  // namespace

std::string history_csv(const HistoryReport& report) {
  std::vector<std::string> head = {"run",     "name",           "started_utc", "device",
                                   "uuid",    "driver_version", "tool_commit", "experiment",
                                   "variant", "label",          "status"};
  for (const FollowedQuantity& quantity : report.quantities) head.push_back(quantity.key);
  head.insert(head.end(),
              {"time_ci_low_s", "time_ci_high_s", "change", "ratio", "ratio_low", "ratio_high", "host"});
  std::string text = csv::row(head);
  for (const PointHistory& point : report.history.points) {
    for (std::size_t run = 0; run < point.runs.size(); ++run) {
      if (point.runs[run] != nullptr) text += csv::row(history_fields(report, point, run));
    }
  }
  return text;
}

std::string history_json(const HistoryReport& report) {
  const History& history = report.history;
  const auto left_out_json = [](const LeftOutRun& run) -> Json {
    return {{"name", run.name}, {"reason", run.reason}};
  };
  const auto point_json_of = [&](const PointHistory& point) { return point_history_json(report, point); };
  Json json = {{"format", "rooflinectl-history"},
               {"schema", kHistorySchema},
               {"smallest_change", history.smallest_change},
               {"runs", Json::array()},
               {"left_out", serial::list_of(report.left_out, left_out_json)},
               {"points", serial::list_of(history.points, point_json_of)}};
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    json["runs"].push_back(run_json(history.runs[run]));
    json["runs"].back()["environment"] = environment_json(history.environment[run]);
  }
  return serial::to_document(json);
}

}  // namespace rooflinectl
