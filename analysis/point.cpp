// SPDX-License-Identifier: Apache-2.0
#include "analysis/point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "analysis/repeatability.h"
#include "core/statistics.h"

namespace rooflinectl {

Dtype precision_of(const Measurement& measurement) {
  return measurement.work.precision.value_or(accumulator(measurement.point.dtype));
}

bool is_timed(const Measurement& measurement) {
  return measurement.time && measurement.time->median_s > 0;
}

std::optional<double> sm_clock_hz(const Measurement& measurement) {
  if (!measurement.time) return std::nullopt;
  const TimeResult& time = *measurement.time;
  if (time.sm_clock_hz) return time.sm_clock_hz;
  // Older runs do not say. They left out the samples with the lowest clocks.
  std::vector<double> clocks_hz = time.sample_clocks_hz;
  std::erase_if(clocks_hz, [](double clock_hz) { return clock_hz <= 0; });
  std::sort(clocks_hz.begin(), clocks_hz.end());
  const auto left_out = static_cast<std::size_t>(std::max(time.throttled_samples, 0));
  if (clocks_hz.size() <= left_out) return std::nullopt;
  return median(std::span(clocks_hz).subspan(left_out));
}

std::optional<Operations> executed_operations(const Counters& counters, Dtype precision) {
  if (precision == Dtype::f64) {
    const auto flops = executed_f64_flops(counters);
    if (!flops) return std::nullopt;
    return Operations{*flops, 2 * value_of(counters, counter::kDfma).value()};
  }
  if (precision == Dtype::f32) {
    const auto flops = executed_f32_flops(counters);
    if (!flops) return std::nullopt;
    const double packed_fma = value_of(counters, counter::kFfma2).value_or(0);
    return Operations{*flops, 2 * value_of(counters, counter::kFfma).value() + 4 * packed_fma};
  }
  return std::nullopt;
}

namespace {

/// From this fraction of a ceiling on, the resource is taken as what bounds the point.
constexpr double kBoundFraction = 0.6;
/// Up to this many times an empty kernel, a launch is mostly overhead.
constexpr double kLaunchBoundFactor = 3;
/// Below this fraction of the compulsory bytes, DRAM did not deliver the input: a cache did.
constexpr double kCacheResidentFraction = 0.9;

std::optional<double> per_second(std::optional<double> amount, const Measurement& measurement) {
  if (!amount || !is_timed(measurement)) return std::nullopt;
  return *amount / measurement.time->median_s;
}

/// The traffic that was counted; declared where it was not.
Traffic traffic(const Measurement& measurement) {
  const auto read = value_of(measurement.counters, counter::kDramReadBytes);
  const auto written = value_of(measurement.counters, counter::kDramWriteBytes);
  if (read && written) return {*read, *written};
  return {measurement.work.read_bytes, measurement.work.written_bytes};
}

/// The operations that were counted; declared where they were not, and for integers, whose counter includes
/// the arithmetic of addresses and loops.
Operations operations(const Measurement& measurement) {
  const auto executed = executed_operations(measurement.counters, precision_of(measurement));
  return executed.value_or(Operations{measurement.work.flops, measurement.work.fma_flops});
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

std::vector<LevelUse> level_uses(const Run& run, const Measurement& measurement) {
  const Ceilings ceilings = Ceilings::measured(run);
  std::vector<LevelUse> uses;
  for (const MemoryLevel level : kMemoryLevels) {
    const auto bytes = counted_bytes(measurement.counters, level);
    if (!bytes) continue;
    LevelUse use{.level = level, .bytes = *bytes};
    if (*bytes > 0 && measurement.work.flops > 0) use.ai = measurement.work.flops / *bytes;
    const auto limit =
        level == MemoryLevel::dram ? ceilings.memory(traffic(measurement)) : ceilings.cache(level);
    if (limit) use.ceiling = limit->ceiling;
    if (limit && is_timed(measurement)) use.utilisation = *bytes / measurement.time->median_s / limit->per_s;
    uses.push_back(std::move(use));
  }
  return uses;
}

std::optional<MemoryLevel> limiting_level(const std::vector<LevelUse>& uses) {
  const LevelUse* highest = nullptr;
  for (const LevelUse& use : uses) {
    if (use.utilisation && (highest == nullptr || *use.utilisation > *highest->utilisation)) highest = &use;
  }
  return highest == nullptr ? std::nullopt : std::optional(highest->level);
}

Bound bound_by(MemoryLevel level) {
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

/// Fractions of the measured ceilings at which the resources run; nothing where the ceiling is missing.
struct Utilisation {
  std::optional<double> dram;
  std::optional<double> compute;
};

Utilisation utilisation(const Run& run, const Measurement& measurement) {
  const Ceilings ceilings = Ceilings::measured(run);
  const double time_s = measurement.time->median_s;
  const Traffic moved = traffic(measurement);
  const Operations done = operations(measurement);
  const double moved_bytes = moved.read_bytes + moved.written_bytes;
  Utilisation fractions;
  if (const auto memory = ceilings.memory(moved)) {
    fractions.dram = moved_bytes / time_s / memory->per_s;
  } else if (moved_bytes <= 0) {
    fractions.dram = 0;
  }
  if (const auto compute = ceilings.compute(done, precision_of(measurement))) {
    fractions.compute = done.flops / time_s / compute->per_s;
  } else if (done.flops <= 0) {
    fractions.compute = 0;
  }
  return fractions;
}

/// Within three times an empty kernel, timed in the same way: alone, or as a node of a graph.
bool is_launch_bound(const Run& run, const TimeResult& time) {
  const std::string_view id = time.launches_per_sample > 1 ? "graph_node" : "launch";
  const Ceiling* empty = find_ceiling(run, id, CeilingSource::measured);
  return empty != nullptr && time.median_s <= kLaunchBoundFactor * empty->value;
}

Bound bound_of(const Run& run, const Measurement& measurement, const std::vector<LevelUse>& levels) {
  if (!is_timed(measurement)) return Bound::unknown;
  const auto [dram, compute] = utilisation(run, measurement);
  Bound bound = Bound::dram;
  double highest = dram.value_or(0);
  for (const LevelUse& use : levels) {
    if (use.level == MemoryLevel::dram || use.utilisation.value_or(0) <= highest) continue;
    bound = bound_by(use.level);
    highest = *use.utilisation;
  }
  if (compute.value_or(0) > highest) {
    bound = Bound::compute;
    highest = *compute;
  }
  if (highest >= kBoundFraction) return bound;
  if (is_launch_bound(run, *measurement.time)) return Bound::launch;
  return dram && compute ? Bound::latency : Bound::unknown;
}

std::optional<double> fraction_of(const std::optional<Roof>& roof, const Measurement& measurement) {
  if (!roof || !is_timed(measurement)) return std::nullopt;
  return roof->time_s / measurement.time->median_s;
}

double relative_half_width(const TimeResult& time) {
  return MedianInterval{time.ci_low_s, time.ci_high_s, time.median_s}.relative_half_width();
}

bool is_above_roof(const RooflinePoint& point) {
  return point.fraction_of_roof &&
         *point.fraction_of_roof >
             1 + point.roof->relative_spread + relative_half_width(*point.measurement->time);
}

bool is_counted(const Counters& counters) {
  return std::any_of(counters.begin(), counters.end(),
                     [](const auto& entry) { return entry.second.available(); });
}

constexpr const char* kPowerCapReason = "power cap";

/// Whether the median is that of launches for which the board's power was all that it may be.
bool is_power_capped(const TimeResult& time) {
  if (!time.clock_event_reasons) return false;
  const auto samples = time.clock_event_reasons->find(kPowerCapReason);
  return samples != time.clock_event_reasons->end() &&
         2 * static_cast<std::size_t>(samples->second) >= time.samples_s.size();
}

/// What the driver says of the clock, and how many samples were left out for it.
std::vector<std::string> clock_evidence(const TimeResult& time) {
  std::vector<std::string> reasons;
  if (time.clock_event_reasons) {
    for (const auto& [reason, samples] : *time.clock_event_reasons) {
      reasons.push_back(fmt::format("{} for {}", reason, samples));
    }
  }
  const std::string given =
      reasons.empty() ? "" : fmt::format("; the driver's reasons: {}", fmt::join(reasons, ", "));
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

std::vector<std::string> flags_of(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  std::vector<std::string> flags;
  const auto flag_if = [&](bool condition, const char* flag) {
    if (condition) flags.emplace_back(flag);
  };
  flag_if(measurement.status == Status::failed, "failed");
  flag_if(measurement.status == Status::unverified, "unverified");
  flag_if(measurement.time && measurement.time->noisy, "noisy");
  flag_if(measurement.time && measurement.time->throttled_samples > 0, "throttled");
  flag_if(measurement.time && is_power_capped(*measurement.time), "power-capped");
  flag_if(point.dram_bytes && *point.dram_bytes < kCacheResidentFraction * point.dram_bytes_useful,
          "cache-resident");
  flag_if(point.bound == Bound::launch, "launch-bound");
  flag_if(is_above_roof(point), "above-roof");
  flag_if(measurement.time && !is_counted(measurement.counters), "declared");
  flag_if(unrepeatable_evidence(measurement).has_value(), "not-repeatable");
  return flags;
}

/// Utilisations and fractions above 1 by more than this are no matter of noise, even where the spread is
/// zero.
constexpr double kImplausible = 0.02;

std::string likely_cause(const Run& run, const RooflinePoint& point) {
  const auto holds = [&](const char* flag) {
    return std::find(point.flags.begin(), point.flags.end(), flag) != point.flags.end();
  };
  if (holds("cache-resident"))
    return "a cache delivered part of the input: make it larger, or hold it against L2";
  const bool is_under_compute = point.roof && point.roof->flop_per_s >= point.roof->compute_flop_per_s;
  const Ceiling* ceiling =
      is_under_compute ? find_ceiling(run, point.roof->compute_ceiling, CeilingSource::measured) : nullptr;
  const auto clock_hz = sm_clock_hz(*point.measurement);
  if (clock_hz && ceiling != nullptr && ceiling->sm_clock_hz && *clock_hz > 1.01 * *ceiling->sm_clock_hz) {
    return "the clock was higher than when the ceiling was measured: measure it again with --fresh";
  }
  return fmt::format("the ceiling is too low: measure it again with --fresh; or the declared work is wrong{}",
                     is_counted(point.measurement->counters) ? "" : ", for nothing was counted");
}

void set_implausible(RooflinePoint& point, const Run& run) {
  if (is_above_roof(point)) {
    point.implausible.push_back(
        fmt::format("{:.1f} % of the roof: {}", 100 * *point.fraction_of_roof, likely_cause(run, point)));
  }
  for (const LevelUse& use : point.levels) {
    if (use.utilisation.value_or(0) <= 1 + kImplausible) continue;
    const Ceiling* ceiling = find_ceiling(run, use.ceiling, CeilingSource::measured);
    if (ceiling != nullptr && *use.utilisation <= 1 + kImplausible + ceiling->relative_spread) continue;
    point.implausible.push_back(
        fmt::format("{:.1f} % of {}: the counted bytes are not all of this launch, or the ceiling is too "
                    "low: measure it again "
                    "with --fresh",
                    100 * *use.utilisation, use.ceiling));
  }
}

void set_declared(RooflinePoint& point) {
  const Work& work = point.measurement->work;
  point.flops_useful = work.flops;
  point.dram_bytes_useful = work.bytes();
  if (work.flops <= 0) return;
  if (work.bytes() > 0) point.ai_useful = work.flops / work.bytes();
  point.flop_per_s = per_second(work.flops, *point.measurement);
}

void set_counted(RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  point.dram_bytes = dram_bytes(measurement.counters);
  point.dram_bytes_per_s = per_second(point.dram_bytes, measurement);
  const auto executed = executed_operations(measurement.counters, precision_of(measurement));
  if (!executed) return;
  point.flops_executed = executed->flops;
  point.executed_flop_per_s = per_second(executed->flops, measurement);
  if (point.dram_bytes && *point.dram_bytes > 0) point.ai_executed = executed->flops / *point.dram_bytes;
  if (point.flops_useful > 0) point.redundancy = executed->flops / point.flops_useful;
}

void set_roofs(RooflinePoint& point, const Run& run) {
  const Measurement& measurement = *point.measurement;
  const Dtype precision = precision_of(measurement);
  point.roof = roof_over(measurement.work, precision, Ceilings::measured(run));
  point.theoretical_roof =
      roof_over(measurement.work, precision, Ceilings::theoretical(run, sm_clock_hz(measurement)));
  point.fraction_of_roof = fraction_of(point.roof, measurement);
  point.fraction_of_theoretical = fraction_of(point.theoretical_roof, measurement);
}

}  // namespace

RooflinePoint analyse_point(const Run& run, const Measurement& measurement) {
  RooflinePoint point;
  point.measurement = &measurement;
  if (const VariantInfo* variant = run.catalogue.find_variant(measurement.point.variant)) {
    point.family = variant->family;
  }
  point.precision = precision_of(measurement);
  set_declared(point);
  set_counted(point);
  set_roofs(point, run);
  point.levels = level_uses(run, measurement);
  point.limiting_level = limiting_level(point.levels);
  point.bound = bound_of(run, measurement, point.levels);
  point.flags = flags_of(point);
  if (measurement.time) point.evidence = clock_evidence(*measurement.time);
  if (auto evidence = unrepeatable_evidence(measurement)) point.evidence.push_back(std::move(*evidence));
  set_implausible(point, run);
  if (!point.implausible.empty() && !is_above_roof(point)) point.flags.emplace_back("implausible");
  return point;
}

}  // namespace rooflinectl
