// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/error.h"
#include "core/files/hash.h"
#include "core/model/run.h"
#include "core/serial/json_fields.h"
#include "core/text/mistakes.h"

namespace rooflinectl {

using json_fields::Json;
using json_fields::Reader;

namespace {

constexpr const char* kFormat = "rooflinectl-run";

/// With the hash of the text, so that a run can be told to be of a given file.
Json plan_to_json(const Plan& plan) {
  Json value = json_fields::to_json(plan);
  value["text_sha256"] = sha256(plan.text);
  return value;
}

Plan checked_plan_from(const Reader& reader) {
  Plan plan = json_fields::plan_from(reader);
  if (reader.has("text_sha256") && reader["text_sha256"].text() != sha256(plan.text)) {
    reader["text"].fail("is not the text that was measured: text_sha256 is of another one");
  }
  return plan;
}

}  // namespace

std::string run_to_json(const Run& run) {
  Json value = {{"format", kFormat},
                {"schema", Run::kSchema},
                {"tool", {{"version", run.tool_version}, {"commit", run.tool_commit}}},
                {"source", to_string(run.source)},
                {"started_utc", run.started_utc},
                {"wall_s", run.wall_s},
                {"host", run.host},
                {"command_line", run.command_line},
                {"device", json_fields::to_json(run.device)},
                {"plan", plan_to_json(run.plan)},
                {"catalogue", json_fields::to_json(run.catalogue)},
                {"counter_session", json_fields::to_json(run.counter_session)}};
  if (!run.resumed_utc.empty()) value["resumed_utc"] = run.resumed_utc;
  if (run.environment) value["environment"] = json_fields::to_json(*run.environment);
  Json ceilings = Json::array();
  for (const Ceiling& ceiling : run.ceilings) ceilings.push_back(json_fields::to_json(ceiling));
  value["ceilings"] = std::move(ceilings);
  Json measurements = Json::array();
  for (const Measurement& measurement : run.measurements) {
    measurements.push_back(json_fields::to_json(measurement));
  }
  value["measurements"] = std::move(measurements);
  if (!run.primitives.empty()) {
    Json primitives = Json::array();
    for (const PrimitiveResult& result : run.primitives) primitives.push_back(json_fields::to_json(result));
    value["primitives"] = std::move(primitives);
  }
  if (run.self_test) value["self_test"] = json_fields::to_json(*run.self_test);
  if (!run.cross_checks.empty()) {
    Json cross_checks = Json::array();
    for (const CrossCheck& check : run.cross_checks) cross_checks.push_back(json_fields::to_json(check));
    value["cross_checks"] = std::move(cross_checks);
  }
  return json_fields::to_text(value, 1) + "\n";
}

Run run_from_json(std::string_view text, std::string_view name) {
  const Json value = json_fields::parse_object(text, name);
  const Reader reader(value, std::string(name));
  if (!reader.has("format") || reader["format"].text() != kFormat) {
    throw Error(ErrorKind::usage, fmt::format("{}: not a run of rooflinectl", name),
                "give the run.json that `rooflinectl run` wrote");
  }
  const int schema = reader["schema"].small_integer();
  if (schema > Run::kSchema) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: written with schema {}, this rooflinectl reads up to {}", name, schema,
                            Run::kSchema),
                "use the rooflinectl that wrote it, or a newer one");
  }
  if (schema < 1) reader["schema"].fail("unknown schema");

  Run run;
  run.tool_version = reader["tool"]["version"].text();
  run.tool_commit = reader["tool"]["commit"].text();
  const std::string& source = reader["source"].text();
  if (source != to_string(RunSource::measured) && source != to_string(RunSource::replayed)) {
    reader["source"].fail(fmt::format("unknown value {}", rooflinectl::quoted(source)));
  }
  run.source = source == to_string(RunSource::measured) ? RunSource::measured : RunSource::replayed;
  run.started_utc = reader["started_utc"].text();
  run.wall_s = reader["wall_s"].number();
  if (reader.has("resumed_utc")) run.resumed_utc = reader["resumed_utc"].texts();
  run.host = reader["host"].text();
  run.command_line = reader["command_line"].texts();
  if (reader.has("environment")) run.environment = json_fields::environment_from(reader["environment"]);
  run.device = json_fields::device_from(reader["device"]);
  run.plan = checked_plan_from(reader["plan"]);
  run.catalogue = json_fields::catalogue_from(reader["catalogue"]);
  run.counter_session = json_fields::counter_session_from(reader["counter_session"]);
  for (const Reader& entry : reader["ceilings"].elements()) {
    run.ceilings.push_back(json_fields::ceiling_from(entry));
  }
  for (const Reader& entry : reader["measurements"].elements(kMaxPoints)) {
    run.measurements.push_back(json_fields::measurement_from(entry));
  }
  if (reader.has("primitives")) {
    for (const Reader& entry : reader["primitives"].elements()) {
      run.primitives.push_back(json_fields::primitive_result_from(entry));
    }
  }
  if (reader.has("self_test")) run.self_test = json_fields::self_test_from(reader["self_test"]);
  if (reader.has("cross_checks")) {
    for (const Reader& entry : reader["cross_checks"].elements()) {
      run.cross_checks.push_back(json_fields::cross_check_from(entry));
    }
  }
  return run;
}

}  // namespace rooflinectl
