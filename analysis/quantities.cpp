// SPDX-License-Identifier: Apache-2.0
#include "analysis/quantities.h"

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

MaybeValue share_of_time(const RooflinePoint& point, MaybeValue needed_s) {
  return quotient(needed_s, time_s(point));
}

/// The device that the point was measured on.
const DeviceInfo& device_of(const Run& run, const RooflinePoint& point) {
  return run.device_of(*point.measurement);
}

MaybeValue dram_share(const Run& run, const RooflinePoint& point) {
  const Traffic traffic = dram_traffic(run, *point.measurement);
  if (traffic.bytes() <= 0) return time_s(point) ? MaybeValue(0) : std::nullopt;
  const auto limit = Ceilings::measured(run, point.measurement->device).memory(traffic);
  return limit ? share_of_time(point, traffic.bytes() / limit->per_s) : std::nullopt;
}

MaybeValue l2_share(const Run& run, const RooflinePoint& point) {
  const auto limit = Ceilings::measured(run, point.measurement->device).cache(MemoryLevel::l2);
  if (!limit) return std::nullopt;
  const double bytes = count(point, counter::kL2Bytes).value_or(point.dram_bytes_useful);
  return share_of_time(point, bytes / limit->per_s);
}

/// What the shared memory of an SM passes on in one cycle.
constexpr double kWavefrontBytes = 128;

MaybeValue shared_instructions(const RooflinePoint& point) {
  return sum(count(point, counter::kSharedLoadInstructions), count(point, counter::kSharedStoreInstructions));
}

MaybeValue shared_wavefronts(const RooflinePoint& point) {
  return sum(count(point, counter::kSharedLoadWavefronts), count(point, counter::kSharedStoreWavefronts));
}

MaybeValue shared_share(const Run& run, const RooflinePoint& point) {
  const auto limit = Ceilings::measured(run, point.measurement->device).cache(MemoryLevel::shared);
  const auto bytes = count(point, counter::kSharedBytes);
  if (!limit || !bytes) return std::nullopt;
  const double passed = std::max(*bytes, shared_wavefronts(point).value_or(0) * kWavefrontBytes);
  return share_of_time(point, passed / limit->per_s);
}

MaybeValue operations_share(const Run& run, const RooflinePoint& point, const Operations& done,
                            Dtype precision) {
  if (done.flops <= 0) return time_s(point) ? MaybeValue(0) : std::nullopt;
  const auto limit = Ceilings::measured(run, point.measurement->device).compute(done, precision);
  return limit ? share_of_time(point, done.flops / limit->per_s) : std::nullopt;
}

/// The operations of a pipe whose instructions are counted; declared ones where they were not.
template <Dtype kPrecision>
MaybeValue counted_share(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  auto done = counted_operations(measurement.counters, kPrecision);
  if (!done && measurement.work.operations.contains(kPrecision))
    done = measurement.work.operations.at(kPrecision);
  return done ? operations_share(run, point, *done, kPrecision) : std::nullopt;
}

template <Bound kPipe>
MaybeValue declared_share(const Run& run, const RooflinePoint& point) {
  MaybeValue share;
  for (const auto& [precision, done] : point.measurement->work.operations) {
    if (pipe_of(precision) == kPipe)
      share = sum(share.value_or(0), operations_share(run, point, done, precision));
  }
  return share;
}

MaybeValue tensor_share(const Run& run, const RooflinePoint& point) {
  const auto work = tensor_work(run, *point.measurement);
  return work ? share_of_time(point, work->time_s) : std::nullopt;
}

MaybeValue arithmetic_share(const Run& run, const RooflinePoint& point) {
  return highest({counted_share<Dtype::f64>(run, point), counted_share<Dtype::f32>(run, point),
                  declared_share<Bound::fp16>(run, point), declared_share<Bound::int32>(run, point),
                  tensor_share(run, point)});
}

MaybeValue empty_launch_s(const Run& run, const RooflinePoint& point) {
  if (!is_timed(*point.measurement)) return std::nullopt;
  const std::string_view id = point.measurement->time->launches_per_sample > 1 ? "graph_node" : "launch";
  const Ceiling* empty = find_ceiling(run, id, CeilingSource::measured, point.measurement->device);
  return empty != nullptr ? MaybeValue(empty->value) : std::nullopt;
}

