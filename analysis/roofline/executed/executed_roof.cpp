// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

/// `what`: the counters in words, `FP64 operations`.
std::string not_counted(const Counters& counters, std::string_view key, std::string_view what) {
  const std::string why = why_not_counted(counters, key);
  return why.empty() ? fmt::format("{} not counted", what) : fmt::format("{} not counted: {}", what, why);
}

/// Why the first of `keys` without a number has none; empty where all have one.
std::string missing_of(const Counters& counters, std::string_view what,
                       std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!value_of(counters, key)) return not_counted(counters, key, what);
  }
  return {};
}

ResourceUse unknown(Bound resource, double amount, std::string reason) {
  return {.resource = resource, .amount = amount, .missing = std::move(reason)};
}

ResourceUse without(Bound resource, double amount, std::string_view ceiling) {
  return unknown(resource, amount, fmt::format("the ceiling {} was not measured", ceiling));
}

/// `amount` at the rate of `limit`, which is not needed where there is nothing to do.
ResourceUse at_rate(Bound resource, double amount, const std::optional<Limit>& limit, std::string_view id) {
  if (!limit && amount > 0) return without(resource, amount, id);
  if (!limit) return {.resource = resource, .time_s = 0};
  return {.resource = resource,
          .amount = amount,
          .time_s = amount / limit->per_s,
          .ceilings = limit->ceilings,
          .relative_spread = limit->relative_spread};
}

/// What the kernel moves: it writes no more than its SMs ask of L2, and reads at most the other half of each
/// pair of sectors as well.
Traffic own_traffic(const Traffic& counted, const Counters& counters) {
  const auto requested = value_of(counters, counter::kL2Bytes);
  if (!requested) return counted;
  const double written = value_of(counters, counter::kL2WriteBytes).value_or(*requested);
  if (!counted.is_mix_known) {
    const double half = std::min(counted.bytes(), 2 * *requested + written) / 2;
    return {half, half, false};
  }
  return {std::min(counted.read_bytes, 2 * *requested), std::min(counted.written_bytes, written)};
}

/// And what other kernels left in L2 and had to be written back to make room for it: a byte for each of its
/// own, at most.
Traffic needed_traffic(const Traffic& counted, const Counters& counters) {
  const Traffic own = own_traffic(counted, counters);
  if (!counted.is_mix_known) {
    const double half = std::min(counted.bytes(), 2 * own.bytes()) / 2;
    return {half, half, false};
  }
  const double of_others = counted.written_bytes - own.written_bytes;
  return {own.read_bytes, own.written_bytes + std::min(of_others, own.bytes())};
}

ResourceUse dram_use(const Counters& counters, const Ceilings& ceilings) {
  const auto counted = counted_traffic(counters);
  if (!counted) {
    return unknown(Bound::dram, 0,
                   missing_of(counters, "DRAM bytes", {counter::kDramReadBytes, counter::kDramWriteBytes}));
  }
  const Traffic traffic = needed_traffic(*counted, counters);
  ResourceUse use =
      at_rate(Bound::dram, traffic.bytes(), ceilings.memory(traffic), ceilings.memory_id(traffic));
  if (!traffic.is_mix_known && ceilings.are_measured() && !use.ceilings.empty()) {
    use.stands_in = fmt::format("{}, the highest of DRAM", use.ceilings.front());
  }
  return use;
}

/// Whether all that a kernel asks of L2 is to be written, in runs that did not count how much is: it stores,
/// but has neither loads nor atomic operations, and no shared memory, into which copies could go past the
/// counter of loads.
bool writes_only(const Counters& counters) {
  return value_of(counters, counter::kGlobalLoadSectorEfficiency) == 0 &&
         value_of(counters, counter::kGlobalStoreSectorEfficiency).value_or(0) > 0 &&
         value_of(counters, counter::kSharedBytes) == 0 &&
         value_of(counters, counter::kL2AtomicOperations) == 0;
}

ResourceUse l2_use(const Counters& counters, const Ceilings& ceilings) {
  const auto bytes = value_of(counters, counter::kL2Bytes);
  if (!bytes) return unknown(Bound::l2, 0, not_counted(counters, counter::kL2Bytes, "L2 bytes"));
  const double written =
      value_of(counters, counter::kL2WriteBytes).value_or(writes_only(counters) ? *bytes : 0);
  return at_rate(Bound::l2, *bytes, ceilings.l2(*bytes, written), cache_ceiling_id(MemoryLevel::l2));
}

