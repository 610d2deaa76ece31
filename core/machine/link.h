// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/counters/counters.h"

/// What was measured of moving bytes from one device to another, over NVLink or PCIe.
namespace rooflinectl {

/// Who moves them.
enum class LinkMover {
  copy,   ///< a copy engine (cudaMemcpyPeerAsync)
  load,   ///< threads of the target, which read the source's memory
  store,  ///< threads of the source, which write to the target's memory
};
inline constexpr auto kLinkMovers = kEnumerators<LinkMover>;

struct LinkBandwidth {
  std::size_t from = 0;  ///< place of the source in `Run::devices`
  std::size_t to = 0;    ///< of the target
  LinkMover mover = LinkMover::copy;
  bool both_ways = false;      ///< as many bytes go back meanwhile: the value is the sum of both directions
  double bytes_per_s = 0;      ///< 0 where it is missing
  double relative_spread = 0;  ///< interquartile range of the samples over their median
  std::string method;          ///< what was copied, and how often
  /// Bytes that were moved once more under counters, in both directions together where both were used; 0
  /// where nothing was counted.
  double moved_bytes = 0;
  /// How many of them were counted leaving the source over NVLink; where both ways were used, leaving either
  /// device.
  CounterValue sent_bytes = CounterValue::unavailable("not counted");
  /// The same for what reached the target.
  CounterValue received_bytes = CounterValue::unavailable("not counted");
  std::string measured_utc;  ///< ISO 8601
  std::string missing;       ///< why there is no value: the devices cannot reach each other; else empty

  bool operator==(const LinkBandwidth&) const = default;
};

/// What is wrong with a link.
struct LinkMistake {
  std::string_view member;  ///< `from`, `to` or `bytes_per_s`
  std::string_view problem;
};

/// For a link in a run with this many devices; nothing if it is right.
std::optional<LinkMistake> mistake_in(const LinkBandwidth& link, std::size_t n_devices);

}  // namespace rooflinectl