/// Cycles of all SMs together in the time of the point, at its own clock.
MaybeValue sm_cycles(const Run& run, const RooflinePoint& point) {
  const auto time = time_s(point);
  if (!time) return std::nullopt;
  const double clock_hz = sm_clock_hz(*point.measurement).value_or(device_of(run, point).sm_clock_hz);
  return *time * clock_hz * device_of(run, point).sm_count;
}

MaybeValue issue_utilisation(const Run& run, const RooflinePoint& point) {
  constexpr double kSchedulers = 4;  // of an SM, on every chip from Volta on
  return quotient(count(point, counter::kWarpInstructions), product(sm_cycles(run, point), kSchedulers));
}

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

MaybeValue grid(const RooflinePoint& point) {
  const std::uint64_t blocks = point.measurement->launch.grid;
  return blocks > 0 ? MaybeValue(static_cast<double>(blocks)) : std::nullopt;
}

MaybeValue bytes_per_thread(const Run&, const RooflinePoint& point) {
  return quotient(point.measurement->work.read_bytes, product(grid(point), point.measurement->launch.block));
}

MaybeValue load_rounds(const Run& run, const RooflinePoint& point) {
  constexpr double kWidestLoad = 16;
  const LaunchShape& launch = point.measurement->launch;
  const double at_once = launch.bytes_in_flight_per_block && launch.block > 0
                             ? *launch.bytes_in_flight_per_block / launch.block
                             : kWidestLoad;
  return quotient(bytes_per_thread(run, point), at_once);
}

/// Blocks on the device at one time, on average: as counted, and no more than fit or than there are.
MaybeValue resident_blocks(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  const auto blocks = grid(point);
  if (!blocks || measurement.launch.block <= 0) return std::nullopt;
  const double sms = device_of(run, point).sm_count;
  MaybeValue resident;
  const auto at_most = [&](double other) { resident = std::min(resident.value_or(other), other); };
  if (const auto occupancy = count(point, counter::kOccupancy)) {
    at_most(*occupancy * sms * warps_of_sm(device_of(run, point)) /
            std::ceil(measurement.launch.block / 32.0));
  }
  if (measurement.resources) at_most(sms * measurement.resources->blocks_per_sm);
  if (resident) at_most(*blocks);
  return resident;
}

MaybeValue bytes_in_flight(const Run& run, const RooflinePoint& point) {
  const auto read_by_block = quotient(point.measurement->work.read_bytes, grid(point));
  if (!read_by_block) return std::nullopt;
  const auto& declared = point.measurement->launch.bytes_in_flight_per_block;
  return product(resident_blocks(run, point), std::min(declared.value_or(*read_by_block), *read_by_block));
}

MaybeValue memory_latency(const Run& run, const RooflinePoint& point) {
  const double bytes = point.measurement->work.read_bytes;
  if (bytes <= 0) return std::nullopt;
  const double from_dram = std::min(1.0, dram_traffic(run, *point.measurement).read_bytes / bytes);
  const auto latency = [&](std::string_view id, double share) -> MaybeValue {
    if (share <= 0) return 0;
    const Ceiling* ceiling = find_ceiling(run, id, CeilingSource::measured, point.measurement->device);
    return ceiling != nullptr ? MaybeValue(ceiling->value * share) : std::nullopt;
  };
  // What does not come from DRAM comes from L2; a hundredth that it keeps by chance is not worth its ceiling.
  constexpr double kWhole = 0.99;
  if (from_dram >= kWhole) return latency("dram_latency", 1);
  return sum(latency("dram_latency", from_dram), latency("l2_latency", 1 - from_dram));
}

MaybeValue in_flight_share(const Run& run, const RooflinePoint& point) {
  return share_of_time(point,
                       quotient(product(point.measurement->work.read_bytes, memory_latency(run, point)),
                                bytes_in_flight(run, point)));
}

MaybeValue atomics(const Run&, const RooflinePoint& point) {
  return count(point, counter::kL2AtomicOperations);
}

/// The size of a result.
MaybeValue result_bytes(const RooflinePoint& point) {
  const auto dtype = dtype_of(point.measurement->point);
  return dtype ? MaybeValue(size_bytes(accumulator(*dtype))) : std::nullopt;
}

MaybeValue atomics_per_result(const Run& run, const RooflinePoint& point) {
  return quotient(atomics(run, point), quotient(point.measurement->work.written_bytes, result_bytes(point)));
}