ResourceUse l1_use(const Counters& counters, const Ceilings& ceilings) {
  const auto bytes = value_of(counters, counter::kL1Bytes);
  if (!bytes) {
    ResourceUse use = unknown(Bound::l1, 0, not_counted(counters, counter::kL1Bytes, "L1 bytes"));
    const auto l2_bytes = value_of(counters, counter::kL2Bytes);
    const auto limit = ceilings.cache(MemoryLevel::l1);
    const bool is_bypassed = why_not_counted(counters, counter::kL1Bytes) == counter::kBulkCopiesBypassL1;
    // What was counted is less than that, and what bypassed its counters is no more.
    if (is_bypassed && l2_bytes && limit) use.most_time_s = 2 * *l2_bytes / limit->per_s;
    return use;
  }
  return at_rate(Bound::l1, *bytes, ceilings.cache(MemoryLevel::l1), cache_ceiling_id(MemoryLevel::l1));
}

ResourceUse shared_use(const Measurement& measurement, const Ceilings& ceilings) {
  const Counters& counters = measurement.counters;
  const auto passed = shared_traffic(counters);
  const bool has_none = measurement.resources && measurement.resources->shared_bytes_per_block == 0;
  if (!passed && has_none) return {.resource = Bound::shared, .time_s = 0};
  if (!passed)
    return unknown(Bound::shared, 0, not_counted(counters, counter::kSharedBytes, "shared-memory bytes"));
  return at_rate(Bound::shared, *passed, ceilings.cache(MemoryLevel::shared),
                 cache_ceiling_id(MemoryLevel::shared));
}

/// What asynchronous copies took from L1's inputs to shared memory, at most: it passes the data pipe once,
/// and is counted in both. Nothing is known where loads and stores, which are not copies, were not counted.
double copied_to_shared(const Counters& counters) {
  const auto loads = value_of(counters, counter::kSharedLoadWavefronts);
  const auto stores = value_of(counters, counter::kSharedStoreWavefronts);
  if (!loads || !stores) return 0;
  return std::max(0.0, shared_traffic(counters).value_or(0) - (*loads + *stores) * kSharedWavefrontBytes);
}

/// L1 and shared memory are one memory, with one data pipe: what needs more of it stands for both. Its
/// wavefronts, if they were counted, tell how long it was busy for sure; what matrix instructions and bulk
/// copies read and write does not pass it.
void share_data_pipe(ResourceUse& l1, ResourceUse& shared, const Counters& counters,
                     const Ceilings& ceilings) {
  ResourceUse& main = l1.known_time_s() > shared.known_time_s() ? l1 : shared;
  const auto wavefronts = value_of(counters, counter::kDataPipeWavefronts);
  const auto limit = ceilings.cache(MemoryLevel::shared);
  if (l1.time_s && shared.time_s) {
    const double once = l1.amount > 0 ? std::max(0.0, 1 - copied_to_shared(counters) / l1.amount) : 1;
    *main.time_s = std::max(*main.time_s, *shared.time_s + once * *l1.time_s);
  }
  if (!wavefronts || !limit) return;
  const double pipe_s = *wavefronts * kSharedWavefrontBytes / limit->per_s;
  if (main.time_s) main.time_s = std::max(*main.time_s, pipe_s);
  for (ResourceUse* use : {&l1, &shared}) {
    if (!use->time_s && tensor_instructions(counters) == 0) use->most_time_s = pipe_s;
  }
}

/// The time of a pipe if every warp instruction that it executed was for a full warp and did one multiply-add
/// per lane, for which the ceiling counts this many operations.
std::optional<double> most_time_s(const std::optional<double>& executed, double operations,
                                  const std::optional<Limit>& limit) {
  if (!executed || (!limit && *executed > 0)) return std::nullopt;
  if (*executed == 0) return 0;
  return *executed * kLanes * operations / limit->per_s;
}

void set_least_time(ResourceUse& use, const Operations& operations, Dtype precision,
                    const Ceilings& ceilings) {
  const auto limit = ceilings.compute(operations, precision);
  if (!limit) return;
  use.amount = operations.flops;
  use.least_time_s = operations.flops / limit->per_s;
  use.ceilings = limit->ceilings;
  use.relative_spread = limit->relative_spread;
}

