// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/model/primitive.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<Dtype> = kAllDtypes;
template <>
inline constexpr auto kValues<Status> =
    std::array{Status::ok, Status::unverified, Status::failed, Status::skipped};
template <>
inline constexpr auto kValues<PrimitiveScope> =
    std::array{PrimitiveScope::warp, PrimitiveScope::block, PrimitiveScope::device};

void fields(auto& f, Is<PrimitiveInfo> auto& primitive) {
  f("id", primitive.id);
  f("family", primitive.family);
  f("title", primitive.title);
  f("by", primitive.by);
  f("dtype", primitive.dtype);
  f("scope", primitive.scope);
  f.optional("instructions", primitive.instructions);
}

void fields(auto& f, Is<Cycles> auto& cycles) {
  f("median", cycles.median);
  f("ci_low", cycles.ci_low);
  f("ci_high", cycles.ci_high);
  f("elements", cycles.elements);
  f("samples", cycles.samples);
  f.optional("sm_clock_hz", cycles.sm_clock_hz);
}

void fields(auto& f, Is<PrimitiveResult> auto& result) {
  fields(f, result.info);
  f.optional("device", result.device);
  f("status", result.status);
  f.optional("cause", result.cause);
  f("latency", result.latency);
  f("throughput", result.throughput);
}

}  // namespace rooflinectl::serial
