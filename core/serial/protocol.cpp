// SPDX-License-Identifier: Apache-2.0
#include "core/serial/protocol.h"

#include <fmt/format.h>

#include <optional>

#include "core/error.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/message_fields.h"

namespace rooflinectl {

std::string_view message::to_string(Phase phase) {
  switch (phase) {
    case Phase::self_test:
      return "self_test";
    case Phase::ceilings:
      return "ceilings";
    case Phase::confirm:
      return "confirm";
    case Phase::meet:
      return "meet";
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
    case CollectMode::sanitize:
      return "sanitize";
  }
  return "?";
}

std::optional<CollectMode> collect_mode_from(std::string_view name) {
  for (CollectMode mode : serial::kValues<CollectMode>) {
    if (to_string(mode) == name) return mode;
  }
  return std::nullopt;
}

namespace {

using serial::Json;
using serial::Reader;

}  // namespace

std::string encode(const Message& message) {
  return serial::to_line(message);
}

Message decode(std::string_view line) {
  try {
    const Json value = serial::parse_object(line, "collector");
    return serial::LineReader<Message>::read(Reader(value, "collector"), "message");
  } catch (const Error& error) {
    throw Error(ErrorKind::environment,
                fmt::format("the collector sent a line that cannot be parsed: {}", error.what()),
                "rooflinectl and rooflinectl-collector must come from the same installation");
  }
}

namespace {

/// What `text` holds; errors call it `document`.
template <typename T>
T decoded(std::string_view text, const char* document) {
  const Json value = serial::parse_object(text, document);
  return serial::read<T>(Reader(value, document));
}

/// An object with a single member, the list of this name.
template <typename Item>
std::string encode_list(const char* name, const std::vector<Item>& items) {
  return serial::to_text({{name, serial::to_json(items)}});
}

template <typename Item>
std::vector<Item> decode_list(const char* name, std::string_view text) {
  const Json value = serial::parse_object(text, name);
  const Reader document(value, name);
  return serial::read<std::vector<Item>>(document[name]);
}

}  // namespace

std::string encode(const CollectRequest& request) {
  return serial::to_text(serial::to_json(request));
}

CollectRequest decode_request(std::string_view text) {
  return decoded<CollectRequest>(text, "plan");
}

std::string encode(const Catalogue& catalogue) {
  return serial::to_text(serial::to_json(catalogue));
}

Catalogue decode_catalogue(std::string_view text) {
  return decoded<Catalogue>(text, "catalogue");
}

std::string encode(const std::vector<DeviceInfo>& devices) {
  return encode_list("devices", devices);
}

std::vector<DeviceInfo> decode_devices(std::string_view text) {
  return decode_list<DeviceInfo>("devices", text);
}

std::string encode(const std::vector<ChipCounters>& chips) {
  return encode_list("chips", chips);
}

std::vector<ChipCounters> decode_chips(std::string_view text) {
  return decode_list<ChipCounters>("chips", text);
}

std::string encode(const std::vector<Check>& checks) {
  return encode_list("checks", checks);
}

std::vector<Check> decode_checks(std::string_view text) {
  return decode_list<Check>("checks", text);
}

std::string encode(const TestedDevice& tested) {
  Json self_test = serial::to_json(tested.self_test);
  for (std::size_t i = 0; i < tested.self_test.agreements.size(); ++i) {
    self_test["agreements"][i]["verdict"] = to_string(tested.self_test.agreements[i].verdict());
  }
  return serial::to_text({{"device", serial::to_json(tested.device)},
                          {"passed", tested.self_test.passed()},
                          {"self_test", self_test}});
}

std::string encode(const std::vector<LinkBandwidth>& links) {
  return encode_list("links", links);
}

std::vector<LinkBandwidth> decode_links(std::string_view text) {
  return decode_list<LinkBandwidth>("links", text);
}

std::string encode(const Collectives& collectives) {
  return serial::to_text(serial::to_json(collectives));
}

Collectives decode_collectives(std::string_view text) {
  return decoded<Collectives>(text, "collectives");
}

TestedDevice decode_tested_device(std::string_view text) {
  return decoded<TestedDevice>(text, "self-test");
}

}  // namespace rooflinectl
