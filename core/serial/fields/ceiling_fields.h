// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/model/run.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<CeilingKind> =
    std::array{CeilingKind::bandwidth, CeilingKind::transfer, CeilingKind::compute, CeilingKind::latency};
template <>
inline constexpr auto kValues<CeilingSource> =
    std::array{CeilingSource::theoretical, CeilingSource::measured};

void fields(auto& f, Is<Confirmation> auto& confirmation) {
  f("agrees", confirmation.agrees);
  f("detail", confirmation.detail);
}

void fields(auto& f, Is<Ceiling> auto& ceiling) {
  f("device", ceiling.device);
  f("id", ceiling.id);
  f("kind", ceiling.kind);
  f("source", ceiling.source);
  f("subject", ceiling.subject);
  f("operation", ceiling.operation);
  f("value", ceiling.value, Range::positive);
  f.optional("sm_clock_hz", ceiling.sm_clock_hz);
  f("relative_spread", ceiling.relative_spread);
  f("method", ceiling.method);
  f.optional("measured_utc", ceiling.measured_utc);
  f.optional("confirmation", ceiling.confirmation);
}

}  // namespace rooflinectl::serial