MaybeValue atomic_time_share(const Run& run, const RooflinePoint& point) {
  const Ceiling* atomic = find_ceiling(run, atomic_ceiling_id(*point.measurement), CeilingSource::measured,
                                       point.measurement->device);
  const auto per_result = atomics_per_result(run, point);
  if (per_result == 0) return share_of_time(point, 0);
  return atomic != nullptr ? share_of_time(point, product(per_result, atomic->value)) : std::nullopt;
}

MaybeValue blocks_per_sm(const Run& run, const RooflinePoint& point) {
  return quotient(grid(point), device_of(run, point).sm_count);
}

const std::optional<KernelResources>& resources(const RooflinePoint& point) {
  return point.measurement->resources;
}

MaybeValue waves(const Run& run, const RooflinePoint& point) {
  if (!resources(point)) return std::nullopt;
  return quotient(blocks_per_sm(run, point), resources(point)->blocks_per_sm);
}

MaybeValue idle_room(const Run& run, const RooflinePoint& point) {
  const auto of_device = waves(run, point);
  return of_device ? MaybeValue(1 - *of_device / std::ceil(*of_device)) : std::nullopt;
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
  return resources(point)->blocks_per_sm * warps / warps_of_sm(device_of(run, point));
}

MaybeValue wavefront_excess(const Run&, const RooflinePoint& point) {
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

const Quantity kFractionOfRoof = {"fraction of roofline", Unit::ratio,
                                  [](R, P p) { return p.fraction_of_roof; }};
const Quantity kL1Utilisation = {"L1 utilisation", Unit::ratio, utilisation<MemoryLevel::l1>};
const Quantity kDramBandwidth = {"DRAM bandwidth", Unit::bytes_per_s,
                                 [](R, P p) { return p.dram_bytes_per_s; }};
const Quantity kTime = {"time", Unit::seconds, [](R, P p) { return time_s(p); }};
const Quantity kEmptyLaunch = {"time of an empty kernel", Unit::seconds, empty_launch_s};
const Quantity kLaunchMultiple = {"time relative to an empty kernel", Unit::factor,
                                  [](R run, P p) { return quotient(time_s(p), empty_launch_s(run, p)); }};

const Quantity kLaunchShare = {"empty kernel's share of the time", Unit::ratio,
                               [](R run, P p) { return quotient(empty_launch_s(run, p), time_s(p)); }};

const Quantity kLaunchesPerSample = {"launches per sample", Unit::count, [](R, P p) {
                                       const auto& time = p.measurement->time;
                                       return time ? MaybeValue(time->launches_per_sample) : std::nullopt;
                                     }};

const Quantity kDramShare = {"DRAM utilisation", Unit::ratio, dram_share};
const Quantity kL2Share = {"L2 utilisation", Unit::ratio, l2_share};
const Quantity kSharedShare = {"shared memory utilisation", Unit::ratio, shared_share};
const Quantity kFp64Share = {"FP64 utilisation", Unit::ratio, counted_share<Dtype::f64>};
const Quantity kFp32Share = {"FP32 utilisation", Unit::ratio, counted_share<Dtype::f32>};
const Quantity kFp16Share = {"FP16 utilisation", Unit::ratio, declared_share<Bound::fp16>};
const Quantity kInt32Share = {"INT32 utilisation", Unit::ratio, declared_share<Bound::int32>};
const Quantity kTensorShare = {"Tensor Core utilisation", Unit::ratio, tensor_share};
const Quantity kArithmeticShare = {"arithmetic utilisation", Unit::ratio, arithmetic_share};

const Quantity kIssueUtilisation = {"issue slots used", Unit::ratio, issue_utilisation};
const Quantity kInstructionsPer32Elements = {"warp instructions per 32 elements", Unit::count, [](R, P p) {
                                               const MaybeValue warps =
                                                   quotient(size_of(p.measurement->point), 32);
                                               return quotient(count(p, counter::kWarpInstructions), warps);
                                             }};

const Quantity kOccupancy = {"occupancy", Unit::ratio, counted<counter::kOccupancy>};
const Quantity kBytesPerThread = {"bytes read per thread", Unit::bytes, bytes_per_thread};
const Quantity kLoadRounds = {"rounds of loads per thread", Unit::count, load_rounds};
const Quantity kBytesInFlight = {"maximum bytes in flight", Unit::bytes, bytes_in_flight};
const Quantity kMemoryLatency = {"unloaded memory latency", Unit::seconds, memory_latency};
const Quantity kInFlightShare = {"minimum share of the time for the bytes in flight (Little's law)",
                                 Unit::ratio, in_flight_share};

const Quantity kAtomics = {"atomic operations", Unit::count, atomics};
const Quantity kAtomicsPerResult = {"atomic operations per result", Unit::count, atomics_per_result};
const Quantity kAtomicTimeShare = {"share of the time for atomics on one address", Unit::ratio,
                                   atomic_time_share};

const Quantity kBarrierStallShare = {"warp cycles at barriers", Unit::ratio, [](R, P p) {
                                       return quotient(count(p, counter::kBarrierStallWarpCycles),
                                                       count(p, counter::kActiveWarpCycles));
                                     }};
const Quantity kBlocksPerSm = {"grid blocks per SM", Unit::count, blocks_per_sm};
const Quantity kWaves = {"waves", Unit::count, waves};
const Quantity kIdleRoom = {"empty block slots", Unit::ratio, idle_room};
const Quantity kWaveBalance = {"share of SM time with work", Unit::ratio, wave_balance};
const Quantity kRegistersPerThread = {
    "registers per thread", Unit::count,
    [](R, P p) { return resources(p) ? MaybeValue(resources(p)->registers_per_thread) : std::nullopt; }};
const Quantity kTheoreticalOccupancy = {"theoretical occupancy", Unit::ratio, theoretical_occupancy};
const Quantity kRegisterSlack = {"register block limit over block limit", Unit::factor, [](R, P p) {
                                   return resources(p) ? quotient(resources(p)->blocks_per_sm_by_registers,
                                                                  resources(p)->blocks_per_sm)
                                                       : std::nullopt;
                                 }};

const Quantity kWarpEfficiency = {"warp execution efficiency", Unit::ratio,
                                  counted<counter::kWarpExecutionEfficiency>};
const Quantity kPredicatedOff = {"lanes predicated off", Unit::ratio, [](R, P p) -> MaybeValue {
                                   const auto active = count(p, counter::kWarpExecutionEfficiency);
                                   const auto on = count(p, counter::kWarpNonpredExecutionEfficiency);
                                   return active && on ? MaybeValue(*active - *on) : std::nullopt;
                                 }};
const Quantity kBranchDivergence = {"divergent branches", Unit::ratio, [](R, P p) {
                                      return quotient(count(p, counter::kBranchTargetsDivergent),
                                                      count(p, counter::kBranchTargets));
                                    }};
const Quantity kSharedWavefronts = {"shared wavefronts per instruction", Unit::count, [](R, P p) {
                                      return quotient(shared_wavefronts(p), shared_instructions(p));
                                    }};
const Quantity kWavefrontExcess = {"shared wavefronts over ideal", Unit::factor, wavefront_excess};
const Quantity kLoadSectorEfficiency = {"global load sector efficiency", Unit::ratio,
                                        counted<counter::kGlobalLoadSectorEfficiency>};
const Quantity kStoreSectorEfficiency = {"global store sector efficiency", Unit::ratio,
                                         counted<counter::kGlobalStoreSectorEfficiency>};
const Quantity kDramWriteShare = {"write share of DRAM bytes", Unit::ratio, [](R, P p) {
                                    return quotient(count(p, counter::kDramWriteBytes), p.dram_bytes);
                                  }};
const Quantity kTrafficExcess = {"DRAM bytes over compulsory bytes", Unit::factor,
                                 [](R, P p) { return quotient(p.dram_bytes, p.dram_bytes_useful); }};
const Quantity kL2Excess = {"L2 bytes over compulsory bytes", Unit::factor, [](R, P p) {
                              return quotient(count(p, counter::kL2Bytes), p.dram_bytes_useful);
                            }};
const Quantity kColdShortfall = {
    "DRAM bytes over compulsory bytes, cold cache", Unit::factor, [](R, P p) -> MaybeValue {
      // Warm caches are meant to deliver: not a shortfall.
      return cache_of(p.measurement->point) == CacheState::cold ? quotient(p.dram_bytes, p.dram_bytes_useful)
                                                                : 1;
    }};
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
