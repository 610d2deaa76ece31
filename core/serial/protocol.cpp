// SPDX-License-Identifier: Apache-2.0
#include "core/serial/protocol.h"

#include <fmt/format.h>

#include <array>

#include "core/error.h"
#include "core/model/quantity.h"
#include "core/serial/json_fields.h"
#include "core/text/mistakes.h"

namespace rooflinectl {

using json_fields::Json;
using json_fields::Reader;
using message::Phase;

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::self_test:
      return "self_test";
    case Phase::ceilings:
      return "ceilings";
    case Phase::confirm:
      return "confirm";
    case Phase::primitives:
      return "primitives";
    case Phase::verify:
      return "verify";
    case Phase::time:
      return "time";
    case Phase::count:
      return "count";
  }
  return "?";
}

std::string_view to_string(CollectMode mode) {
  switch (mode) {
    case CollectMode::measure:
      return "measure";
    case CollectMode::once:
      return "once";
    case CollectMode::count:
      return "count";
    case CollectMode::trace:
      return "trace";
  }
  return "?";
}

std::optional<CollectMode> collect_mode_from(std::string_view name) {
  for (CollectMode mode : {CollectMode::measure, CollectMode::once, CollectMode::count, CollectMode::trace}) {
    if (to_string(mode) == name) return mode;
  }
  return std::nullopt;
}

namespace {

Phase phase_from(const Reader& reader) {
  for (Phase phase : {Phase::self_test, Phase::ceilings, Phase::confirm, Phase::primitives, Phase::verify,
                      Phase::time, Phase::count}) {
    if (to_string(phase) == reader.text()) return phase;
  }
  reader.fail(fmt::format("unknown phase {}", rooflinectl::quoted(reader.text())));
}

ErrorKind error_kind_from(const Reader& reader) {
  const int kind = reader.small_integer();
  if (kind < 1 || kind > 4) reader.fail("unknown kind of error");
  return static_cast<ErrorKind>(kind);
}

Json to_json(const message::Hello& hello) {
  return {{"type", "hello"},
          {"device", json_fields::to_json(hello.device)},
          {"catalogue", json_fields::to_json(hello.catalogue)},
          {"counter_session", json_fields::to_json(hello.counter_session)}};
}

Json to_json(const message::Progress& progress) {
  Json value = {{"type", "progress"}, {"phase", to_string(progress.phase)}, {"what", progress.what}};
  if (progress.point) value["point"] = *progress.point;
  return value;
}

Json to_json(const message::SelfTested& tested) {
  return {{"type", "self_test"}, {"self_test", json_fields::to_json(tested.self_test)}};
}

Json to_json(const message::CeilingMeasured& measured) {
  return {{"type", "ceiling"}, {"ceiling", json_fields::to_json(measured.ceiling)}};
}

Json to_json(const message::CeilingsKnown& known) {
  return {{"type", "ceilings_known"}, {"index", known.index}};
}

Json to_json(const message::PrimitiveMeasured& measured) {
  return {{"type", "primitive"}, {"result", json_fields::to_json(measured.result)}};
}

Json to_json(const message::PointTimed& timed) {
  return {{"type", "time"}, {"point", timed.point}, {"measurement", json_fields::to_json(timed.measurement)}};
}

Json to_json(const message::PointCounted& counted) {
  return {{"type", "counters"},
          {"point", counted.point},
          {"counters", json_fields::to_json(counted.counted.counters)},
          {"repeats", counted.counted.repeats},
          {"spread", counted.counted.spread}};
}

Json to_json(const message::PointTraced& traced) {
  Json operations = Json::array();
  for (const TracedOperation& operation : traced.launch.operations) {
    operations.push_back({{"name", operation.name}, {"duration_s", operation.duration_s}});
  }
  return {{"type", "trace"},
          {"point", traced.point},
          {"range", traced.launch.range},
          {"operations", std::move(operations)}};
}

Json to_json(const message::Failure& failure) {
  return {{"type", "failure"},
          {"kind", static_cast<int>(failure.kind)},
          {"cause", failure.cause},
          {"hint", failure.hint}};
}

Json to_json(const message::Bye& bye) {
  return {{"type", "bye"}, {"counter_session", json_fields::to_json(bye.counter_session)}};
}

Message message_from(const Reader& reader) {
  const std::string& type = reader["type"].text();
  if (type == "hello") {
    return message::Hello{json_fields::device_from(reader["device"]),
                          json_fields::catalogue_from(reader["catalogue"]),
                          json_fields::counter_session_from(reader["counter_session"])};
  }
  if (type == "progress") {
    message::Progress progress;
    progress.phase = phase_from(reader["phase"]);
    progress.what = reader["what"].text();
    if (reader.has("point")) progress.point = reader["point"].size();
    return progress;
  }
  if (type == "self_test") return message::SelfTested{json_fields::self_test_from(reader["self_test"])};
  if (type == "ceiling") return message::CeilingMeasured{json_fields::ceiling_from(reader["ceiling"])};
  if (type == "ceilings_known") return message::CeilingsKnown{reader["index"].size()};
  if (type == "primitive") {
    return message::PrimitiveMeasured{json_fields::primitive_result_from(reader["result"])};
  }
  if (type == "time") {
    return message::PointTimed{reader["point"].size(), json_fields::measurement_from(reader["measurement"])};
  }
  if (type == "counters") {
    message::PointCounted counted{reader["point"].size(),
                                  {.counters = json_fields::counters_from(reader["counters"]),
                                   .repeats = reader["repeats"].small_integer()}};
    for (const auto& [key, spread] : reader["spread"].members())
      counted.counted.spread[key] = spread.number();
    return counted;
  }
  if (type == "trace") {
    message::PointTraced traced{reader["point"].size(), {reader["range"].text(), {}}};
    for (const Reader& operation : reader["operations"].elements()) {
      traced.launch.operations.push_back({operation["name"].text(), operation["duration_s"].number()});
    }
    return traced;
  }
  if (type == "failure") {
    return message::Failure{error_kind_from(reader["kind"]), reader["cause"].text(), reader["hint"].text()};
  }
  if (type == "bye") return message::Bye{json_fields::counter_session_from(reader["counter_session"])};
  reader["type"].fail(fmt::format("unknown message {}", rooflinectl::quoted(type)));
}

std::vector<std::size_t> indices_from(const Reader& reader) {
  std::vector<std::size_t> indices;
  for (const Reader& element : reader.elements()) indices.push_back(element.size());
  return indices;
}

}  // namespace

