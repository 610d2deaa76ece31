// SPDX-License-Identifier: Apache-2.0
#include "core/serial/protocol.h"

#include <fmt/format.h>

#include "core/json/line.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/run_fields.h"

namespace rooflinectl {

namespace serial {

void fields(auto& f, Is<message::Hello> auto& hello) {
  f("device", hello.device);
  f("catalogue", hello.catalogue);
  f("counter_session", hello.counter_session);
}

void fields(auto& f, Is<message::Progress> auto& progress) {
  f("phase", progress.phase);
  f("what", progress.what);
  f.optional("point", progress.point);
}

void fields(auto& f, Is<message::SelfTested> auto& tested) {
  f("self_test", tested.self_test);
}

void fields(auto& f, Is<message::CeilingMeasured> auto& measured) {
  f("ceiling", measured.ceiling);
}

void fields(auto& f, Is<message::CeilingsKnown> auto& known) {
  f("index", known.index);
}

void fields(auto& f, Is<message::PrimitiveMeasured> auto& measured) {
  f("result", measured.result);
}

void fields(auto& f, Is<message::PointTimed> auto& timed) {
  f("point", timed.point);
  f("measurement", timed.measurement);
}

void fields(auto& f, Is<message::PointCounted> auto& counted) {
  f("point", counted.point);
  f("counters", counted.counted.counters);
  f("repeats", counted.counted.repeats);
  f("spread", counted.counted.spread);
}

void fields(auto& f, Is<message::Failure> auto& failure) {
  f("kind", failure.kind);
  f("cause", failure.cause);
  f("hint", failure.hint);
}

void fields(auto& f, Is<message::Bye> auto& bye) {
  f("counter_session", bye.counter_session);
}

void fields(auto& f, Is<KnownCeilings> auto& known) {
  f("uuid", known.uuid);
  f("driver_version", known.driver_version);
  f("sm_clock_hz", known.sm_clock_hz);
  f("launch_clock_hz", known.launch_clock_hz);
  f("ids", known.ids);
  f("unconfirmed_ids", known.unconfirmed_ids);
}

void fields(auto& f, Is<RankPlace> auto& place) {
  f("rank", place.rank, AtLeast{0});
  f("ranks", place.ranks, AtLeast{1});
  f("address", place.address);
  f("obstacle", place.obstacle);
}

void fields(auto& f, Is<CollectRequest> auto& request) {
  f("plan", request.plan);
  f.optional("compiled_kernels", request.compiled_kernels);
  f.optional("references", request.references);
  f("mode", request.mode);
  f("counters", request.counters);
  f("device", request.device);
  f("skip_points", request.skip_points);
  f("count_only_points", request.count_only_points);
  f("skip_ceilings", request.skip_ceilings);
  f("self_test", request.self_test);
  f("known_ceilings", request.known_ceilings);
  f.optional("rank_place", request.rank_place);
}

void fields(auto& f, Is<TestedDevice> auto& tested) {
  f("device", tested.device);
  f("self_test", tested.self_test);
}

}  // namespace serial

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
