// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"

namespace rooflinectl {

/// What a reason is about.
enum class StallCause {
  memory,        ///< data from L1, L2 or DRAM, or room in their queues
  instructions,  ///< the results of other instructions, shared memory included, or room in their pipes
  other,         ///< other warps
};

/// Why a resident warp does not issue an instruction in a cycle, as the hardware tells it.
struct StallReason {
  std::string_view id;     ///< as in names of metrics: `long_scoreboard`
  std::string_view key;    ///< of the counter of warp cycles
  std::string_view label;  ///< in sentences, after “warps wait for”: `global memory`
  StallCause cause = StallCause::other;
};

/// All of them.
std::span<const StallReason> stall_reasons();

/// The part of the cycles of resident warps in which they waited for one reason.
struct StallShare {
  const StallReason* reason = nullptr;
  double share = 0;

  bool operator==(const StallShare&) const = default;
};

/// The part that waited for the reason with this key. Nothing if that was not counted.
std::optional<double> stall_share(const Counters& counters, std::string_view key);

/// The shares of all reasons that were counted, the largest first. Empty if waiting for global memory is not
/// among them: then nobody knows which of them matters.
std::vector<StallShare> stall_shares(const Counters& counters);

/// The sum of those with this cause.
double share_of_cause(const std::vector<StallShare>& shares, StallCause cause);

}  // namespace rooflinectl