std::string encode(const Message& message) {
  return json_fields::to_text(std::visit([](const auto& content) { return to_json(content); }, message));
}

Message decode(std::string_view line) {
  try {
    const Json value = json_fields::parse_object(line, "collector");
    return message_from(Reader(value, "collector"));
  } catch (const Error& error) {
    throw Error(ErrorKind::environment,
                fmt::format("the collector said something unintelligible: {}", error.what()),
                "rooflinectl and rooflinectl-collector must come from the same installation");
  }
}

std::string encode(const CollectRequest& request) {
  Json known = Json::array();
  for (const KnownCeilings& ceilings : request.known_ceilings) {
    known.push_back({{"uuid", ceilings.uuid},
                     {"driver_version", ceilings.driver_version},
                     {"sm_clock_hz", ceilings.sm_clock_hz},
                     {"launch_clock_hz", ceilings.launch_clock_hz},
                     {"ids", ceilings.ids},
                     {"unconfirmed_ids", ceilings.unconfirmed_ids}});
  }
  const Json value = {{"plan", json_fields::to_json(request.plan)},
                      {"mode", to_string(request.mode)},
                      {"counters", request.counters},
                      {"device", request.device},
                      {"skip_points", request.skip_points},
                      {"count_only_points", request.count_only_points},
                      {"skip_ceilings", request.skip_ceilings},
                      {"self_test", request.self_test},
                      {"known_ceilings", known}};
  return json_fields::to_text(value);
}

CollectRequest decode_request(std::string_view text) {
  const Json value = json_fields::parse_object(text, "plan");
  const Reader reader(value, "plan");
  CollectRequest request;
  request.plan = json_fields::plan_from(reader["plan"]);
  const auto mode = collect_mode_from(reader["mode"].text());
  if (!mode) reader["mode"].fail(fmt::format("unknown mode {}", rooflinectl::quoted(reader["mode"].text())));
  request.mode = *mode;
  request.counters = reader["counters"].boolean();
  request.device = reader["device"].text();
  request.skip_points = indices_from(reader["skip_points"]);
  request.count_only_points = indices_from(reader["count_only_points"]);
  request.skip_ceilings = reader["skip_ceilings"].boolean();
  request.self_test = reader["self_test"].boolean();
  for (const Reader& known : reader["known_ceilings"].elements()) {
    request.known_ceilings.push_back({known["uuid"].text(), known["driver_version"].text(),
                                      known["sm_clock_hz"].number(), known["launch_clock_hz"].number(),
                                      known["ids"].texts(), known["unconfirmed_ids"].texts()});
  }
  return request;
}

std::string encode(const Catalogue& catalogue) {
  return json_fields::to_text(json_fields::to_json(catalogue));
}

namespace {

/// An object with one list of this name.
template <typename Item>
std::string encode_list(const char* name, const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_fields::to_json(item));
  return json_fields::to_text({{name, list}});
}

template <typename Item>
std::vector<Item> decode_list(const char* name, std::string_view text, Item (*item_from)(const Reader&)) {
  const Json value = json_fields::parse_object(text, name);
  std::vector<Item> items;
  for (const Reader& entry : Reader(value, name)[name].elements()) items.push_back(item_from(entry));
  return items;
}

}  // namespace

std::string encode(const std::vector<DeviceInfo>& devices) {
  return encode_list("devices", devices);
}

std::string encode(const std::vector<ChipCounters>& chips) {
  return encode_list("chips", chips);
}

std::string encode(const std::vector<Check>& checks) {
  return encode_list("checks", checks);
}

std::string encode(const TestedDevice& tested) {
  Json self_test = json_fields::to_json(tested.self_test);
  for (std::size_t i = 0; i < tested.self_test.agreements.size(); ++i) {
    self_test["agreements"][i]["verdict"] = to_string(tested.self_test.agreements[i].verdict());
  }
  return json_fields::to_text({{"device", json_fields::to_json(tested.device)},
                               {"passed", tested.self_test.passed()},
                               {"self_test", self_test}});
}

Catalogue decode_catalogue(std::string_view text) {
  const Json value = json_fields::parse_object(text, "catalogue");
  return json_fields::catalogue_from(Reader(value, "catalogue"));
}

std::vector<DeviceInfo> decode_devices(std::string_view text) {
  return decode_list("devices", text, json_fields::device_from);
}

std::vector<ChipCounters> decode_chips(std::string_view text) {
  return decode_list("chips", text, json_fields::chip_counters_from);
}

std::vector<Check> decode_checks(std::string_view text) {
  return decode_list("checks", text, json_fields::check_from);
}

TestedDevice decode_tested_device(std::string_view text) {
  const Json value = json_fields::parse_object(text, "self-test");
  const Reader reader(value, "self-test");
  return {json_fields::device_from(reader["device"]), json_fields::self_test_from(reader["self_test"])};
}

}  // namespace rooflinectl
