// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/roof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

/// The share of the bytes that is too small to matter.
constexpr double kNegligible = 0.05;

}  // namespace

std::optional<Traffic> counted_traffic(const Counters& counters) {
  const auto read = value_of(counters, counter::kDramReadBytes);
  const auto written = value_of(counters, counter::kDramWriteBytes);
  if (read && written) return Traffic{*read, *written};
  const auto sum = dram_bytes(counters);
  return sum ? std::optional(Traffic{*sum / 2, *sum / 2}) : std::nullopt;
}

std::optional<double> shared_traffic(const Counters& counters) {
  const auto bytes = value_of(counters, counter::kSharedBytes);
  if (!bytes) return std::nullopt;
  const double wavefronts = value_of(counters, counter::kSharedLoadWavefronts).value_or(0) +
                            value_of(counters, counter::kSharedStoreWavefronts).value_or(0);
  return std::max(*bytes, wavefronts * kSharedWavefrontBytes);
}

std::string_view dram_ceiling_id(const Traffic& traffic) {
  if (traffic.written_bytes < kNegligible * traffic.bytes()) return "dram_read";
  if (traffic.read_bytes < kNegligible * traffic.bytes()) return "dram_write";
  return "dram_copy";
}

std::string_view cache_ceiling_id(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l2:
      return "l2_read";
    case MemoryLevel::l1:
      return "l1_read";
    case MemoryLevel::shared:
      return "shared_read";
    case MemoryLevel::dram:
      break;
  }
  return "";
}

double Ceilings::clock_factor(const Ceiling& ceiling) const {
  const bool clocks_known = sm_clock_hz_ && ceiling.sm_clock_hz && *ceiling.sm_clock_hz > 0;
  return ceiling.kind == CeilingKind::compute && clocks_known ? *sm_clock_hz_ / *ceiling.sm_clock_hz : 1;
}

std::optional<Limit> Ceilings::limit(std::string_view id) const {
  const Ceiling* ceiling = find_ceiling(run_, id, source_, device_);
  if (ceiling == nullptr || !(ceiling->value > 0)) return std::nullopt;
  return Limit{{ceiling->id}, ceiling->value * clock_factor(*ceiling), ceiling->relative_spread};
}

std::string_view Ceilings::memory_id(const Traffic& traffic) const {
  return source_ == CeilingSource::theoretical ? "dram" : dram_ceiling_id(traffic);
}

std::optional<Limit> Ceilings::memory(const Traffic& traffic) const {
  return limit(memory_id(traffic));
}

namespace {

std::optional<Limit> half_of(const std::optional<Limit>& limit) {
  if (!limit) return std::nullopt;
  return Limit{{limit->ceilings.front() + " / 2"}, limit->per_s / 2, limit->relative_spread};
}

}  // namespace

std::optional<Limit> Ceilings::compute(const Operations& operations, Dtype precision) const {
  if (operations.flops <= 0) return std::nullopt;
  const auto fma = limit(fmt::format("{}_fma", to_string(precision)));
  auto add = limit(fmt::format("{}_add", to_string(precision)));
  // Two kinds of addition have no benchmark of their own. A packed one keeps a lane as busy as a packed
  // multiply-add does; one of 64-bit integers is two of 32 bits, the second with the carry.
  const bool is_packed = precision == Dtype::f16 || precision == Dtype::bf16;
  if (!add && is_packed) add = half_of(fma);
  if (!add && precision == Dtype::i64) add = half_of(limit("i32_add"));
  const double other_flops = operations.flops - operations.fma_flops;
  if (operations.fma_flops <= 0) return add;
  if (other_flops <= 0) return fma;
  if (!fma || !add) return std::nullopt;
  const double time_s = operations.fma_flops / fma->per_s + other_flops / add->per_s;
  return Limit{{fma->ceilings.front(), add->ceilings.front()},
               operations.flops / time_s,
               std::max(fma->relative_spread, add->relative_spread)};
}