ResourceUse float_use(const Counters& counters, const Ceilings& ceilings, Dtype precision) {
  constexpr double kOperationsPerLane = 2;
  const Bound resource = pipe_of(precision);
  const auto done = counted_operations(counters, precision);
  if (!done) {
    const bool is_f64 = precision == Dtype::f64;
    ResourceUse use = unknown(
        resource, 0,
        is_f64 ? missing_of(counters, "FP64 operations", {counter::kDadd, counter::kDmul, counter::kDfma})
               : missing_of(counters, "FP32 operations",
                            {counter::kFadd, counter::kFmul, counter::kFfma, counter::kFadd2, counter::kFmul2,
                             counter::kFfma2}));
    set_least_time(use, operations_at_least(counters, precision), precision, ceilings);
    use.most_time_s = most_time_s(
        value_of(counters, is_f64 ? counter::kFp64PipeInstructions : counter::kFmaPipeInstructions),
        kOperationsPerLane, ceilings.find(is_f64 ? "f64_fma" : "f32_fma"));
    return use;
  }
  const auto limit = ceilings.compute(*done, precision);
  return at_rate(resource, done->flops, limit, ceilings.missing_for(*done, precision));
}

/// A packed instruction and a scalar one keep a lane of the pipe equally busy, so the time is known even
/// though the number of operations is not. The ceilings count four operations per instruction.
ResourceUse half_use(const Counters& counters, const Ceilings& ceilings) {
  constexpr double kOperationsPerInstruction = 4;
  auto limit = ceilings.find("f16_fma");
  // Both types run in one pipe. The faster of its two benchmarks shows what it can do.
  if (auto other = ceilings.find("bf16_fma"); other && (!limit || other->per_s > limit->per_s)) limit = other;
  std::string missing =
      missing_of(counters, "FP16 instructions", {counter::kHadd, counter::kHmul, counter::kHfma});
  if (!missing.empty()) {
    ResourceUse use = unknown(Bound::fp16, 0, std::move(missing));
    use.most_time_s = most_time_s(most_half_instructions(counters), kOperationsPerInstruction, limit);
    return use;
  }
  const double instructions = *value_of(counters, counter::kHadd) + *value_of(counters, counter::kHmul) +
                              *value_of(counters, counter::kHfma);
  if (limit) limit->per_s /= kOperationsPerInstruction;
  return at_rate(Bound::fp16, instructions, limit, "f16_fma");
}

/// Any instruction takes one, those of integers included, which have no roof of their own: it would be as
/// high.
ResourceUse issue_use(const Counters& counters, const Ceilings& ceilings) {
  const auto instructions = value_of(counters, counter::kWarpInstructions);
  const auto limit = ceilings.issue_slots();
  if (!instructions) {
    return unknown(Bound::issue_slots, 0,
                   not_counted(counters, counter::kWarpInstructions, "warp instructions"));
  }
  if (!limit) return unknown(Bound::issue_slots, *instructions, "the SM clock is not known");
  return at_rate(Bound::issue_slots, *instructions, limit, "");
}

/// A pipe whose warp instructions the hardware counts. It is left out where it was not counted.
void add_pipe(std::vector<ResourceUse>& uses, Bound resource, const std::optional<double>& instructions,
              const std::optional<Limit>& limit) {
  if (instructions && limit) uses.push_back(at_rate(resource, *instructions, limit, ""));
}

ResourceUse tensor_use(const Measurement& measurement, const Ceilings& ceilings) {
  const Counters& counters = measurement.counters;
  const auto instructions = tensor_instructions(counters);
  const auto work = tensor_work(measurement, ceilings);
  if (!instructions && !work) {
    return unknown(Bound::tensor, 0,
                   not_counted(counters, counter::kTensorPipeInstructions, "Tensor Core instructions"));
  }
  if (!work) {
    return unknown(
        Bound::tensor, 0,
        fmt::format("the operations of {:.0f} tensor instructions were not counted", *instructions));
  }
  return work->use.time_s ? work->use : without(Bound::tensor, work->use.amount, work->missing_ceiling);
}

/// Whether a pipe does floating-point operations, which a roofline shows.
bool is_of_floats(Bound resource) {
  return resource == Bound::fp64 || resource == Bound::fp32 || resource == Bound::fp16 ||
         resource == Bound::tensor;
}

double order_of(const ResourceUse& use) {
  return use.time_s || use.least_time_s > 0 ? use.known_time_s() : -1;
}

