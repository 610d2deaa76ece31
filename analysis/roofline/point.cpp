// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/quantities/quantities.h"
#include "core/plan/kernel_call.h"
#include "core/program/application.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

Dtype precision_of(const Measurement& measurement) {
  const auto& operations = measurement.work.operations;
  const auto most =
      std::ranges::max_element(operations, {}, [](const auto& entry) { return entry.second.flops; });
  return most != operations.end() ? most->first
                                  : accumulator(dtype_of(measurement.point).value_or(Dtype::f32));
}

bool is_timed(const Measurement& measurement) {
  return measurement.time && measurement.time->median_s > 0;
}

double time_per_launch_s(const Measurement& measurement) {
  return mean_launch(measurement).time_s;
}

bool is_observed(const Measurement& measurement) {
  return measurement.launches.has_value();
}

bool has_executed_work_alone(const Measurement& measurement) {
  return is_observed(measurement) || (is_timed(measurement) && measurement.work == Work{});
}

bool is_collective(const Measurement& measurement) {
  return is_observed(measurement) && is_collective(measurement.launches->symbol);
}

std::optional<double> sm_clock_hz(const Measurement& measurement) {
  if (is_observed(measurement)) return value_of(measurement.counters, counter::kSmClockHz);
  if (!measurement.time) return std::nullopt;
  const TimeResult& time = *measurement.time;
  if (time.sm_clock_hz) return time.sm_clock_hz;
  // Older runs do not record it. They excluded the samples with the lowest clocks.
  std::vector<double> clocks_hz = time.sample_clocks_hz;
  std::erase_if(clocks_hz, [](double clock_hz) { return clock_hz <= 0; });
  std::ranges::sort(clocks_hz);
  const auto left_out = static_cast<std::size_t>(std::max(time.throttled_samples, 0));
  if (clocks_hz.size() <= left_out) return std::nullopt;
  return median(std::span(clocks_hz).subspan(left_out));
}

Bound pipe_of(Dtype precision) {
  switch (precision) {
    case Dtype::f64:
      return Bound::fp64;
    case Dtype::f32:
      return Bound::fp32;
    case Dtype::f16:
    case Dtype::bf16:
      return Bound::fp16;
    case Dtype::i32:
    case Dtype::i64:
      return Bound::int32;
  }
  return Bound::unknown;
}

Bound resource_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return Bound::dram;
    case MemoryLevel::l2:
      return Bound::l2;
    case MemoryLevel::l1:
      return Bound::l1;
    case MemoryLevel::shared:
      return Bound::shared;
  }
  return Bound::unknown;
}

std::string atomic_ceiling_id(const Measurement& measurement) {
  return fmt::format("atomic_{}", to_string(accumulator(dtype_of(measurement.point).value_or(Dtype::f32))));
}

namespace {

/// Below this fraction of the compulsory bytes, DRAM did not deliver the input: a cache did.
constexpr double kCacheResidentFraction = 0.9;

std::optional<double> per_second(std::optional<double> amount, const Measurement& measurement) {
  if (!amount || !is_timed(measurement)) return std::nullopt;
  return *amount / time_per_launch_s(measurement);
}

std::optional<double> counted_bytes(const Counters& counters, MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return dram_bytes(counters);
    case MemoryLevel::l2:
      return value_of(counters, counter::kL2Bytes);
    case MemoryLevel::l1:
      return value_of(counters, counter::kL1Bytes);
    case MemoryLevel::shared:
      return value_of(counters, counter::kSharedBytes);
  }
  return std::nullopt;
}

/// The ceiling of a level, and the least time that its traffic takes. Nothing without a ceiling.
struct LevelTime {
  std::string ceiling;
  double time_s = 0;
};

std::optional<LevelTime> level_time(const Run& run, const RooflinePoint& point, MemoryLevel level,
                                    double bytes) {
  if (const ResourceUse* use = find_use(point, resource_of(level));
      use != nullptr && !use->ceilings.empty()) {
    return LevelTime{use->ceilings.front(), use->time_s.value_or(0)};
  }
  const Measurement& measurement = *point.measurement;
  const Ceilings ceilings = Ceilings::roofs(run, measurement.device, sm_clock_hz(measurement));
  const auto limit =
      level == MemoryLevel::dram ? ceilings.memory(dram_traffic(run, measurement))
      : level == MemoryLevel::l2
          ? ceilings.l2(bytes, value_of(measurement.counters, counter::kL2WriteBytes).value_or(0))
          : ceilings.cache(level);
  if (!limit) return std::nullopt;
  const double passed =
      level == MemoryLevel::shared ? shared_traffic(measurement.counters).value_or(bytes) : bytes;
  return LevelTime{limit->ceilings.front(), passed / limit->per_s};
}