std::string Ceilings::missing_for(const Operations& operations, Dtype precision) const {
  std::vector<std::string> missing;
  const auto need = [&](std::string id) {
    if (!limit(id)) missing.push_back(std::move(id));
  };
  if (operations.fma_flops > 0) need(fmt::format("{}_fma", to_string(precision)));
  if (operations.flops > operations.fma_flops) {
    need(fmt::format("{}_add", to_string(precision == Dtype::i64 ? Dtype::i32 : precision)));
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

std::optional<Limit> Ceilings::compute(const Work& work) const {
  std::optional<Limit> slowest;
  for (const auto& [precision, done] : work.operations) {
    if (done.flops <= 0) continue;
    auto limit = compute(done, precision);
    if (!limit) return std::nullopt;
    limit->per_s *= work.flops() / done.flops;
    if (!slowest || limit->per_s < slowest->per_s) slowest = std::move(limit);
  }
  return slowest;
}

std::string Ceilings::missing_for(const Work& work) const {
  std::vector<std::string> missing;
  for (const auto& [precision, done] : work.operations) {
    std::string of_precision = missing_for(done, precision);
    if (!of_precision.empty()) missing.push_back(std::move(of_precision));
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

Traffic compulsory_traffic(const Run& run, const Measurement& measurement) {
  const Work work = work_of_one_gpu(measurement);
  if (cache_of(measurement.point) == CacheState::cold) return {work.read_bytes, work.written_bytes};
  const auto read = value_of(measurement.counters, counter::kDramReadBytes);
  const auto written = value_of(measurement.counters, counter::kDramWriteBytes);
  if (read && written) return {std::min(work.read_bytes, *read), std::min(work.written_bytes, *written)};
  const double beyond_l2 = work.bytes() - static_cast<double>(run.device_of(measurement).l2_bytes);
  if (beyond_l2 <= 0) return {};
  const double share = beyond_l2 / work.bytes();
  return {share * work.read_bytes, share * work.written_bytes};
}

Traffic dram_traffic(const Run& run, const Measurement& measurement) {
  const auto counted = counted_traffic(measurement.counters);
  return counted ? *counted : compulsory_traffic(run, measurement);
}

bool is_negligible_on_nvlink(const Measurement& measurement) {
  constexpr double kSlowestBytesPerS = 1e9;  // no NVLink is nearly as slow
  const double time_s = is_timed(measurement) ? time_per_launch_s(measurement) : 0;
  return measurement.work.link_bytes / kSlowestBytesPerS <= kNegligible * time_s;
}

namespace {

RoofOrReason without(std::string_view ceilings) {
  return {std::nullopt,
          fmt::format("the ceiling {} was not measured: add it to `ceilings` in the plan", ceilings)};
}

}  // namespace

RoofOrReason roof_over(const Run& run, const Measurement& measurement, const Ceilings& ceilings) {
  const Work work = work_of_one_gpu(measurement);
  if (work.bytes() <= 0) return {std::nullopt, "the variant declares no work"};
  const Traffic traffic = compulsory_traffic(run, measurement);
  Roof roof;
  double memory_time_s = 0;
  const auto hold_against = [&](MemoryLevel level, double bytes, const Limit& limit) {
    if (bytes / limit.per_s <= memory_time_s) return;
    memory_time_s = bytes / limit.per_s;
    roof.memory_bytes_per_s = limit.per_s * (work.bytes() / bytes);
    roof.level = level;
    roof.resource = level == MemoryLevel::dram ? Bound::dram : Bound::l2;
    roof.memory_ceiling = limit.ceilings.front();
    roof.ceilings = limit.ceilings;
    roof.relative_spread = limit.relative_spread;
  };
  if (traffic.bytes() > 0) {
    const auto dram = ceilings.memory(traffic);
    if (!dram) return without(ceilings.memory_id(traffic));
    hold_against(MemoryLevel::dram, traffic.bytes(), *dram);
  }
  if (traffic.bytes() < (1 - kNegligible) * work.bytes()) {
    const auto l2 = ceilings.cache(MemoryLevel::l2);
    if (!l2) return without(cache_ceiling_id(MemoryLevel::l2));
    hold_against(MemoryLevel::l2, work.bytes(), *l2);
  }
  roof.time_s = memory_time_s;
  if (const auto link = ceilings.find(kNvlinkCeiling)) {
    const double link_time_s = work.link_bytes / link->per_s;
    if (link_time_s > roof.time_s) {
      roof.time_s = link_time_s;
      roof.resource = Bound::nvlink;
      roof.ceilings = link->ceilings;
      roof.relative_spread = link->relative_spread;
    }
  } else if (!is_negligible_on_nvlink(measurement)) {
    return without(kNvlinkCeiling);
  }
  if (work.flops() <= 0) return {roof, {}};

  const auto compute = ceilings.compute(work);
  if (!compute) return without(ceilings.missing_for(work));
  roof.compute_ceilings = compute->ceilings;
  roof.compute_flop_per_s = compute->per_s;
  const double compute_time_s = work.flops() / compute->per_s;
  if (compute_time_s > roof.time_s) {
    roof.time_s = compute_time_s;
    roof.resource = pipe_of(precision_of(measurement));
    roof.ceilings = compute->ceilings;
    roof.relative_spread = compute->relative_spread;
  }
  roof.flop_per_s = work.flops() / roof.time_s;
  return {roof, {}};
}

}  // namespace rooflinectl
