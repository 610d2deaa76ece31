// SPDX-License-Identifier: Apache-2.0
// Bytes: how many, how many in flight, and the accesses that move them.
#include <algorithm>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"
#include "analysis/roofline/roof.h"

namespace rooflinectl::quantity {

namespace {

MaybeValue bytes_per_thread(R, P point) {
  return quotient(point.measurement->work.read_bytes, product(grid(point), point.measurement->launch.block));
}

MaybeValue bytes_in_flight_per_thread(R, P point) {
  const LaunchShape& launch = point.measurement->launch;
  return quotient(launch.bytes_in_flight_per_block, launch.block);
}

MaybeValue load_rounds(R run, P point) {
  constexpr double kWidestLoad = 16;
  return quotient(bytes_per_thread(run, point), bytes_in_flight_per_thread(run, point).value_or(kWidestLoad));
}

MaybeValue bytes_in_flight(R run, P point) {
  const auto read_by_block = quotient(point.measurement->work.read_bytes, grid(point));
  if (!read_by_block) return std::nullopt;
  const auto& declared = point.measurement->launch.bytes_in_flight_per_block;
  return product(resident_blocks(run, point), std::min(declared.value_or(*read_by_block), *read_by_block));
}

MaybeValue memory_latency(R run, P point) {
  const double bytes = point.measurement->work.read_bytes;
  if (bytes <= 0) return std::nullopt;
  const double from_dram = std::min(1.0, dram_traffic(run, *point.measurement).read_bytes / bytes);
  const auto latency = [&](std::string_view id, double share) -> MaybeValue {
    if (share <= 0) return 0;
    return product(ceiling(run, point, id), share);
  };
  // What does not come from DRAM comes from L2; for the hundredth that L2 may hold by chance, its ceiling is
  // not needed.
  constexpr double kWhole = 0.99;
  if (from_dram >= kWhole) return latency("dram_latency", 1);
  return sum(latency("dram_latency", from_dram), latency("l2_latency", 1 - from_dram));
}

MaybeValue in_flight_share(R run, P point) {
  return share_of_time(point,
                       quotient(product(point.measurement->work.read_bytes, memory_latency(run, point)),
                                bytes_in_flight(run, point)));
}

/// The size of a result.
MaybeValue result_bytes(P point) {
  const auto dtype = dtype_of(point.measurement->point);
  return dtype ? MaybeValue(size_bytes(accumulator(*dtype))) : std::nullopt;
}

MaybeValue atomics_per_result(R, P point) {
  return quotient(count(point, counter::kL2AtomicOperations),
                  quotient(point.measurement->work.written_bytes, result_bytes(point)));
}

/// Whether atomic operations went to so many slices of L2 alike that they cannot have waited for a few
/// addresses: those would be in fewer slices, some with several of them.
bool are_atomics_spread(const Counters& counters) {
  constexpr double kManySlices = 32;
  const auto all = value_of(counters, counter::kL2AtomicOperations);
  const auto busiest = value_of(counters, counter::kL2AtomicBusiestSlice);
  return all && busiest && *busiest * kManySlices <= *all;
}

/// The type of the atomic additions of a program's kernel is that of the additions that it executes besides.
/// On one address they cannot have taken longer than the launch: if they would have, they went to several,
/// of which the number is unknown.
MaybeValue observed_atomic_time_share(R run, P point) {
  constexpr double kMost = 1.1;
  const auto atomics = most_atomics_on_one_address(point.measurement->counters);
  if (!atomics || *atomics == 0) return share_of_time(point, atomics);
  // A slice takes those of different addresses one after another, as fast as integers on one address.
  if (are_atomics_spread(point.measurement->counters)) {
    return share_of_time(point, product(atomics, ceiling(run, point, "atomic_i32")));
  }
  const auto f32 = counted_operations(point.measurement->counters, Dtype::f32);
  const auto f64 = counted_operations(point.measurement->counters, Dtype::f64);
  if (!f32 || !f64) return std::nullopt;
  const std::string_view id = f32->flops > 0 ? "atomic_f32" : f64->flops > 0 ? "atomic_f64" : "atomic_i32";
  const auto share = share_of_time(point, product(atomics, ceiling(run, point, id)));
  return share && *share <= kMost ? share : std::nullopt;
}

MaybeValue atomic_time_share(R run, P point) {
  if (is_observed(point)) return observed_atomic_time_share(run, point);
  const auto per_result = atomics_per_result(run, point);
  if (per_result == 0) return share_of_time(point, 0);
  return share_of_time(point,
                       product(per_result, ceiling(run, point, atomic_ceiling_id(*point.measurement))));
}

MaybeValue wavefront_excess(R, P point) {
  const auto instructions = shared_instructions(point);
  const auto bytes = count(point, counter::kSharedBytes);
  if (!instructions || !bytes) return std::nullopt;
  if (*instructions == 0) return 1;
  return quotient(shared_wavefronts(point), std::max(*instructions, *bytes / kSharedWavefrontBytes));
}

/// No access uses less than one byte of a sector: 0 stands for 0/0.
template <const std::string_view& kKey>
bool has_no_accesses(P point) {
  return count(point, kKey) == 0;
}

template <const std::string_view& kKey>
MaybeValue sector_efficiency(R, P point) {
  return has_no_accesses<kKey>(point) ? std::nullopt : count(point, kKey);
}

}  // namespace

MaybeValue shared_instructions(P point) {
  return sum(count(point, counter::kSharedLoadInstructions), count(point, counter::kSharedStoreInstructions));
}

MaybeValue shared_wavefronts(P point) {
  return sum(count(point, counter::kSharedLoadWavefronts), count(point, counter::kSharedStoreWavefronts));
}

// ---- how many ----

const Quantity kDramBandwidth = in_unit<Unit::bytes_per_s>("DRAM bandwidth", "DRAM bytes / time",
                                                           [](R, P p) { return p.dram_bytes_per_s; });

const Quantity kDramBytesPerElement =
    compared(in_unit<Unit::bytes>("DRAM bytes per element", "(`dram_read_bytes` + `dram_write_bytes`) / n",
                                  [](R, P p) { return per_element(p, p.dram_bytes); }),
             {.fell = "less DRAM traffic", .rose = "more DRAM traffic", .is_exact = false});

const Quantity kL2BytesPerElement =
    compared(in_unit<Unit::bytes>("L2 bytes per element", "`l2_bytes` / n",
                                  [](R, P p) { return per_element(p, count(p, counter::kL2Bytes)); }),
             {.fell = "less L2 traffic", .rose = "more L2 traffic", .is_exact = false});

const Quantity kSharedBytesPerElement =
    compared(in_unit<Unit::bytes>("shared bytes per element", "`shared_bytes` / n",
                                  [](R, P p) { return per_element(p, count(p, counter::kSharedBytes)); }),
             {.fell = "less shared-memory traffic", .rose = "more shared-memory traffic"});

const Quantity kDramBytesPerLaunch =
    compared(in_unit<Unit::bytes>("DRAM bytes per launch",
                                  "`dram_read_bytes` + `dram_write_bytes`, of a profiled program's kernel",
                                  [](R, P p) { return per_launch(p, p.dram_bytes); }),
             {.fell = "less DRAM traffic", .rose = "more DRAM traffic", .is_exact = false});

const Quantity kL2BytesPerLaunch =
    compared(in_unit<Unit::bytes>("L2 bytes per launch", "`l2_bytes`, of a profiled program's kernel",
                                  [](R, P p) { return per_launch(p, count(p, counter::kL2Bytes)); }),
             {.fell = "less L2 traffic", .rose = "more L2 traffic", .is_exact = false});

const Quantity kDramWriteShare =
    in_unit<Unit::ratio>("write share of DRAM bytes", "`dram_write_bytes` / DRAM bytes",
                         [](R, P p) { return quotient(count(p, counter::kDramWriteBytes), p.dram_bytes); });

const Quantity kDeclaredBytes =
    of_declared_work(in_unit<Unit::bytes>("declared bytes", "DRAM bytes that the algorithm cannot do without",
                                          [](R, P p) -> MaybeValue { return p.dram_bytes_useful; }));

const Quantity kTrafficExcess = of_declared_work(
    in_unit<Unit::factor>("DRAM bytes over compulsory bytes", "DRAM bytes / declared bytes",
                          [](R, P p) { return quotient(p.dram_bytes, p.dram_bytes_useful); }));

const Quantity kL2Excess = of_declared_work(
    in_unit<Unit::factor>("L2 bytes over compulsory bytes", "`l2_bytes` / declared bytes",
                          [](R, P p) { return quotient(count(p, counter::kL2Bytes), p.dram_bytes_useful); }));

const Quantity kColdShortfall = of_declared_work(in_unit<Unit::factor>(
    "DRAM bytes over compulsory bytes, cold cache",
    "DRAM bytes / declared bytes; 1 with warm caches, which are meant to deliver", [](R, P p) -> MaybeValue {
      if (cache_of(p.measurement->point) != CacheState::cold) return 1;
      return quotient(p.dram_bytes, p.dram_bytes_useful);
    }));

// ---- in flight ----

const Quantity kBytesInFlightPerThread = compared(
    in_unit<Unit::bytes>("bytes in flight per thread", "declared bytes in flight of a block / its threads",
                         bytes_in_flight_per_thread),
    {.fell = "fewer bytes in flight", .rose = "more bytes in flight", .is_cost = false});

const Quantity kLoadRounds = of_declared_work(in_unit<Unit::count>(
    "rounds of loads per thread",
    "bytes read per thread / bytes in flight per thread, or 16, the widest load, if that is not "
    "declared",
    load_rounds));

const Quantity kBytesInFlight = of_declared_work(in_unit<Unit::bytes>(
    "maximum bytes in flight",
    "resident blocks × declared bytes in flight of a block, or all that it reads if that is less "
    "or nothing is declared",
    bytes_in_flight));

const Quantity kMemoryLatency = of_declared_work(in_unit<Unit::seconds>(
    "unloaded memory latency",
    "`dram_latency` and `l2_latency`, weighted by the share of the input that comes from each",
    memory_latency));

const Quantity kInFlightShare = of_declared_work(in_unit<Unit::ratio>(
    "minimum share of the time for the bytes in flight (Little's law)",
    "declared bytes read × unloaded memory latency / maximum bytes in flight / time", in_flight_share));

// ---- atomics ----

const Quantity kAtomicsPerElement = compared(
    in_unit<Unit::count>("atomic operations per element", "`l2_atomic_operations` / n",
                         [](R, P p) { return per_element(p, count(p, counter::kL2AtomicOperations)); }),
    {.fell = "fewer atomic operations", .rose = "more atomic operations", .is_exact = false});

const Quantity kAtomicsPerResult = of_declared_work(
    in_unit<Unit::count>("atomic operations per result",
                         "`l2_atomic_operations` / values that the algorithm writes", atomics_per_result));

const Quantity kAtomicTimeShare = in_unit<Unit::ratio>(
    "share of the time for atomics on one address",
    "atomic operations per result × the ceiling `atomic_…` of their type / time: they take turns. Of a "
    "program's kernel, all of its atomic operations in the busiest slice of L2 (in older runs, all of "
    "them), if they fit into its time; at the rate of `atomic_i32` if that slice has at most a 32nd",
    atomic_time_share);

const Quantity kAtomicsPerLaunch = in_unit<Unit::count>(
    "atomic operations per launch", "`l2_atomic_operations`, of a profiled program's kernel",
    [](R, P p) { return per_launch(p, count(p, counter::kL2AtomicOperations)); });

// ---- accesses ----

const Quantity kSharedWavefronts =
    compared(in_unit<Unit::count>(
                 "shared wavefronts per instruction",
                 "(`shared_load_wavefronts` + `shared_store_wavefronts`) / (`shared_load_instructions` + "
                 "`shared_store_instructions`); 1 means no bank conflicts for 4-byte accesses",
                 [](R, P p) { return quotient(shared_wavefronts(p), shared_instructions(p)); }),
             {.fell = "fewer bank conflicts", .rose = "more bank conflicts"});

const Quantity kWavefrontExcess = in_unit<Unit::factor>(
    "shared wavefronts over ideal",
    "wavefronts of loads and stores / the fewest that their instructions, or their bytes at 128 "
    "each, need",
    wavefront_excess);

const Quantity kLoadSectorEfficiency = {
    .name = "global load sector efficiency",
    .unit = Unit::ratio,
    .formula =
        "`global_load_sector_efficiency`: bytes used of each 32-byte sector that was loaded; none without "
        "loads",
    .of = sector_efficiency<counter::kGlobalLoadSectorEfficiency>,
    .change =
        ChangeMeaning{.fell = "less coalesced loads", .rose = "better coalesced loads", .is_cost = false},
    .is_of_nothing = has_no_accesses<counter::kGlobalLoadSectorEfficiency>};

const Quantity kStoreSectorEfficiency = {
    .name = "global store sector efficiency",
    .unit = Unit::ratio,
    .formula =
        "`global_store_sector_efficiency`: bytes written of each 32-byte sector that was stored to; none "
        "without stores",
    .of = sector_efficiency<counter::kGlobalStoreSectorEfficiency>,
    .is_of_nothing = has_no_accesses<counter::kGlobalStoreSectorEfficiency>};

}  // namespace rooflinectl::quantity