/// `flops`: the operations for the intensity at each level; 0 where there are none, or they are unknown.
std::vector<LevelUse> level_uses(const Run& run, const RooflinePoint& point, double flops) {
  const Measurement& measurement = *point.measurement;
  std::vector<LevelUse> uses;
  for (const MemoryLevel level : kMemoryLevels) {
    const auto bytes = counted_bytes(measurement.counters, level);
    if (!bytes) continue;
    LevelUse use{.level = level, .bytes = *bytes};
    if (*bytes > 0 && flops > 0) use.ai = flops / *bytes;
    if (const auto least = level_time(run, point, level, *bytes)) {
      use.ceiling = least->ceiling;
      if (is_timed(measurement)) use.utilisation = least->time_s / time_per_launch_s(measurement);
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

std::optional<MemoryLevel> busiest_level(const std::vector<LevelUse>& uses) {
  const auto highest = std::ranges::max_element(uses, {}, &LevelUse::utilisation);
  return highest == uses.end() || !highest->utilisation ? std::nullopt : std::optional(highest->level);
}

std::optional<double> fraction_of(const std::optional<Roof>& roof, const Measurement& measurement) {
  if (!roof || !is_timed(measurement)) return std::nullopt;
  return roof->time_s / time_per_launch_s(measurement);
}

/// Of an amount of `resource` per launch over the time of a launch.
std::optional<Interval> rate_interval(std::optional<double> rate, const Measurement& measurement,
                                      Bound resource) {
  if (!rate || !is_observed(measurement) || !is_timed(measurement)) return std::nullopt;
  const auto of_work = relative_half_width_of_work(measurement, resource);
  if (!of_work) return std::nullopt;
  const LaunchTime time = mean_launch(measurement);
  const double of_time = (time.high_s - time.low_s) / 2 / time.time_s;
  const double relative = std::hypot(*of_work, of_time);
  return Interval{*rate / (1 + relative), *rate * (1 + relative)};
}

bool is_above_roof(const RooflinePoint& point) {
  if (!point.fraction_of_roofline) return false;
  const LaunchTime time = mean_launch(*point.measurement);
  const double half_width = (time.high_s - time.low_s) / 2 / time.time_s;
  return *point.fraction_of_roofline > 1 + point.roof->relative_spread + half_width;
}

bool is_counted(const Counters& counters) {
  return std::ranges::any_of(counters, [](const auto& entry) { return entry.second.available(); });
}

constexpr const char* kPowerCapReason = "power cap";

/// Whether the median is over launches that ran at the board's power limit.
bool is_power_capped(const TimeResult& time) {
  if (!time.clock_event_reasons) return false;
  const auto samples = time.clock_event_reasons->find(kPowerCapReason);
  return samples != time.clock_event_reasons->end() &&
         2 * static_cast<std::size_t>(samples->second) >= time.samples_s.size();
}

/// What the driver reported about the clock, and how many samples were excluded because of it.
std::vector<std::string> clock_evidence(const TimeResult& time) {
  std::vector<std::string> reasons;
  if (time.clock_event_reasons) {
    for (const auto& [reason, samples] : *time.clock_event_reasons) {
      reasons.push_back(fmt::format("{} for {}", reason, samples));
    }
  }
  const std::string given =
      reasons.empty() ? "" : fmt::format("; reasons reported by the driver: {}", fmt::join(reasons, ", "));
  std::vector<std::string> evidence;
  if (time.throttled_samples > 0) {
    evidence.push_back(fmt::format("{} of {} samples were slowed down by something other than the kernel{}",
                                   time.throttled_samples, time.samples_s.size(), given));
  } else if (is_power_capped(time)) {
    evidence.push_back(fmt::format("the power cap held the clock down for {} of {} samples",
                                   time.clock_event_reasons->at(kPowerCapReason), time.samples_s.size()));
  }
  return evidence;
}

/// What L2 wrote back meanwhile of data that other kernels had left there.
std::optional<std::string> foreign_traffic_evidence(const RooflinePoint& point) {
  constexpr double kNotablePart = 0.05;
  const ResourceUse* use = find_use(point, Bound::dram);
  const bool is_roof = point.roof && point.roof->resource == Bound::dram;
  if (!is_roof || use == nullptr || !point.dram_bytes) return std::nullopt;
  const double of_others = bytes_of_others(point.measurement->counters);
  if (of_others < kNotablePart * *point.dram_bytes) return std::nullopt;
  const double not_in_roof = *point.dram_bytes - use->amount;
  return fmt::format(
      "{:.3g} of the {:.3g} MB that DRAM moved are earlier kernels' data, which L2 wrote back to make room{}",
      of_others * 1e-6, *point.dram_bytes * 1e-6,
      not_in_roof < kNotablePart * *point.dram_bytes
          ? ""
          : fmt::format("; the {:.3g} MB beyond this kernel's own traffic are not in the roof",
                        not_in_roof * 1e-6));
}

std::vector<Flag> flags_of(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  std::vector<Flag> flags;
  const auto flag_if = [&](bool condition, Flag flag) {
    if (condition) flags.push_back(flag);
  };
  flag_if(measurement.status == Status::failed, Flag::failed);
  flag_if(measurement.status == Status::unverified, Flag::unverified);
  flag_if(measurement.status == Status::skipped, Flag::skipped);
  flag_if(measurement.time && measurement.time->noisy, Flag::noisy);
  flag_if(measurement.time && measurement.time->throttled_samples > 0, Flag::throttled);
  flag_if(measurement.time && is_power_capped(*measurement.time), Flag::power_capped);
  flag_if(cache_of(measurement.point) == CacheState::cold && point.dram_bytes &&
              *point.dram_bytes < kCacheResidentFraction * point.dram_bytes_useful,
          Flag::cache_resident);
  flag_if(is_above_roof(point), Flag::above_roof);
  flag_if(measurement.time && !is_counted(measurement.counters),
          has_executed_work_alone(measurement) ? Flag::not_counted : Flag::declared);
  flag_if(point.roof && point.roof->is_partly_counted, Flag::partly_counted);
  flag_if(unrepeatable_evidence(measurement).has_value(), Flag::not_repeatable);
  return flags;
}

/// Utilisations and fractions above 1 by more than this are not due to noise, even if the spread is zero.
constexpr double kImplausible = 0.02;

std::string likely_cause(const Run& run, const RooflinePoint& point) {
  const auto holds = [&](Flag flag) { return std::ranges::find(point.flags, flag) != point.flags.end(); };
  if (holds(Flag::cache_resident))
    return "a cache delivered part of the input although caches were cold: use a larger input, or a warm "
           "cache";
  if (!run.imports.empty()) {
    return "it was timed and counted in different passes, or the ceilings are of a slower clock or GPU";
  }
  if (is_observed(point)) {
    return "its launches differ, or the ceiling was measured too low (--fresh measures it again)";
  }
  const bool is_under_compute = point.roof && point.roof->compute_ceilings.size() == 1 &&
                                point.roof->flop_per_s >= point.roof->compute_flop_per_s;
  const Ceiling* ceiling = is_under_compute ? find_ceiling(run, point.roof->compute_ceilings.front(),
                                                           CeilingSource::measured, point.measurement->device)
                                            : nullptr;
  const auto clock_hz = sm_clock_hz(*point.measurement);
  if (clock_hz && ceiling != nullptr && ceiling->sm_clock_hz && *clock_hz > 1.01 * *ceiling->sm_clock_hz) {
    return "the clock was higher than when the ceiling was measured: remeasure the ceiling with --fresh";
  }
  return fmt::format("the ceiling is too low (remeasure it with --fresh), or the declared work is wrong{}",
                     is_counted(point.measurement->counters) ? "" : " (nothing was counted)");
}

void set_implausible(RooflinePoint& point, const Run& run) {
  if (is_above_roof(point)) {
    point.implausible.push_back({*point.fraction_of_roofline, "roofline", likely_cause(run, point)});
    // A level above its ceiling would be the same finding once more.
    if (is_observed(point)) return;
  }
  for (const LevelUse& use : point.levels) {
    if (use.utilisation.value_or(0) <= 1 + kImplausible) continue;
    const Ceiling* ceiling = find_ceiling(run, use.ceiling, roof_source(run, point.measurement->device),
                                          point.measurement->device);
    if (ceiling != nullptr && *use.utilisation <= 1 + kImplausible + ceiling->relative_spread) continue;
    point.implausible.push_back(
        {*use.utilisation, std::string(use.ceiling),
         run.imports.empty() ? "not all counted bytes belong to this launch, or the ceiling is too low "
                               "(--fresh measures it again)"
                             : likely_cause(run, point)});
  }
}

void set_declared(RooflinePoint& point) {
  if (has_executed_work_alone(point)) return;
  const Work work = work_of_one_gpu(*point.measurement);
  point.flops_useful = work.flops();
  point.dram_bytes_useful = work.bytes();
  point.useful_bytes_per_s = per_second(point.dram_bytes_useful, *point.measurement);
  if (point.flops_useful <= 0) return;
  if (work.bytes() > 0) point.ai_useful = point.flops_useful / work.bytes();
  point.flop_per_s = per_second(point.flops_useful, *point.measurement);
}

/// The code that a kernel from a file ran as; null for any other.
const CompiledKernel* compiled_of(const Run& run, const Measurement& measurement) {
  const FileKernel* const kernel = find_file_kernel(run.plan, measurement.point.subject);
  if (kernel == nullptr) return nullptr;
  try {
    const KernelCall call = call_of(*kernel, measurement.point.axes);
    const int architecture = run.device_of(measurement).compute_capability;
    for (const CompiledKernel& compiled : run.compiled_kernels) {
      if (compiled.kernel == kernel->id && compiled.function == call.function &&
          compiled.options == call.options && compiled.architecture == architecture) {
        return &compiled;
      }
    }
  } catch (const KernelMistake&) {
    // Not a point of this plan.
  }
  return nullptr;
}

Counting counting_of(const Run& run) {
  return run.imports.empty() ? Counting::ours : Counting::imported;
}

/// Whether some operations were not counted, rather than carried out where no counter sees them.
bool lacks_operations(const Measurement& measurement) {
  const Counters& counters = measurement.counters;
  return !counted_operations(counters, Dtype::f64) || !counted_operations(counters, Dtype::f32) ||
         !executed_tensor_ops(counters);
}

void set_counted(RooflinePoint& point, Counting counting) {
  const Measurement& measurement = *point.measurement;
  point.dram_bytes = dram_bytes(measurement.counters);
  point.dram_bytes_per_s = per_second(point.dram_bytes, measurement);
  ExecutedWork executed = executed_work(measurement, point.compiled);
  point.executed_missing = std::move(executed.missing);
  point.flops_executed = executed.flops;
  if (!executed.flops && counting == Counting::imported && lacks_operations(measurement)) {
    point.flops_executed = operations_at_least(measurement.counters);
  }
  if (!point.flops_executed) return;
  point.executed_flop_per_s = per_second(point.flops_executed, measurement);
  if (point.dram_bytes && *point.dram_bytes > 0 && is_of_all_launches(measurement))
    point.ai_executed = *point.flops_executed / *point.dram_bytes;
  if (point.flops_useful > 0) point.redundancy = *point.flops_executed / point.flops_useful;
}

void set_roofs(RooflinePoint& point, const Run& run) {
  const Measurement& measurement = *point.measurement;
  const Ceilings roofs = Ceilings::roofs(run, measurement.device, sm_clock_hz(measurement));
  const Ceilings theoretical = Ceilings::theoretical(run, measurement.device, sm_clock_hz(measurement));
  const Counting counting = counting_of(run);
  RoofOrReason roof;
  if (has_executed_work_alone(point)) point.resources = resource_uses(measurement, roofs);
  if (is_collective(measurement)) {
    roof.reason = "communication with other GPUs: no roof (see Ranks)";
  } else if (has_executed_work_alone(point)) {
    roof = executed_roof(point.resources, point.flops_executed, counting);
    point.theoretical_roof =
        executed_roof(resource_uses(measurement, theoretical), point.flops_executed, counting).roof;
  } else {
    roof = roof_over(run, measurement, roofs);
    point.theoretical_roof = roof_over(run, measurement, theoretical).roof;
  }
  point.roof = std::move(roof.roof);
  point.roof_missing = std::move(roof.reason);
  point.fraction_of_roofline = fraction_of(point.roof, measurement);
  point.fraction_of_theoretical = fraction_of(point.theoretical_roof, measurement);
  if (point.roof) {
    point.fraction_interval = rate_interval(point.fraction_of_roofline, measurement, point.roof->resource);
  }
  point.executed_flop_per_s_interval = rate_interval(point.executed_flop_per_s, measurement, Bound::unknown);
}

}  // namespace

const ResourceUse* find_use(const RooflinePoint& point, Bound resource) {
  const auto found = std::ranges::find(point.resources, resource, &ResourceUse::resource);
  return found == point.resources.end() ? nullptr : &*found;
}

Work work_of_one_gpu(const Measurement& measurement) {
  Work work = measurement.work;
  const double gpus = gpus_of(measurement.point);
  work.read_bytes /= gpus;
  work.written_bytes /= gpus;
  for (auto& [precision, done] : work.operations) {
    done.flops /= gpus;
    done.fma_flops /= gpus;
  }
  return work;
}

RooflinePoint analyse_point(const Run& run, const Measurement& measurement) {
  RooflinePoint point;
  point.measurement = &measurement;
  if (const VariantInfo* variant = run.catalogue.find_variant(measurement.point.subject)) {
    point.family = variant->family;
  }
  point.compiled = compiled_of(run, measurement);
  point.precision = precision_of(measurement);
  set_declared(point);
  set_counted(point, counting_of(run));
  set_roofs(point, run);
  point.levels = level_uses(
      run, point, has_executed_work_alone(point) ? point.flops_executed.value_or(0) : point.flops_useful);
  point.busiest_level = busiest_level(point.levels);
  point.verdict = verdict_of(run, point);
  point.bound = point.verdict.bound;
  for (const Quantity* quantity : compared_quantities()) {
    if (const auto value = quantity->of(run, point)) point.quantities.push_back({quantity, *value});
  }
  point.flags = flags_of(point);
  if (measurement.time) point.evidence = clock_evidence(*measurement.time);
  if (auto evidence = uneven_evidence(measurement)) point.evidence.push_back(std::move(*evidence));
  if (auto evidence = foreign_traffic_evidence(point)) point.evidence.push_back(std::move(*evidence));
  if (auto evidence = cluster_evidence(measurement)) point.evidence.push_back(std::move(*evidence));
  if (auto evidence = unrepeatable_evidence(measurement)) point.evidence.push_back(std::move(*evidence));
  set_implausible(point, run);
  if (!point.implausible.empty() && !is_above_roof(point)) point.flags.push_back(Flag::implausible);
  return point;
}

namespace {

std::optional<double> ratio(double amount, double of) {
  return amount > 0 && of > 0 ? std::optional(amount / of) : std::nullopt;
}

}  // namespace

std::optional<EnergyUse> energy_use(const RooflinePoint& point) {
  const auto& energy = point.measurement->energy;
  if (!energy || !energy->joules.available()) return std::nullopt;
  EnergyUse use;
  use.joules = *energy->joules.value();
  use.mean_power_w = energy->mean_power_w;
  use.joules_per_element =
      ratio(use.joules, static_cast<double>(size_of(point.measurement->point).value_or(0)));
  use.operations_per_joule = ratio(point.flops_useful, use.joules);
  use.bytes_per_joule = ratio(point.dram_bytes_useful, use.joules);
  return use;
}

std::string energy_missing(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  if (measurement.energy) return measurement.energy->joules.reason();
  if (measurement.status == Status::ok) return "not measured";
  return fmt::format("{}: {}", to_string(measurement.status), measurement.cause);
}

bool has_energy(const ExperimentAnalysis& experiment) {
  return std::ranges::any_of(
      experiment.points, [](const RooflinePoint& point) { return point.measurement->energy.has_value(); });
}

}  // namespace rooflinectl
