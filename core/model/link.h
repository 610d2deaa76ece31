// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/counters.h"

/// What was measured of moving bytes from one device to another, over NVLink or PCIe.
namespace rooflinectl {

/// Who moves them.
enum class LinkMover {
  copy,   ///< a copy engine (cudaMemcpyPeerAsync)
  load,   ///< threads of the target, which read the source's memory
  store,  ///< threads of the source, which write to the target's memory
};
inline constexpr std::array kLinkMovers = {LinkMover::copy, LinkMover::load, LinkMover::store};

/// `copy`, …
std::string_view to_string(LinkMover mover);

struct LinkBandwidth {
  std::size_t from = 0;  ///< place of the source in `Run::devices`
  std::size_t to = 0;    ///< of the target
  LinkMover mover = LinkMover::copy;
  bool both_ways = false;      ///< as many bytes go back meanwhile: the value is of both directions together
  double bytes_per_s = 0;      ///< 0 where it is missing
  double relative_spread = 0;  ///< interquartile range of the samples over their median
  std::string method;          ///< what was copied, and how often
  /// Moved once more while counters watched, in both directions together where both were used; 0 where they
  /// did not.
  double moved_bytes = 0;
  /// Of them, what left the source over NVLink as counted; where both ways were used, what left both devices.
  CounterValue sent_bytes = CounterValue::unavailable("not counted");
  /// The same of what reached the target.
  CounterValue received_bytes = CounterValue::unavailable("not counted");
  std::string measured_utc;  ///< ISO 8601
  std::string missing;       ///< why there is no value: the devices cannot reach each other; else empty

  bool operator==(const LinkBandwidth&) const = default;
};

/// What keeps a link from being one.
struct LinkMistake {
  std::string_view member;  ///< `from`, `to` or `bytes_per_s`
  std::string_view problem;
};

/// Of a link in a run with so many devices; nothing if it is right.
std::optional<LinkMistake> mistake_in(const LinkBandwidth& link, std::size_t n_devices);

}  // namespace rooflinectl
