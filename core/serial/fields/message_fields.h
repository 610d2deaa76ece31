// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/line.h"
#include "core/serial/fields/agreement_fields.h"
#include "core/serial/fields/catalogue_fields.h"
#include "core/serial/fields/ceiling_fields.h"
#include "core/serial/fields/collective_fields.h"
#include "core/serial/fields/device_fields.h"
#include "core/serial/fields/link_fields.h"
#include "core/serial/fields/measurement_fields.h"
#include "core/serial/protocol.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<message::Phase> = std::array{
    message::Phase::self_test,  message::Phase::ceilings, message::Phase::confirm, message::Phase::meet,
    message::Phase::primitives, message::Phase::verify,   message::Phase::time,    message::Phase::count};
template <>
inline constexpr auto kValues<CollectMode> =
    std::array{CollectMode::measure, CollectMode::once, CollectMode::count, CollectMode::sanitize};

template <>
inline constexpr const char* kType<message::Hello> = "hello";
void fields(auto& f, Is<message::Hello> auto& hello) {
  f("device", hello.device);
  f("catalogue", hello.catalogue);
  f("counter_session", hello.counter_session);
}

template <>
inline constexpr const char* kType<message::Progress> = "progress";
void fields(auto& f, Is<message::Progress> auto& progress) {
  f("phase", progress.phase);
  f("what", progress.what);
  f.optional("point", progress.point);
}

template <>
inline constexpr const char* kType<message::SelfTested> = "self_test";
void fields(auto& f, Is<message::SelfTested> auto& tested) {
  f("self_test", tested.self_test);
}

template <>
inline constexpr const char* kType<message::CeilingMeasured> = "ceiling";
void fields(auto& f, Is<message::CeilingMeasured> auto& measured) {
  f("ceiling", measured.ceiling);
}

template <>
inline constexpr const char* kType<message::CeilingsKnown> = "ceilings_known";
void fields(auto& f, Is<message::CeilingsKnown> auto& known) {
  f("index", known.index);
}

template <>
inline constexpr const char* kType<message::PrimitiveMeasured> = "primitive";
void fields(auto& f, Is<message::PrimitiveMeasured> auto& measured) {
  f("result", measured.result);
}

template <>
inline constexpr const char* kType<message::PointTimed> = "time";
void fields(auto& f, Is<message::PointTimed> auto& timed) {
  f("point", timed.point);
  f("measurement", timed.measurement);
}

template <>
inline constexpr const char* kType<message::PointCounted> = "counters";
void fields(auto& f, Is<message::PointCounted> auto& counted) {
  f("point", counted.point);
  f("counters", counted.counted.counters);
  f("repeats", counted.counted.repeats);
  f("spread", counted.counted.spread);
}

template <>
inline constexpr const char* kType<message::Failure> = "failure";
void fields(auto& f, Is<message::Failure> auto& failure) {
  f("kind", failure.kind);
  f("cause", failure.cause);
  f("hint", failure.hint);
}

template <>
inline constexpr const char* kType<message::Bye> = "bye";
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

}  // namespace rooflinectl::serial
