// SPDX-License-Identifier: Apache-2.0
// How much a point uses of what the device offers. Most are the least share of its time that a resource
// needs; uncounted, DRAM and L2 are judged by the declared bytes, arithmetic by the declared operations.

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl::quantity {

namespace {

Ceilings ceilings(R run, P point) {
  return Ceilings::measured(run, point.measurement->device);
}

template <MemoryLevel kLevel>
MaybeValue utilisation(R, P point) {
  const LevelUse* use = find_level(point, kLevel);
  return use != nullptr ? use->utilisation : std::nullopt;
}

/// What follows from the counts of a kernel without declared work.
MaybeValue observed_share(P point, Bound resource) {
  const ResourceUse* use = find_use(point, resource);
  return use != nullptr ? share_of_time(point, use->time_s) : std::nullopt;
}

MaybeValue dram_share(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, Bound::dram);
  const Traffic traffic = dram_traffic(run, *point.measurement);
  if (traffic.bytes() <= 0) return time_s(point) ? MaybeValue(0) : std::nullopt;
  const auto limit = ceilings(run, point).memory(traffic);
  return limit ? share_of_time(point, traffic.bytes() / limit->per_s) : std::nullopt;
}

MaybeValue l2_share(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, Bound::l2);
  const double bytes = count(point, counter::kL2Bytes).value_or(point.dram_bytes_useful);
  const auto limit = ceilings(run, point).l2(bytes, count(point, counter::kL2WriteBytes).value_or(0));
  if (!limit) return std::nullopt;
  return share_of_time(point, bytes / limit->per_s);
}

MaybeValue shared_share(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, Bound::shared);
  const auto limit = ceilings(run, point).cache(MemoryLevel::shared);
  const auto passed = shared_traffic(point.measurement->counters);
  return limit && passed ? share_of_time(point, *passed / limit->per_s) : std::nullopt;
}

MaybeValue nvlink_share(R run, P point) {
  const double bytes = point.measurement->work.link_bytes;
  const auto limit = ceilings(run, point).find(kNvlinkCeiling);
  return bytes > 0 && limit ? share_of_time(point, bytes / limit->per_s) : std::nullopt;
}

MaybeValue operations_share(R run, P point, const Operations& done, Dtype precision) {
  if (done.flops <= 0) return time_s(point) ? MaybeValue(0) : std::nullopt;
  const auto limit = ceilings(run, point).compute(done, precision);
  return limit ? share_of_time(point, done.flops / limit->per_s) : std::nullopt;
}

/// The operations of a pipe whose instructions are counted; declared ones where they were not.
template <Dtype kPrecision>
MaybeValue counted_share(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, pipe_of(kPrecision));
  const Measurement& measurement = *point.measurement;
  auto done = counted_operations(measurement.counters, kPrecision);
  const Work work = work_of_one_gpu(measurement);
  if (!done && work.operations.contains(kPrecision)) done = work.operations.at(kPrecision);
  return done ? operations_share(run, point, *done, kPrecision) : std::nullopt;
}

template <Bound kPipe>
MaybeValue declared_share(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, kPipe);
  MaybeValue share;
  const Work work = work_of_one_gpu(*point.measurement);
  for (const auto& [precision, done] : work.operations) {
    if (pipe_of(precision) == kPipe)
      share = sum(share.value_or(0), operations_share(run, point, done, precision));
  }
  return share;
}

MaybeValue tensor_share(R run, P point) {
  const auto work = tensor_work(*point.measurement, ceilings(run, point));
  return work ? share_of_time(point, work->use.time_s) : std::nullopt;
}

template <std::optional<double> ResourceUse::*kTime>
MaybeValue tensor_time_share(P point) {
  const ResourceUse* use = find_use(point, Bound::tensor);
  return use != nullptr && use->time_s.value_or(0) > 0 ? share_of_time(point, use->*kTime) : std::nullopt;
}

/// Cycles of all SMs together in the time of the point, at its own clock.
MaybeValue sm_cycles(R run, P point) {
  if (!is_timed(*point.measurement)) return std::nullopt;
  const double clock_hz = sm_clock_hz(*point.measurement).value_or(device_of(run, point).sm_clock_hz);
  return time_per_launch_s(*point.measurement) * clock_hz * device_of(run, point).sm_count;
}

MaybeValue issue_utilisation(R run, P point) {
  if (has_executed_work_alone(point)) return observed_share(point, Bound::issue_slots);
  constexpr double kSchedulers = 4;  // of an SM, on every chip from Volta on
  return quotient(count(point, counter::kWarpInstructions), product(sm_cycles(run, point), kSchedulers));
}

}  // namespace

