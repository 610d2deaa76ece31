// SPDX-License-Identifier: Apache-2.0
#include "core/counters/stall_reasons.h"

#include <algorithm>
#include <array>
#include <functional>

namespace rooflinectl {

namespace {

using enum StallCause;

constexpr std::array kReasons = {
    StallReason{"long_scoreboard", counter::kLongScoreboardStallWarpCycles, "global memory", memory},
    StallReason{"short_scoreboard", counter::kShortScoreboardStallWarpCycles,
                "shared memory or special functions", instructions},
    StallReason{"barrier", counter::kBarrierStallWarpCycles, "barriers", other},
    StallReason{"wait", counter::kWaitStallWarpCycles, "the result of the instruction before", instructions},
    StallReason{"lg_throttle", counter::kLgThrottleStallWarpCycles, "the queue of global memory", memory},
    StallReason{"mio_throttle", counter::kMioThrottleStallWarpCycles, "the queue of shared memory",
                instructions},
    StallReason{"tex_throttle", counter::kTexThrottleStallWarpCycles, "the queue of textures", memory},
    StallReason{"math_pipe_throttle", counter::kMathPipeThrottleStallWarpCycles, "an arithmetic pipe",
                instructions},
    StallReason{"membar", counter::kMembarStallWarpCycles, "memory fences", memory},
    StallReason{"gmma", counter::kGmmaStallWarpCycles, "wgmma instructions", instructions},
    StallReason{"no_instruction", counter::kNoInstructionStallWarpCycles, "instructions to be fetched",
                instructions},
    StallReason{"imc_miss", counter::kImcMissStallWarpCycles, "constants", instructions},
    StallReason{"branch_resolving", counter::kBranchResolvingStallWarpCycles, "branches", instructions},
    StallReason{"sleeping", counter::kSleepingStallWarpCycles, "the end of a sleep", other},
    StallReason{"drain", counter::kDrainStallWarpCycles, "their last stores", memory},
    StallReason{"dispatch_stall", counter::kDispatchStallWarpCycles, "the dispatcher", instructions},
    StallReason{"not_selected", counter::kNotSelectedStallWarpCycles, "their turn", other},
};

/// Barriers are counted in the pass that counts all cycles, the other reasons perhaps in another one.
std::optional<double> cycles_beside(const Counters& counters, std::string_view key) {
  const auto of_pass = key == counter::kBarrierStallWarpCycles
                           ? std::nullopt
                           : value_of(counters, counter::kStallPassWarpCycles);
  return of_pass ? of_pass : value_of(counters, counter::kActiveWarpCycles);
}

}  // namespace

std::span<const StallReason> stall_reasons() {
  return kReasons;
}

std::optional<double> stall_share(const Counters& counters, std::string_view key) {
  const auto stalled = value_of(counters, key);
  const auto all = cycles_beside(counters, key);
  if (!stalled || !all || *all <= 0) return std::nullopt;
  return *stalled / *all;
}

std::vector<StallShare> stall_shares(const Counters& counters) {
  std::vector<StallShare> shares;
  if (!stall_share(counters, counter::kLongScoreboardStallWarpCycles)) return shares;
  for (const StallReason& reason : kReasons) {
    if (const auto share = stall_share(counters, reason.key)) shares.push_back({&reason, *share});
  }
  std::ranges::stable_sort(shares, std::greater(), &StallShare::share);
  return shares;
}

double share_of_cause(const std::vector<StallShare>& shares, StallCause cause) {
  double sum = 0;
  for (const StallShare& one : shares) sum += one.reason->cause == cause ? one.share : 0;
  return sum;
}

}  // namespace rooflinectl
