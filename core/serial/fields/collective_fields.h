// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "core/json/rules.h"
#include "core/program/collective.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<Collective> = kCollectives;

void fields(auto& f, Is<CollectiveTime> auto& time) {
  f("bytes", time.bytes, Range::positive);
  f("time_s", time.time_s, Range::positive);
  f("relative_spread", time.relative_spread);
}

/// Whatever their order in the file.
inline void sort_by_size(CollectiveTimes& times) {
  std::stable_sort(times.sizes.begin(), times.sizes.end(),
                   [](const CollectiveTime& a, const CollectiveTime& b) { return a.bytes < b.bytes; });
}

void fields(auto& f, Is<CollectiveTimes> auto& times) {
  f("collective", times.collective);
  f("sizes", times.sizes);
  f("sent_bytes", times.sent_bytes);
  f.optional("missing", times.missing);
  f.after_reading(times, sort_by_size);
}

void fields(auto& f, Is<Collectives> auto& collectives) {
  f.optional("library", collectives.nccl);
  f.optional("method", collectives.method);
  f("times", collectives.times);
  f.optional("measured_utc", collectives.measured_utc);
  f.optional("missing", collectives.missing);
}

}  // namespace rooflinectl::serial