const Quantity kFractionOfRoof = in_unit<Unit::ratio>("fraction of roofline", "roof time / time",
                                                      [](R, P p) { return p.fraction_of_roofline; });

const Quantity kL1Utilisation =
    in_unit<Unit::ratio>("L1 utilisation",
                         "`l1_bytes` / `l1_read` / time; of a program's kernel that uses "
                         "L1 more than shared memory, with the time of both: they have "
                         "one data pipe",
                         utilisation<MemoryLevel::l1>);

const Quantity kDramShare = in_unit<Unit::ratio>(
    "DRAM utilisation",
    "DRAM bytes / the DRAM ceiling of their mix / time; declared bytes if none were counted", dram_share);

const Quantity kL2Share =
    in_unit<Unit::ratio>("L2 utilisation",
                         "((`l2_bytes` − `l2_write_bytes`) / `l2_read` + `l2_write_bytes` / "
                         "`l2_write`) / time; declared bytes "
                         "if none were counted",
                         l2_share);

const Quantity kSharedShare = in_unit<Unit::ratio>(
    "shared memory utilisation",
    "`shared_bytes`, or 128 bytes × wavefronts if that is more, / `shared_read` / time; of a "
    "program's kernel that uses it more than L1, with the time of both",
    shared_share);

const Quantity kNvlinkShare = of_declared_work(
    in_unit<Unit::ratio>("NVLink utilisation", "declared bytes over NVLink / `nvlink` / time", nvlink_share));

const Quantity kFp64Share = in_unit<Unit::ratio>(
    "FP64 utilisation", "FP64 flops / the ceiling of their mix / time; declared flops if none were counted",
    counted_share<Dtype::f64>);

const Quantity kFp32Share = in_unit<Unit::ratio>(
    "FP32 utilisation", "FP32 flops / the ceiling of their mix / time; declared flops if none were counted",
    counted_share<Dtype::f32>);

const Quantity kFp16Share =
    in_unit<Unit::ratio>("FP16 utilisation",
                         "declared FP16 and BF16 flops / the ceiling of their mix / time; the "
                         "counters include conversions. Of a program's kernel: (`hadd` + `hmul` + "
                         "`hfma`) / (`f16_fma` / 4) / time",
                         declared_share<Bound::fp16>);

const Quantity kInt32Share =
    in_unit<Unit::ratio>("INT32 utilisation",
                         "declared integer operations / the ceiling of their mix / time; the "
                         "counter includes address and loop arithmetic. A program's kernel has "
                         "none: its integer instructions take issue slots",
                         declared_share<Bound::int32>);

const Quantity kAluShare =
    in_unit<Unit::ratio>("ALU utilisation",
                         "`alu_pipe_instructions` / (2 per SM and cycle × SMs × highest SM clock × "
                         "time), of a program's kernel",
                         [](R, P p) { return observed_share(p, Bound::alu); });

const Quantity kXuShare =
    in_unit<Unit::ratio>("XU utilisation",
                         "`xu_pipe_instructions` / (0.5 per SM and cycle, 1 for compute capability 10.3 "
                         "× SMs × highest SM clock × time), of a program's kernel",
                         [](R, P p) { return observed_share(p, Bound::xu); });

const Quantity kTensorShare = in_unit<Unit::ratio>(
    "Tensor Core utilisation", "the time that the counted operations of each type need at its ceiling / time",
    tensor_share);

const Quantity kTensorShareAtClock = in_unit<Unit::ratio>(
    "Tensor Core utilisation at its clock",
    "Tensor Core utilisation × the SM clock of the ceiling / that of the launches that were counted",
    [](R, P p) { return tensor_time_share<&ResourceUse::time_at_clock_s>(p); });

const Quantity kTensorShareSustained = in_unit<Unit::ratio>(
    "Tensor Core utilisation of the sustained rate",
    "the time that the counted operations of each type need at its ceiling `…_tensor_sustained` / time",
    [](R, P p) { return tensor_time_share<&ResourceUse::sustained_time_s>(p); });

const Quantity kIssueUtilisation =
    in_unit<Unit::ratio>("issue slots used",
                         "`warp_instructions` / (4 schedulers × SMs × SM clock × time); of "
                         "a program's kernel at the highest SM clock",
                         issue_utilisation);

}  // namespace rooflinectl::quantity
