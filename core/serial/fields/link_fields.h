// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/machine/link.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<LinkMover> = kLinkMovers;

void fields(auto& f, Is<LinkBandwidth> auto& link) {
  f("from", link.from);
  f("to", link.to);
  f("mover", link.mover);
  f("both_ways", link.both_ways);
  f("bytes_per_s", link.bytes_per_s);
  f("relative_spread", link.relative_spread);
  f("method", link.method);
  f.optional("moved_bytes", link.moved_bytes, Range::positive);
  f.added("sent_bytes", link.sent_bytes);
  f.added("received_bytes", link.received_bytes);
  f.optional("measured_utc", link.measured_utc);
  f.optional("missing", link.missing);
}

}  // namespace rooflinectl::serial
