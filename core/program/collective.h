// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"

/// What was measured of collectives over all devices of a run.
namespace rooflinectl {

enum class Collective {
  all_reduce,      ///< each device gets the sum of all arrays
  all_gather,      ///< each device gets the parts of all devices as one array
  reduce_scatter,  ///< each device gets its part of the sum of all arrays
  broadcast,       ///< each device gets the first one's array
  send_receive,    ///< each device sends its array to the next one, and the last one to the first
};
inline constexpr auto kCollectives = kEnumerators<Collective>;

/// A collective of one size.
struct CollectiveTime {
  double bytes = 0;            ///< of the whole array; where each device has a part, of all parts together
  double time_s = 0;           ///< median, from a common start to the last device's end
  double relative_spread = 0;  ///< interquartile range of the samples over their median

  bool operator==(const CollectiveTime&) const = default;
};

/// A collective of several sizes.
struct CollectiveTimes {
  Collective collective = Collective::all_reduce;
  std::vector<CollectiveTime> sizes;  ///< by ascending bytes; empty where it is missing
  /// Sent over NVLink by all devices together in one collective of the largest size.
  CounterValue sent_bytes = CounterValue::unavailable("not counted");
  std::string missing;  ///< why it was not timed: its result was wrong; else empty

  bool operator==(const CollectiveTimes&) const = default;
};

struct Collectives {
  std::string nccl;    ///< the library, with its version: `NCCL 2.28.9`; empty where there is none
  std::string method;  ///< what was timed, how often, and how it was verified
  std::vector<CollectiveTimes> times;
  std::string measured_utc;  ///< ISO 8601
  std::string missing;       ///< why nothing was measured, and what to do; else empty

  bool operator==(const Collectives&) const = default;
};

/// What is wrong with collectives.
struct CollectivesMistake {
  std::optional<std::size_t> place;  ///< in `times`; nothing if it is about all of them
  std::string_view member;           ///< `times`, `sizes` or `collective`
  std::string_view problem;
};

/// Nothing if they are right.
std::optional<CollectivesMistake> mistake_in(const Collectives& collectives);

}  // namespace rooflinectl
