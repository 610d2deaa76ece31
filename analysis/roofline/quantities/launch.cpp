// SPDX-License-Identifier: Apache-2.0
// Blocks, warps and registers: how a launch fills the SMs.
#include <algorithm>
#include <cmath>

#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"
#include "core/counters/stall_reasons.h"

namespace rooflinectl::quantity {

namespace {

/// The most warps that an SM holds. Source: CUDA C++ Programming Guide, "Technical specifications per compute
/// capability".
double warps_of_sm(const DeviceInfo& device) {
  switch (device.compute_capability) {
    case 75:
      return 32;
    case 86:
    case 87:
    case 89:
    case 110:
    case 120:
    case 121:
      return 48;
    default:
      return 64;
  }
}

double warps_of_block(P point) {
  return std::ceil(point.measurement->launch.block / 32.0);
}

MaybeValue blocks_per_sm(R run, P point) {
  return quotient(grid(point), device_of(run, point).sm_count);
}

MaybeValue waves(R run, P point) {
  if (!resources(point)) return std::nullopt;
  return quotient(blocks_per_sm(run, point), resources(point)->blocks_per_sm);
}

MaybeValue idle_room(R run, P point) {
  const auto of_device = waves(run, point);
  return of_device ? MaybeValue(1 - *of_device / std::ceil(*of_device)) : std::nullopt;
}

/// The part of the time in which an SM has a warp, on average.
MaybeValue active_share(R run, P point) {
  const DeviceInfo& device = device_of(run, point);
  const auto warps = product(count(point, counter::kOccupancy), warps_of_sm(device));
  const auto sm_hz = product(sm_clock_hz(*point.measurement), device.sm_count);
  return share_of_time(point, quotient(quotient(count(point, counter::kActiveWarpCycles), warps), sm_hz));
}

MaybeValue tail_loss(R run, P point) {
  const auto room = idle_room(run, point);
  const auto active = is_observed(point) ? active_share(run, point) : std::nullopt;
  if (!room || !active) return room;
  const double idle = 1 - *active - kLaunchShare.of(run, point).value_or(0);
  return std::clamp(idle, 0.0, *room);
}

MaybeValue theoretical_occupancy(R run, P point) {
  if (!resources(point)) return std::nullopt;
  return resources(point)->blocks_per_sm * warps_of_block(point) / warps_of_sm(device_of(run, point));
}

}  // namespace

MaybeValue grid(P point) {
  const std::uint64_t blocks = point.measurement->launch.grid;
  return blocks > 0 ? MaybeValue(static_cast<double>(blocks)) : std::nullopt;
}

MaybeValue resident_blocks(R run, P point) {
  const auto blocks = grid(point);
  if (!blocks || point.measurement->launch.block <= 0) return std::nullopt;
  const double sms = device_of(run, point).sm_count;
  MaybeValue resident;
  const auto at_most = [&](double other) { resident = std::min(resident.value_or(other), other); };
  if (const auto occupancy = count(point, counter::kOccupancy)) {
    at_most(*occupancy * sms * warps_of_sm(device_of(run, point)) / warps_of_block(point));
  }
  if (resources(point)) at_most(sms * resources(point)->blocks_per_sm);
  if (resident) at_most(*blocks);
  return resident;
}

const Quantity kOccupancy = compared(
    in_unit<Unit::ratio>("occupancy", "`occupancy`: resident warps / the maximum of an SM",
                         counted<counter::kOccupancy>),
    {.fell = "fewer resident warps", .rose = "more resident warps", .is_exact = false, .is_cost = false});

const Quantity kTheoreticalOccupancy = in_unit<Unit::ratio>(
    "theoretical occupancy", "warps of the blocks that fit on an SM / its maximum", theoretical_occupancy);

const Quantity kBarrierStallShare = in_unit<Unit::ratio>(
    "warp cycles at barriers", "`barrier_stall_warp_cycles` / `active_warp_cycles`", [](R, P p) {
      return quotient(count(p, counter::kBarrierStallWarpCycles), count(p, counter::kActiveWarpCycles));
    });

namespace {

template <const std::string_view& kKey>
MaybeValue stalled(R, P point) {
  return stall_share(point.measurement->counters, kKey);
}

/// Older runs have no reasons: nothing is missing there that they could have had.
template <const std::string_view& kKey>
constexpr Quantity stall_quantity(std::string_view name, std::string_view formula) {
  return {.name = name,
          .unit = Unit::ratio,
          .formula = formula,
          .of = stalled<kKey>,
          .is_of_nothing = [](P point) { return !stall_share(point.measurement->counters, kKey); }};
}

}  // namespace

const Quantity kMemoryStallShare = stall_quantity<counter::kLongScoreboardStallWarpCycles>(
    "warp cycles waiting for global memory",
    "`long_scoreboard_stall_warp_cycles` / warp cycles of the same launches");

const Quantity kSharedStallShare = stall_quantity<counter::kShortScoreboardStallWarpCycles>(
    "warp cycles waiting for shared memory or special functions",
    "`short_scoreboard_stall_warp_cycles` / warp cycles of the same launches");

const Quantity kDependencyStallShare = stall_quantity<counter::kWaitStallWarpCycles>(
    "warp cycles waiting for the result of the instruction before",
    "`wait_stall_warp_cycles` / warp cycles of the same launches");

const Quantity kMemoryQueueStallShare = stall_quantity<counter::kLgThrottleStallWarpCycles>(
    "warp cycles waiting for the queue of global memory",
    "`lg_throttle_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kSharedQueueStallShare = stall_quantity<counter::kMioThrottleStallWarpCycles>(
    "warp cycles waiting for the queue of shared memory",
    "`mio_throttle_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kPipeStallShare = stall_quantity<counter::kMathPipeThrottleStallWarpCycles>(
    "warp cycles waiting for an arithmetic pipe",
    "`math_pipe_throttle_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kFenceStallShare = stall_quantity<counter::kMembarStallWarpCycles>(
    "warp cycles waiting for memory fences", "`membar_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kWgmmaStallShare = stall_quantity<counter::kGmmaStallWarpCycles>(
    "warp cycles waiting for wgmma", "`gmma_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kFetchStallShare = stall_quantity<counter::kNoInstructionStallWarpCycles>(
    "warp cycles waiting for instructions to be fetched",
    "`no_instruction_stall_warp_cycles` / `active_warp_cycles`");

const Quantity kBlocksPerSm =
    in_unit<Unit::count>("grid blocks per SM", "blocks of the grid / SMs", blocks_per_sm);

const Quantity kWaves =
    in_unit<Unit::count>("waves", "blocks of the grid / blocks that the device holds at once", waves);

const Quantity kIdleRoom = in_unit<Unit::ratio>("empty block slots", "1 − waves / ⌈waves⌉", idle_room);

const Quantity kTailLoss = in_unit<Unit::ratio>(
    "time lost to the last wave",
    "empty block slots; of a program's kernel, no more than the part of its time, beyond that of an empty "
    "kernel, in which SMs have no warps: 1 − `active_warp_cycles` / (`occupancy` × the most warps of an SM × "
    "SMs × SM clock × time)",
    tail_loss);

const Quantity kRegistersPerThread = in_unit<Unit::count>(
    "registers per thread", "of the main kernel",
    [](R, P p) { return resources(p) ? MaybeValue(resources(p)->registers_per_thread) : std::nullopt; });

const Quantity kSpilledBytes = {
    .name = "bytes spilled per thread",
    .unit = Unit::count,
    .formula = "bytes of the spill stores and loads that ptxas reports of a kernel from a file",
    .of =
        [](R, P p) {
          return p.compiled == nullptr ? MaybeValue()
                                       : MaybeValue(static_cast<double>(p.compiled->spill_bytes));
        },
    .is_of_nothing = [](P p) { return p.compiled == nullptr; }};

const Quantity kRegisterSlack = in_unit<Unit::factor>(
    "register block limit over block limit", "blocks per SM that registers allow / blocks per SM that fit",
    [](R, P p) {
      return resources(p) ? quotient(resources(p)->blocks_per_sm_by_registers, resources(p)->blocks_per_sm)
                          : std::nullopt;
    });

}  // namespace rooflinectl::quantity
