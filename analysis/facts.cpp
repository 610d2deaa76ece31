// SPDX-License-Identifier: Apache-2.0
#include "analysis/facts.h"

#include <algorithm>
#include <cmath>

#include "analysis/point.h"

namespace rooflinectl {

namespace {

using MaybeValue = std::optional<double>;

MaybeValue quotient(MaybeValue numerator, MaybeValue denominator) {
  if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
  return *numerator / *denominator;
}

MaybeValue product(MaybeValue a, MaybeValue b) {
  if (!a || !b) return std::nullopt;
  return *a * *b;
}

MaybeValue sum(MaybeValue a, MaybeValue b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

MaybeValue count(const RooflinePoint& point, std::string_view key) {
  return value_of(point.measurement->counters, key);
}

template <const std::string_view& kKey>
MaybeValue counted(const Run&, const RooflinePoint& point) {
  return count(point, kKey);
}

MaybeValue time_s(const RooflinePoint& point) {
  return is_timed(*point.measurement) ? MaybeValue(point.measurement->time->median_s) : std::nullopt;
}

template <MemoryLevel kLevel>
MaybeValue utilisation(const Run&, const RooflinePoint& point) {
  const LevelUse* use = find_level(point, kLevel);
  return use != nullptr ? use->utilisation : std::nullopt;
}

MaybeValue highest(std::initializer_list<MaybeValue> values) {
  return std::max(values);  // nothing is less than any number
}

MaybeValue cache_utilisation(const Run& run, const RooflinePoint& point) {
  return highest({utilisation<MemoryLevel::l2>(run, point), utilisation<MemoryLevel::l1>(run, point),
                  utilisation<MemoryLevel::shared>(run, point)});
}

MaybeValue compute_utilisation(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  const auto executed = executed_operations(measurement.counters, point.precision);
  const Operations done = executed.value_or(Operations{measurement.work.flops, measurement.work.fma_flops});
  const auto limit = Ceilings::measured(run).compute(done, point.precision);
  return limit ? quotient(done.flops, product(time_s(point), limit->per_s)) : std::nullopt;
}

MaybeValue busiest(const Run& run, const RooflinePoint& point) {
  return highest({utilisation<MemoryLevel::dram>(run, point), cache_utilisation(run, point),
                  compute_utilisation(run, point)});
}

MaybeValue empty_launch_s(const Run& run, const RooflinePoint& point) {
  if (!is_timed(*point.measurement)) return std::nullopt;
  const std::string_view id = point.measurement->time->launches_per_sample > 1 ? "graph_node" : "launch";
  const Ceiling* empty = find_ceiling(run, id, CeilingSource::measured);
  return empty != nullptr ? MaybeValue(empty->value) : std::nullopt;
}

/// Cycles of all SMs together in the time of the point, at its own clock.
MaybeValue sm_cycles(const Run& run, const RooflinePoint& point) {
  const auto time = time_s(point);
  if (!time) return std::nullopt;
  const double clock_hz = sm_clock_hz(*point.measurement).value_or(run.device.sm_clock_hz);
  return *time * clock_hz * run.device.sm_count;
}

MaybeValue issue_utilisation(const Run& run, const RooflinePoint& point) {
  constexpr double kSchedulers = 4;  // of an SM, on every chip from Volta on
  return quotient(count(point, counter::kWarpInstructions), product(sm_cycles(run, point), kSchedulers));
}

/// The most warps that an SM holds. Source: CUDA C++ Programming Guide, "Technical specifications per compute
/// capability".
double warps_of_sm(const Run& run) {
  switch (run.device.compute_capability) {
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

MaybeValue grid(const RooflinePoint& point) {
  const std::uint64_t blocks = point.measurement->launch.grid;
  return blocks > 0 ? MaybeValue(static_cast<double>(blocks)) : std::nullopt;
}

MaybeValue bytes_per_thread(const Run&, const RooflinePoint& point) {
  return quotient(point.measurement->work.read_bytes, product(grid(point), point.measurement->launch.block));
}

MaybeValue bytes_in_flight(const Run& run, const RooflinePoint& point) {
  constexpr double kLanes = 32;
  const double threads = run.device.sm_count * warps_of_sm(run) * kLanes;
  return product(product(count(point, counter::kOccupancy), threads), bytes_per_thread(run, point));
}

MaybeValue bytes_needed(const Run&, const RooflinePoint& point) {
  return point.roof ? MaybeValue(point.roof->memory_bytes_per_s * kAssumedLatencyS) : std::nullopt;
}

MaybeValue in_flight_use(const Run& run, const RooflinePoint& point) {
  return quotient(product(point.dram_bytes_per_s, kAssumedLatencyS), bytes_in_flight(run, point));
}

MaybeValue atomics(const Run&, const RooflinePoint& point) {
  return count(point, counter::kL2AtomicOperations);
}

MaybeValue atomics_per_result(const Run& run, const RooflinePoint& point) {
  const auto size = static_cast<double>(size_bytes(accumulator(point.measurement->point.dtype)));
  return quotient(atomics(run, point), point.measurement->work.written_bytes / size);
}

MaybeValue atomic_time_share(const Run& run, const RooflinePoint& point) {
  return quotient(product(atomics_per_result(run, point), kAssumedAtomicS), time_s(point));
}

MaybeValue blocks_per_sm(const Run& run, const RooflinePoint& point) {
  return quotient(grid(point), run.device.sm_count);
}

const std::optional<KernelResources>& resources(const RooflinePoint& point) {
  return point.measurement->resources;
}

MaybeValue waves(const Run& run, const RooflinePoint& point) {
  if (!resources(point)) return std::nullopt;
  return quotient(blocks_per_sm(run, point), resources(point)->blocks_per_sm);
}

MaybeValue wave_balance(const Run& run, const RooflinePoint& point) {
  const auto of_device = waves(run, point);
  if (!of_device) return std::nullopt;
  // Within one wave every SM gets its share of the blocks at once.
  const double rounds = *of_device > 1 ? *of_device : *blocks_per_sm(run, point);
  return rounds / std::ceil(rounds);
}

MaybeValue theoretical_occupancy(const Run& run, const RooflinePoint& point) {
  if (!resources(point)) return std::nullopt;
  const double warps = std::ceil(point.measurement->launch.block / 32.0);
  return resources(point)->blocks_per_sm * warps / warps_of_sm(run);
}

MaybeValue shared_instructions(const RooflinePoint& point) {
  return sum(count(point, counter::kSharedLoadInstructions), count(point, counter::kSharedStoreInstructions));
}

MaybeValue shared_wavefronts(const RooflinePoint& point) {
  return sum(count(point, counter::kSharedLoadWavefronts), count(point, counter::kSharedStoreWavefronts));
}

MaybeValue wavefront_excess(const Run&, const RooflinePoint& point) {
  constexpr double kWavefrontBytes = 128;
  const auto instructions = shared_instructions(point);
  const auto bytes = count(point, counter::kSharedBytes);
  if (!instructions || !bytes) return std::nullopt;
  if (*instructions == 0) return 1;
  return quotient(shared_wavefronts(point), std::max(*instructions, *bytes / kWavefrontBytes));
}

}  // namespace

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::count:
      return "count";
    case Unit::ratio:
      return "ratio";
    case Unit::factor:
      return "factor";
    case Unit::bytes:
      return "bytes";
    case Unit::bytes_per_s:
      return "bytes/s";
    case Unit::seconds:
      return "s";
  }
  return "?";
}

namespace quantity {

using P = const RooflinePoint&;
using R = const Run&;

const Quantity kFractionOfRoof = {"fraction of the roof", Unit::ratio,
                                  [](R, P p) { return p.fraction_of_roof; }};
const Quantity kBusiest = {"busiest resource", Unit::ratio, busiest};
const Quantity kDramUtilisation = {"DRAM utilisation", Unit::ratio, utilisation<MemoryLevel::dram>};
const Quantity kL2Utilisation = {"L2 utilisation", Unit::ratio, utilisation<MemoryLevel::l2>};
const Quantity kL1Utilisation = {"L1 utilisation", Unit::ratio, utilisation<MemoryLevel::l1>};
const Quantity kSharedUtilisation = {"shared memory utilisation", Unit::ratio,
                                     utilisation<MemoryLevel::shared>};
const Quantity kCacheUtilisation = {"highest utilisation of L2, L1 and shared memory", Unit::ratio,
                                    cache_utilisation};
const Quantity kComputeUtilisation = {"arithmetic utilisation", Unit::ratio, compute_utilisation};
const Quantity kDramBandwidth = {"DRAM bandwidth", Unit::bytes_per_s,
                                 [](R, P p) { return p.dram_bytes_per_s; }};
const Quantity kTime = {"time", Unit::seconds, [](R, P p) { return time_s(p); }};
const Quantity kEmptyLaunch = {"time of an empty kernel", Unit::seconds, empty_launch_s};
const Quantity kLaunchMultiple = {"time over that of an empty kernel", Unit::factor,
                                  [](R run, P p) { return quotient(time_s(p), empty_launch_s(run, p)); }};

const Quantity kIssueUtilisation = {"issue slots used", Unit::ratio, issue_utilisation};
const Quantity kInstructionsPerElement = {"warp instructions per 32 elements", Unit::count, [](R, P p) {
                                            const double n =
                                                static_cast<double>(p.measurement->point.n_elements) / 32;
                                            return quotient(count(p, counter::kWarpInstructions), n);
                                          }};

const Quantity kOccupancy = {"occupancy", Unit::ratio, counted<counter::kOccupancy>};
const Quantity kBytesPerThread = {"bytes read per thread", Unit::bytes, bytes_per_thread};
const Quantity kBytesInFlight = {"bytes in flight, at most", Unit::bytes, bytes_in_flight};
const Quantity kBytesNeeded = {"bytes in flight needed", Unit::bytes, bytes_needed};
const Quantity kBytesInFlightShare = {
    "share of the bytes in flight that 600 ns of latency (assumed) need, at most", Unit::ratio,
    [](R run, P p) { return quotient(bytes_in_flight(run, p), bytes_needed(run, p)); }};
const Quantity kInFlightUse = {"DRAM bandwidth over what the bytes in flight allow", Unit::ratio,
                               in_flight_use};

const Quantity kAtomics = {"atomic operations", Unit::count, atomics};
const Quantity kAtomicsPerResult = {"atomic operations per result", Unit::count, atomics_per_result};
const Quantity kAtomicTimeShare = {"share of the time for one address (assumed 1.75 ns each)", Unit::ratio,
                                   atomic_time_share};

const Quantity kBarrierStallShare = {"warp cycles at a barrier", Unit::ratio, [](R, P p) {
                                       return quotient(count(p, counter::kBarrierStallWarpCycles),
                                                       count(p, counter::kActiveWarpCycles));
                                     }};
const Quantity kBlocksPerSm = {"blocks of the grid per SM", Unit::count, blocks_per_sm};
const Quantity kWaves = {"waves", Unit::count, waves};
const Quantity kWaveBalance = {"share of the SMs' time that has work", Unit::ratio, wave_balance};
const Quantity kRegistersPerThread = {
    "registers per thread", Unit::count,
    [](R, P p) { return resources(p) ? MaybeValue(resources(p)->registers_per_thread) : std::nullopt; }};
const Quantity kTheoreticalOccupancy = {"occupancy that fits", Unit::ratio, theoretical_occupancy};
const Quantity kRegisterSlack = {
    "blocks that the registers allow over blocks that fit", Unit::factor, [](R, P p) {
      return resources(p) ? quotient(resources(p)->blocks_per_sm_by_registers, resources(p)->blocks_per_sm)
                          : std::nullopt;
    }};

const Quantity kWarpEfficiency = {"warp execution efficiency", Unit::ratio,
                                  counted<counter::kWarpExecutionEfficiency>};
const Quantity kPredicatedOff = {"lanes predicated off", Unit::ratio, [](R, P p) -> MaybeValue {
                                   const auto active = count(p, counter::kWarpExecutionEfficiency);
                                   const auto on = count(p, counter::kWarpNonpredExecutionEfficiency);
                                   return active && on ? MaybeValue(*active - *on) : std::nullopt;
                                 }};
const Quantity kBranchDivergence = {"branch divergence", Unit::ratio, [](R, P p) {
                                      return quotient(count(p, counter::kBranchTargetsDivergent),
                                                      count(p, counter::kBranchTargets));
                                    }};
const Quantity kSharedWavefronts = {"shared wavefronts per instruction", Unit::count, [](R, P p) {
                                      return quotient(shared_wavefronts(p), shared_instructions(p));
                                    }};
const Quantity kWavefrontExcess = {"shared wavefronts over those needed", Unit::factor, wavefront_excess};
const Quantity kSharedInstructionShare = {
    "shared memory's share of the instructions", Unit::ratio,
    [](R, P p) { return quotient(shared_instructions(p), count(p, counter::kWarpInstructions)); }};
const Quantity kLoadSectorEfficiency = {"global load sector efficiency", Unit::ratio,
                                        counted<counter::kGlobalLoadSectorEfficiency>};
const Quantity kStoreSectorEfficiency = {"global store sector efficiency", Unit::ratio,
                                         counted<counter::kGlobalStoreSectorEfficiency>};
const Quantity kDramWriteShare = {"writes' share of the DRAM bytes", Unit::ratio, [](R, P p) {
                                    return quotient(count(p, counter::kDramWriteBytes), p.dram_bytes);
                                  }};
const Quantity kTrafficExcess = {"DRAM bytes over compulsory bytes", Unit::factor,
                                 [](R, P p) { return quotient(p.dram_bytes, p.dram_bytes_useful); }};
const Quantity kRedundancy = {"redundancy", Unit::factor, [](R, P p) { return p.redundancy; }};
const Quantity kUsefulIntensity = {"useful intensity", Unit::count, [](R, P p) { return p.ai_useful; }};
const Quantity kExecutedIntensity = {"executed intensity", Unit::count, [](R, P p) { return p.ai_executed; }};
const Quantity kThrottledSamples = {"throttled samples", Unit::count, [](R, P p) {
                                      const auto& time = p.measurement->time;
                                      return time ? MaybeValue(time->throttled_samples) : std::nullopt;
                                    }};
const Quantity kSamples = {"samples", Unit::count, [](R, P p) {
                             const auto& time = p.measurement->time;
                             return time ? MaybeValue(static_cast<double>(time->samples_s.size()))
                                         : std::nullopt;
                           }};

}  // namespace quantity

}  // namespace rooflinectl
