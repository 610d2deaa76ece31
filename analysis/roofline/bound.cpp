// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl {

namespace {

constexpr std::array kWords = {
    BoundWords{Bound::dram, "dram", "DRAM", "DRAM-bound",
               "Traffic between DRAM and L2, at full bandwidth, takes most of the time.",
               &quantity::kDramShare},
    BoundWords{Bound::l2, "l2", "L2", "L2-bound",
               "Traffic between L2 and the SMs, at full bandwidth, takes most of the time.",
               &quantity::kL2Share},
    BoundWords{Bound::l1, "l1", "L1", "L1-bound", "L1 traffic, at full bandwidth, takes most of the time.",
               &quantity::kL1Utilisation},
    BoundWords{Bound::shared, "shared", "shared memory", "shared-memory-bound",
               "Shared memory is busy most of the time, including bank conflicts.", &quantity::kSharedShare},
    BoundWords{Bound::nvlink, "nvlink", "NVLink", "NVLink-bound",
               "Traffic between GPUs, at the full bandwidth of NVLink, takes most of the time.",
               &quantity::kNvlinkShare},
    BoundWords{Bound::fp64, "fp64", "FP64", "FP64-bound", "FP64 arithmetic takes most of the time.",
               &quantity::kFp64Share},
    BoundWords{Bound::fp32, "fp32", "FP32", "FP32-bound", "FP32 arithmetic takes most of the time.",
               &quantity::kFp32Share},
    BoundWords{Bound::fp16, "fp16", "FP16", "FP16-bound", "FP16 or BF16 arithmetic takes most of the time.",
               &quantity::kFp16Share},
    BoundWords{Bound::int32, "int32", "INT32", "INT32-bound",
               "The integer operations of the algorithm take most of the time.", &quantity::kInt32Share},
    BoundWords{
        Bound::alu, "alu", "ALU", "ALU-bound",
        "Integer arithmetic, comparisons and logic, which the ALU pipe executes, take most of the time.",
        &quantity::kAluShare},
    BoundWords{Bound::xu, "xu", "special functions", "bound by special functions",
               "Special functions (exp, sqrt, sin, reciprocals) and conversions, which the XU pipe executes, "
               "take most of the time.",
               &quantity::kXuShare},
    BoundWords{Bound::tensor, "tensor", "Tensor Cores", "Tensor-Core-bound",
               "The Tensor Cores are busy most of the time.", &quantity::kTensorShare},
    BoundWords{Bound::issue_slots, "issue-slots", "issue slots", "issue-bound",
               "The schedulers issue an instruction in most cycles: the number of instructions is the limit.",
               &quantity::kIssueUtilisation},
    BoundWords{Bound::atomics, "atomics", "atomics", "bound by atomics",
               "Atomic operations on one address, which are serialised, take most of the time.",
               &quantity::kAtomicTimeShare},
    BoundWords{Bound::bytes_in_flight, "bytes-in-flight", "bytes in flight", "bound by bytes in flight",
               "Too few bytes are in flight to cover the memory latency (Little's law).",
               &quantity::kInFlightShare},
    BoundWords{
        Bound::launch_overhead, "launch-overhead", "launch overhead", "bound by launch overhead",
        "A launch is so short (below 3 µs, or three times an empty kernel) that launching takes most of "
        "its time.",
        &quantity::kLaunchShare},
    BoundWords{Bound::barriers, "barriers", "barriers", "bound by barriers",
               "Warps spend most of their lifetime waiting at barriers.", &quantity::kBarrierStallShare},
    BoundWords{Bound::tail, "tail", "tail", "bound by the tail effect",
               "The blocks do not fill the device: many block slots on the SMs stay empty.",
               &quantity::kIdleRoom},
    BoundWords{
        Bound::other_kernels, "other-kernels", "other kernels", "slowed down by other kernels",
        "Other kernels, those of collectives among them, run beside it for most of its time, and share "
        "SMs, L2 and DRAM with it: alone it would be faster.",
        &quantity::kOverlappedShare},
    BoundWords{Bound::memory_latency, "memory-latency", "memory latency", "bound by memory latency",
               "No resource that was counted is near its limit: warps wait for data from L1, L2 or DRAM more "
               "than for anything else."},
    BoundWords{
        Bound::instruction_latency, "instruction-latency", "instruction latency",
        "bound by instruction latency",
        "No resource is near its limit: many instructions, or slow ones, that wait for each other take "
        "the time."},
    BoundWords{Bound::latency, "latency", "latency", "latency-bound",
               "No resource is near its limit: the launch waits on a chain of dependent loads, instructions "
               "and synchronisation."},
    BoundWords{Bound::communication, "communication", "communication", "communication-bound",
               "A collective: it waits until the other GPUs reach it too, and exchanges data with them."},
    BoundWords{
        Bound::unknown, "unknown", "unknown", "bound unknown",
        "What limits it is unknown: it was not timed, or something that could limit it was not counted "
        "or has no ceiling."},
};

/// The resources that can be busy; the first one wins a tie.
constexpr std::array kResources = {
    Bound::dram, Bound::l2,     Bound::l1,          Bound::shared,  Bound::nvlink,
    Bound::fp64, Bound::fp32,   Bound::fp16,        Bound::int32,   Bound::alu,
    Bound::xu,   Bound::tensor, Bound::issue_slots, Bound::atomics, Bound::bytes_in_flight};

/// From this share of their lifetime on, warps that wait at a barrier bound the point.
constexpr double kBarrierShare = 0.5;
/// From this share of empty block slots on the SMs on, the tail bounds a point; above one wave, from this
/// share of the time that whole waves could save.
constexpr double kIdleRoomOfATail = 0.25;
/// After so many cycles of an SM, the result of any instruction of the FP32, ALU and XU pipes and of shared
/// memory without conflicts is there, from Volta to Hopper. Source: Z. Jia et al., "Dissecting the NVIDIA
/// Volta GPU Architecture via Microbenchmarking", 2018.
constexpr double kLongestInstructionCycles = 33;
/// No known GPU takes this long for an addition to one address in L2. If even that would not matter, neither
/// does the missing ceiling.
constexpr double kSlowestAtomicS = 10e-9;

bool is_at_least(const Quantity& quantity, const Run& run, const RooflinePoint& point, double threshold) {
  return quantity.of(run, point).value_or(0) >= threshold;
}

std::string missing_ceiling(std::string_view id) {
  return fmt::format("the ceiling {} was not measured: add it to `ceilings` in the plan", id);
}

std::string not_counted(const RooflinePoint& point, std::string_view key) {
  const std::string why = why_not_counted(point.measurement->counters, key);
  return why.empty() ? fmt::format("{} was not counted", key)
                     : fmt::format("{} was not counted: {}", key, why);
}

/// Of a kernel without declared results it is not known how many addresses its atomic operations share. That
/// matters if they could take long enough on a single one, and must have gone to several.
std::string missing_atomics(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  const auto atomics = most_atomics_on_one_address(measurement.counters);
  if (!atomics) return fmt::format("atomics: {}", not_counted(point, counter::kL2AtomicOperations));
  const Ceiling* ceiling =
      find_ceiling(run, atomic_ceiling_id(measurement), CeilingSource::measured, measurement.device);
  const double each_s = ceiling != nullptr ? ceiling->value : kSlowestAtomicS;
  if (*atomics * each_s < kBoundShare * time_per_launch_s(measurement)) return {};
  return fmt::format(
      "atomics: {:.0f} operations{}, too many for one address in this time; on how many they were is not "
      "counted",
      *atomics, value_of(measurement.counters, counter::kL2AtomicBusiestSlice) ? " in one slice of L2" : "");
}

/// The same for a kernel that has nothing declared, as those of programs.
std::string missing_for_observed(Bound resource, const Run& run, const RooflinePoint& point) {
  switch (resource) {
    case Bound::atomics:
      return missing_atomics(run, point);
    case Bound::bytes_in_flight:
      return {};
    default: {
      const ResourceUse* use = find_use(point, resource);
      if (use == nullptr) return {};
      const double least_share_s = kBoundShare * time_per_launch_s(*point.measurement);
      return use->most_time_s.value_or(least_share_s) < least_share_s ? std::string() : use->missing;
    }
  }
}

/// Why there is no share of `resource`; empty where it does not matter.
std::string missing_for(Bound resource, const Run& run, const RooflinePoint& point) {
  if (has_executed_work_alone(point)) return missing_for_observed(resource, run, point);
  const Measurement& measurement = *point.measurement;
  switch (resource) {
    case Bound::dram:
      return fmt::format("DRAM: {}", missing_ceiling(dram_ceiling_id(dram_traffic(run, measurement))));
    case Bound::nvlink:
      return is_negligible_on_nvlink(measurement)
                 ? ""
                 : fmt::format("NVLink: {}", missing_ceiling(kNvlinkCeiling));
    case Bound::fp64:
    case Bound::fp32:
    case Bound::fp16:
    case Bound::int32:
      if (pipe_of(point.precision) != resource || measurement.work.flops() <= 0) return {};
      return fmt::format(
          "arithmetic: {}",
          missing_ceiling(
              fmt::format("{}_add", to_string(is_integer(point.precision) ? Dtype::i32 : point.precision))));
    case Bound::tensor:
      if (const auto work = tensor_work(measurement, Ceilings::measured(run, measurement.device))) {
        return fmt::format("Tensor Cores: {}", missing_ceiling(work->missing_ceiling));
      }
      return tensor_instructions(measurement.counters).value_or(0) > 0
                 ? "Tensor Cores: their operations were not counted"
                 : "";
    case Bound::issue_slots:
      return fmt::format("issue slots: {}", not_counted(point, counter::kWarpInstructions));
    case Bound::atomics: {
      const auto atomics = quantity::kAtomicsPerResult.of(run, point);
      if (!atomics) return missing_atomics(run, point);
      if (*atomics * kSlowestAtomicS < kBoundShare * time_per_launch_s(measurement)) return {};
      return fmt::format("atomics: {}", missing_ceiling(atomic_ceiling_id(measurement)));
    }
    case Bound::bytes_in_flight:
      for (const std::string_view id : {"dram_latency", "l2_latency"}) {
        const bool is_measured =
            find_ceiling(run, id, CeilingSource::measured, measurement.device) != nullptr;
        if (!is_measured) return "bytes in flight: " + missing_ceiling(id);
      }
      return "bytes in flight: the variant does not declare how many bytes it keeps in flight";
    default:
      return {};
  }
}

/// Whether the SMs have it, so that those without a block do not use it.
bool is_within_sms(Bound resource) {
  return is_pipe(resource) || resource == Bound::l1 || resource == Bound::shared ||
         resource == Bound::issue_slots;
}

/// The resource with the largest share; the busiest pipe in place of the issue slots, if most of what these
/// issue is for it.
Bound busiest(const std::vector<ResourceShare>& shares) {
  const ResourceShare& first = shares.front();
  if (first.resource != Bound::issue_slots) return first.resource;
  for (const ResourceShare& one : shares) {
    if (!is_pipe(one.resource)) continue;
    if (one.share >= kBoundShare && one.share >= kPipeOfIssueSlots * first.share) return one.resource;
    break;
  }
  return first.resource;
}

/// Blocks per SM of a program's kernel; nothing for others, in which declared loads tell whether more blocks
/// would help.
std::optional<double> blocks_per_sm(const Run& run, const RooflinePoint& point) {
  return is_observed(point) ? quantity::kBlocksPerSm.of(run, point) : std::nullopt;
}

/// Whether each warp of a program's kernel executes as much as many rounds of loads need.
bool has_long_warps(const RooflinePoint& point) {
  constexpr double kInstructionsOfARound = 8;
  const auto instructions = value_of(point.measurement->counters, counter::kWarpInstructions);
  const LaunchShape& launch = point.measurement->launch;
  const double warps = static_cast<double>(launch.grid) * std::ceil(launch.block / 32.0);
  return instructions.value_or(0) >= kInstructionsOfARound * kManyLoadRounds * warps && warps > 0;
}

bool is_tail(const Run& run, const RooflinePoint& point) {
  const auto waves = quantity::kWaves.of(run, point);
  if (waves && *waves > 1) return is_at_least(quantity::kTailLoss, run, point, kIdleRoomOfATail);
  // Within one wave, more blocks help only where each thread has many loads to do.
  return is_at_least(quantity::kIdleRoom, run, point, kIdleRoomOfATail) &&
         is_at_least(quantity::kLoadRounds, run, point, kManyLoadRounds);
}

/// Whether a program's kernel, whose loads are not known, leaves half of the block slots empty.
bool is_half_a_wave(const Run& run, const RooflinePoint& point) {
  return is_observed(point) && has_long_warps(point) && quantity::kWaves.of(run, point).value_or(1) <= 0.5;
}

/// The least share of their cycles in which the warps of a program's kernel waited for memory, where the
/// reasons were not counted: what barriers and the latency of all of its instructions cannot have taken.
/// Nothing where Tensor Cores or FP64 ran, which may take longer.
std::optional<double> least_memory_wait(const RooflinePoint& point) {
  const Counters& counters = point.measurement->counters;
  const auto cycles = value_of(counters, counter::kActiveWarpCycles);
  const auto barriers = value_of(counters, counter::kBarrierStallWarpCycles);
  const auto instructions = value_of(counters, counter::kWarpInstructions);
  const ResourceUse* const fp64 = find_use(point, Bound::fp64);
  const bool has_fp64 = fp64 == nullptr || fp64->time_s.value_or(fp64->most_time_s.value_or(1)) > 0;
  if (!cycles || !barriers || !instructions || *cycles <= 0 || has_fp64) return std::nullopt;
  if (tensor_instructions(counters) != 0) return std::nullopt;
  return 1 - (*barriers + *instructions * kLongestInstructionCycles) / *cycles;
}

/// From this share of their cycles on, and if it is so many times the other one, what warps wait for is the
/// cause, even if they do so for less than half of the time.
constexpr double kNotableStalls = 0.25;
constexpr double kClearlyMore = 2;

/// Why warps wait, if nothing else bounds a point of whose shares the largest is `first`.
Bound latency_of(const RooflinePoint& point, const std::vector<StallShare>& stalls,
                 const ResourceShare& first) {
  const double memory = share_of_cause(stalls, StallCause::memory);
  const double instructions = share_of_cause(stalls, StallCause::instructions);
  if (memory >= kMostStalls) return Bound::memory_latency;
  if (instructions >= kMostStalls) return Bound::instruction_latency;
  if (!is_observed(point)) return Bound::latency;
  // Not all reasons of a program's kernel are counted.
  if (memory >= kNotableStalls && memory >= kClearlyMore * instructions) return Bound::memory_latency;
  if (instructions >= kNotableStalls && instructions >= kClearlyMore * memory)
    return Bound::instruction_latency;
  const bool is_of_instructions = is_pipe(first.resource) || first.resource == Bound::issue_slots;
  if (is_of_instructions && first.share >= kManyInstructions) return Bound::instruction_latency;
  const bool is_of_memory = stalls.empty() && least_memory_wait(point).value_or(0) >= kMostStalls;
  return is_of_memory ? Bound::memory_latency : Bound::latency;
}

/// Whether the reason why a program's warps wait is clear, whatever was not counted: had that been busy, they
/// would wait for it.
bool is_known_to_wait(const RooflinePoint& point, const std::vector<StallShare>& stalls) {
  constexpr double kMajority = 0.4;
  constexpr double kTimesOthers = 3;
  if (!stalls.empty() && stalls.front().share >= kMostStalls) return true;
  const double memory = share_of_cause(stalls, StallCause::memory);
  return is_observed(point) && memory >= kMajority &&
         memory >= kTimesOthers * share_of_cause(stalls, StallCause::instructions);
}

bool is_beside_others(const Run& run, const RooflinePoint& point) {
  return is_at_least(quantity::kOverlappedShare, run, point, kMostlyBesideOthers);
}

/// What bounds a point of which no resource is busy, but all that could be are known.
Bound bound_of_waiting(const Run& run, const RooflinePoint& point, const BoundVerdict& verdict) {
  if (blocks_per_sm(run, point).value_or(kFewBlocksPerSm) < kFewBlocksPerSm) return Bound::tail;
  if (is_at_least(quantity::kBarrierStallShare, run, point, kBarrierShare)) return Bound::barriers;
  if (is_tail(run, point)) return Bound::tail;
  const Bound latency =
      latency_of(point, verdict.stalls, verdict.shares.empty() ? ResourceShare{} : verdict.shares.front());
  const bool has_counted_cause = !verdict.stalls.empty() && latency != Bound::latency;
  if (!has_counted_cause && is_half_a_wave(run, point)) return Bound::tail;
  return is_beside_others(run, point) ? Bound::other_kernels : latency;
}

/// The resource that takes most of the time for certain, although not all of its work was counted: more than
/// those that are known. Nothing if there is none.
std::optional<Bound> bound_of_a_part(const RooflinePoint& point, const BoundVerdict& verdict) {
  const ResourceUse* most = nullptr;
  for (const ResourceUse& use : point.resources) {
    const bool is_part = !use.time_s && use.least_time_s > 0;
    if (is_part && (most == nullptr || use.least_time_s > most->least_time_s)) most = &use;
  }
  if (most == nullptr) return std::nullopt;
  const double share = most->least_time_s / time_per_launch_s(*point.measurement);
  const double largest = verdict.shares.empty() ? 0 : verdict.shares.front().share;
  return share >= std::max(kCertainShare, largest) ? std::optional(most->resource) : std::nullopt;
}

}  // namespace