std::optional<MemoryLevel> level_of(Bound resource) {
  const auto found = std::ranges::find(kMemoryLevels, resource, resource_of);
  return found == kMemoryLevels.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

double bytes_of_others(const Counters& counters) {
  const auto counted = counted_traffic(counters);
  return counted ? counted->bytes() - own_traffic(*counted, counters).bytes() : 0;
}

std::vector<ResourceUse> resource_uses(const Measurement& measurement, const Ceilings& ceilings) {
  const Counters& counters = measurement.counters;
  std::vector<ResourceUse> uses = {dram_use(counters, ceilings),
                                   l2_use(counters, ceilings),
                                   l1_use(counters, ceilings),
                                   shared_use(measurement, ceilings),
                                   float_use(counters, ceilings, Dtype::f64),
                                   float_use(counters, ceilings, Dtype::f32),
                                   half_use(counters, ceilings),
                                   issue_use(counters, ceilings),
                                   tensor_use(measurement, ceilings)};
  share_data_pipe(uses[2], uses[3], counters, ceilings);
  add_pipe(uses, Bound::alu, value_of(counters, counter::kAluPipeInstructions), ceilings.alu());
  add_pipe(uses, Bound::xu, value_of(counters, counter::kXuPipeInstructions), ceilings.xu());
  std::ranges::stable_sort(uses, std::greater(), order_of);
  return uses;
}

bool is_indispensable(const ResourceUse& use, Counting counting) {
  if (counting == Counting::imported && (use.resource == Bound::l2 || use.resource == Bound::fp16)) {
    return false;
  }
  return use.resource == Bound::dram || use.resource == Bound::l2 || is_of_floats(use.resource);
}

namespace {

/// The first of `uses` that is of such a resource, and takes time.
const ResourceUse* first_of(const std::vector<ResourceUse>& uses, bool (*is_such)(Bound)) {
  const auto found = std::ranges::find_if(
      uses, [&](const ResourceUse& use) { return is_such(use.resource) && use.known_time_s() > 0; });
  return found == uses.end() ? nullptr : &*found;
}

/// What needs longest; the busiest pipe in place of the issue slots, if most of what these issue is for it.
const ResourceUse& roof_of(const std::vector<ResourceUse>& uses) {
  const ResourceUse& first = uses.front();
  const ResourceUse* const pipe = first_of(uses, is_pipe);
  const bool is_for_pipe = first.resource == Bound::issue_slots && pipe != nullptr &&
                           pipe->known_time_s() >= kPipeOfIssueSlots * first.known_time_s();
  return is_for_pipe ? *pipe : first;
}

}  // namespace

const ResourceUse* main_pipe(const std::vector<ResourceUse>& uses) {
  return first_of(uses, is_of_floats);
}

RoofOrReason executed_roof(const std::vector<ResourceUse>& uses, std::optional<double> flops,
                           Counting counting) {
  const ResourceUse* const first = uses.empty() ? nullptr : &roof_of(uses);
  const double longest_s = first != nullptr ? first->known_time_s() : 0;
  std::string missing;
  for (const ResourceUse& use : uses) {
    const bool cannot_be_longer = use.most_time_s && *use.most_time_s <= longest_s;
    if (missing.empty() && is_indispensable(use, counting) && !use.time_s && !cannot_be_longer) {
      missing = use.missing;
    }
  }
  const bool is_partly_counted = !missing.empty();
  if (is_partly_counted && (counting == Counting::ours || longest_s <= 0)) return {std::nullopt, missing};
  if (longest_s <= 0) {
    return {std::nullopt, "it moves no bytes and does no operations that are counted"};
  }
  Roof roof;
  roof.is_partly_counted = is_partly_counted;
  roof.time_s = longest_s;
  roof.resource = first->resource;
  roof.ceilings = first->ceilings;
  roof.relative_spread = first->relative_spread;
  if (flops) roof.flop_per_s = *flops / roof.time_s;
  // The slowest of the memory levels, and the slowest of the pipes.
  for (const ResourceUse& use : uses) {
    const double time_s = use.known_time_s();
    if (time_s <= 0) continue;
    const auto level = level_of(use.resource);
    if (level && roof.memory_ceiling.empty()) {
      roof.level = *level;
      roof.memory_ceiling = use.ceilings.front();
      roof.memory_bytes_per_s = use.amount / time_s;
    } else if (is_of_floats(use.resource) && roof.compute_ceilings.empty()) {
      roof.compute_ceilings = use.ceilings;
      roof.compute_flop_per_s = flops.value_or(0) / time_s;
    }
  }
  return {roof, std::move(missing)};
}

}  // namespace rooflinectl