std::span<const BoundWords> bound_words() {
  return kWords;
}

const BoundWords& words_for(Bound bound) {
  return kWords.at(static_cast<std::size_t>(bound));
}

std::string_view to_string(Bound bound) {
  return words_for(bound).id;
}

bool is_pipe(Bound resource) {
  constexpr std::array kPipes = {Bound::fp64, Bound::fp32, Bound::fp16,  Bound::int32,
                                 Bound::alu,  Bound::xu,   Bound::tensor};
  return std::ranges::find(kPipes, resource) != kPipes.end();
}

bool is_latency(Bound bound) {
  return bound == Bound::memory_latency || bound == Bound::instruction_latency || bound == Bound::latency;
}

bool is_short_launch(const Measurement& measurement) {
  return is_observed(measurement) && is_timed(measurement) && time_per_launch_s(measurement) < kShortLaunchS;
}

BoundVerdict verdict_of(const Run& run, const RooflinePoint& point) {
  BoundVerdict verdict;
  if (!is_timed(*point.measurement)) return verdict;
  bool is_complete = true;
  const bool are_sms_idle = blocks_per_sm(run, point).value_or(1) < kBoundShare;
  for (const Bound resource : kResources) {
    if (const auto share = words_for(resource).quantity->of(run, point)) {
      verdict.shares.push_back({resource, *share});
    } else if (are_sms_idle && is_within_sms(resource)) {
      continue;  // it cannot be busy for that share of the device's time
    } else if (std::string missing = missing_for(resource, run, point); !missing.empty()) {
      // Where any other is not known, what is left cannot be called latency.
      is_complete = is_complete && resource == Bound::bytes_in_flight;
      verdict.unjudged.push_back(std::move(missing));
    }
  }
  verdict.stalls = stall_shares(point.measurement->counters);
  std::ranges::stable_sort(verdict.shares, std::greater(), &ResourceShare::share);
  if (is_collective(*point.measurement)) {
    verdict.bound = Bound::communication;
  } else if (const auto part = bound_of_a_part(point, verdict)) {
    verdict.bound = *part;
  } else if (!verdict.shares.empty() && verdict.shares.front().share >= kBoundShare) {
    verdict.bound = busiest(verdict.shares);
  } else if (is_at_least(quantity::kLaunchShare, run, point, 1 / kLaunchBoundFactor) ||
             is_short_launch(*point.measurement)) {
    verdict.bound = Bound::launch_overhead;
  } else if (is_complete || is_known_to_wait(point, verdict.stalls)) {
    verdict.bound = bound_of_waiting(run, point, verdict);
  } else if (is_beside_others(run, point)) {
    verdict.bound = Bound::other_kernels;
  }
  return verdict;
}

}  // namespace rooflinectl
