// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/roof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/roofline/point.h"
#include "core/model/known_ceilings.h"

namespace rooflinectl {

namespace {

auto place_of(const CeilingPair& pair) {
  const Ceiling& ceiling = pair.measured != nullptr ? *pair.measured : *pair.theoretical;
  return std::pair(ceiling_rank(ceiling), std::string_view(ceiling.id));
}

/// DRAM has one theoretical bandwidth, whatever the direction.
const Ceiling* theoretical_of(const Run& run, const Ceiling& measured) {
  const bool is_dram = measured.kind == CeilingKind::bandwidth && measured.subject == "dram";
  return find_ceiling(run, is_dram ? "dram" : measured.id, CeilingSource::theoretical, measured.device);
}

double clock_factor(const Ceiling& measured, const Ceiling& theoretical) {
  const bool known = measured.sm_clock_hz && theoretical.sm_clock_hz && *theoretical.sm_clock_hz > 0;
  return known ? *measured.sm_clock_hz / *theoretical.sm_clock_hz : 1;
}

CeilingPair pair_of(const Run& run, const Ceiling& measured) {
  CeilingPair pair;
  pair.measured = &measured;
  pair.theoretical = theoretical_of(run, measured);
  if (pair.theoretical != nullptr && pair.theoretical->value > 0) {
    pair.theoretical_at_clock = pair.theoretical->value * clock_factor(measured, *pair.theoretical);
    pair.fraction = measured.value / *pair.theoretical_at_clock;
  }
  if (measured.confirmation && !measured.confirmation->agrees) {
    pair.findings.push_back(fmt::format("not confirmed: {}", measured.confirmation->detail));
  }
  constexpr double kRounding = 0.002;  // of the clocks
  if (pair.fraction && *pair.fraction > 1 + measured.relative_spread + kRounding) {
    pair.findings.push_back(fmt::format(
        "{:.1f} % of theoretical: {}", 100 * *pair.fraction,
        measured.kind == CeilingKind::transfer
            ? "the host is connected by a link other than PCIe, or the driver reports a narrower one"
        : measured.kind == CeilingKind::bandwidth
            ? "a cache closer to the SMs delivered part of the data, or the clock rose during the measurement"
            : "the clock rose during the measurement, or the chip completes more per cycle than CUPTI "
              "reports"));
  }
  return pair;
}

bool is_measured_too(const Run& run, const Ceiling& theoretical) {
  return std::ranges::any_of(run.ceilings, [&](const Ceiling& other) {
    return other.source == CeilingSource::measured && theoretical_of(run, other) == &theoretical;
  });
}

}  // namespace

std::vector<CeilingPair> ceiling_pairs(const Run& run) {
  std::vector<CeilingPair> pairs;
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.source == CeilingSource::measured) {
      pairs.push_back(pair_of(run, ceiling));
    } else if (!is_measured_too(run, ceiling)) {
      CeilingPair pair;
      pair.theoretical = &ceiling;
      pairs.push_back(pair);
    }
  }
  std::ranges::stable_sort(pairs, {}, place_of);
  return pairs;
}

namespace {

/// The share of the bytes that is too small to matter.
constexpr double kNegligible = 0.05;

}  // namespace

std::optional<Traffic> counted_traffic(const Counters& counters) {
  const auto read = value_of(counters, counter::kDramReadBytes);
  const auto written = value_of(counters, counter::kDramWriteBytes);
  if (read && written) return Traffic{*read, *written};
  const auto sum = dram_bytes(counters);
  return sum ? std::optional(Traffic{*sum / 2, *sum / 2, false}) : std::nullopt;
}

std::optional<double> shared_traffic(const Counters& counters) {
  const auto bytes = value_of(counters, counter::kSharedBytes);
  if (!bytes) return std::nullopt;
  const double of_loads_and_stores = value_of(counters, counter::kSharedLoadWavefronts).value_or(0) +
                                     value_of(counters, counter::kSharedStoreWavefronts).value_or(0);
  const auto of_all = value_of(counters, counter::kSharedWavefronts);
  return std::max(*bytes, of_all.value_or(of_loads_and_stores) * kSharedWavefrontBytes);
}

std::string_view dram_ceiling_id(const Traffic& traffic) {
  if (traffic.written_bytes < kNegligible * traffic.bytes()) return "dram_read";
  if (traffic.read_bytes < kNegligible * traffic.bytes()) return "dram_write";
  return "dram_copy";
}

namespace {

struct DramMix {
  std::string_view id;
  double write_share = 0;  ///< of the bytes
  const Ceiling* measured = nullptr;
};
/// Such a share of the bytes changes nothing, and every sum writes its result.
constexpr double kNextToNothing = 0.01;
/// The share of writes of a copy, where the lines between ceilings bend.
constexpr double kOfCopy = 0.5;

constexpr std::array kDramMixes = {DramMix{"dram_read", 0},      DramMix{"dram_mix_10", 0.1},
                                   DramMix{"dram_mix_25", 0.25}, DramMix{"dram_copy", kOfCopy},
                                   DramMix{"dram_mix_75", 0.75}, DramMix{"dram_write", 1}};

/// In ascending order of writes.
std::vector<DramMix> measured_mixes(const Run& run, std::size_t device) {
  std::vector<DramMix> measured;
  for (DramMix mix : kDramMixes) {
    mix.measured = find_ceiling(run, mix.id, CeilingSource::measured, device);
    if (mix.measured != nullptr && mix.measured->value > 0) measured.push_back(mix);
  }
  return measured;
}

Limit limit_of(const Ceiling& ceiling) {
  return {{ceiling.id}, ceiling.value, ceiling.relative_spread};
}

Limit limit_between(const DramMix& below, const DramMix& above, double share) {
  if (share == below.write_share) return limit_of(*below.measured);
  if (share == above.write_share) return limit_of(*above.measured);
  const double weight = (share - below.write_share) / (above.write_share - below.write_share);
  Limit limit = {{below.measured->id, above.measured->id},
                 below.measured->value + weight * (above.measured->value - below.measured->value),
                 std::max(below.measured->relative_spread, above.measured->relative_spread)};
  if (weight > 0.5) std::swap(limit.ceilings.front(), limit.ceilings.back());
  return limit;
}

/// What the only ceiling or those on one side allow.
std::optional<Limit> nearest_limit(const std::vector<DramMix>& mixes, double share, const Traffic& traffic) {
  if (mixes.empty()) return std::nullopt;
  const Ceiling& only = mixes.back().write_share < share ? *mixes.back().measured : *mixes.front().measured;
  const std::string_view needed = dram_ceiling_id(traffic);
  const bool is_a_mix = only.id != "dram_read" && only.id != "dram_write";
  const bool will_do = only.id == needed || (is_a_mix && needed == "dram_copy");
  return will_do ? std::optional(limit_of(only)) : std::nullopt;
}

std::optional<Limit> highest_limit(const std::vector<DramMix>& mixes) {
  const auto highest =
      std::ranges::max_element(mixes, {}, [](const DramMix& mix) { return mix.measured->value; });
  return highest == mixes.end() ? std::nullopt : std::optional(limit_of(*highest->measured));
}

}  // namespace

std::optional<Limit> dram_limit(const Run& run, std::size_t device, const Traffic& traffic) {
  const std::vector<DramMix> mixes = measured_mixes(run, device);
  if (!traffic.is_mix_known) return highest_limit(mixes);
  double share = traffic.bytes() > 0 ? traffic.written_bytes / traffic.bytes() : 0;
  if (share < kNextToNothing) share = 0;
  if (share > 1 - kNextToNothing) share = 1;
  std::optional<Limit> highest;
  for (auto below = mixes.begin(); below != mixes.end() && below->write_share <= share; ++below) {
    for (auto above = below; above != mixes.end(); ++above) {
      if (above->write_share < share) continue;
      const bool are_neighbours = above - below <= 1;
      const bool is_beside_copy = above->write_share <= kOfCopy || below->write_share >= kOfCopy;
      if (!are_neighbours && !is_beside_copy) continue;
      const Limit limit = limit_between(*below, *above, share);
      if (!highest || limit.per_s > highest->per_s) highest = limit;
    }
  }
  return highest ? highest : nearest_limit(mixes, share, traffic);
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

std::optional<Limit> Ceilings::find(std::string_view id) const {
  const Ceiling* ceiling = find_ceiling(run_, id, source_, device_);
  if (ceiling == nullptr || !(ceiling->value > 0)) return std::nullopt;
  return Limit{{ceiling->id}, ceiling->value * clock_factor(*ceiling), ceiling->relative_spread};
}

std::optional<std::string> Ceilings::tensor_id(const TensorProducts& products) const {
  const auto found = std::ranges::find_if(run_.ceilings, [&](const Ceiling& ceiling) {
    return ceiling.source == source_ && ceiling.device == device_ && ceiling.operation == "tensor" &&
           ceiling.products == products;
  });
  return found != run_.ceilings.end() ? std::optional(found->id) : std::nullopt;
}

std::optional<double> Ceilings::clock_hz(std::string_view id) const {
  const Ceiling* ceiling = find_ceiling(run_, id, source_, device_);
  if (ceiling == nullptr || !ceiling->sm_clock_hz) return std::nullopt;
  return *ceiling->sm_clock_hz * clock_factor(*ceiling);
}

std::string_view Ceilings::memory_id(const Traffic& traffic) const {
  return source_ == CeilingSource::theoretical ? "dram" : dram_ceiling_id(traffic);
}

std::optional<Limit> Ceilings::memory(const Traffic& traffic) const {
  return source_ == CeilingSource::measured ? dram_limit(run_, device_, traffic) : find(memory_id(traffic));
}

std::optional<Limit> Ceilings::l2(double bytes, double written) const {
  const auto read = find(cache_ceiling_id(MemoryLevel::l2));
  const auto write = find("l2_write");
  if (!write || !(written > 0)) return read;
  if (written >= bytes) return write;
  if (!read) return std::nullopt;
  const double time_s = (bytes - written) / read->per_s + written / write->per_s;
  Limit both = {{read->ceilings.front(), write->ceilings.front()},
                bytes / time_s,
                std::max(read->relative_spread, write->relative_spread)};
  if (2 * written > bytes) std::swap(both.ceilings.front(), both.ceilings.back());
  return both;
}

std::optional<Limit> Ceilings::per_sm_and_cycle(double instructions) const {
  const DeviceInfo& device = run_.devices[device_];
  const double clock_hz = sm_clock_hz_.value_or(device.sm_clock_hz);
  if (!(clock_hz > 0) || device.sm_count <= 0) return std::nullopt;
  return Limit{
      {fmt::format("{:g} per SM and cycle", instructions)}, instructions * device.sm_count * clock_hz, 0};
}

std::optional<Limit> Ceilings::issue_slots() const {
  constexpr double kSchedulers = 4;  // of an SM, on every chip from Volta on
  return per_sm_and_cycle(kSchedulers);
}

std::optional<Limit> Ceilings::alu() const {
  return per_sm_and_cycle(2);  // 64 lanes
}

std::optional<Limit> Ceilings::xu() const {
  const bool is_twice_as_wide = run_.devices[device_].compute_capability == 103;
  return per_sm_and_cycle(is_twice_as_wide ? 1 : 0.5);  // 32 or 16 lanes
}

namespace {

std::optional<Limit> half_of(const std::optional<Limit>& limit) {
  if (!limit) return std::nullopt;
  return Limit{{limit->ceilings.front() + " / 2"}, limit->per_s / 2, limit->relative_spread};
}

}  // namespace

std::optional<Limit> Ceilings::compute(const Operations& operations, Dtype precision) const {
  if (operations.flops <= 0) return std::nullopt;
  const auto fma = find(fmt::format("{}_fma", to_string(precision)));
  auto add = find(fmt::format("{}_add", to_string(precision)));
  // Two kinds of addition have no benchmark of their own. A packed one keeps a lane as busy as a packed
  // multiply-add does; one of 64-bit integers is two of 32 bits, the second with the carry.
  const bool is_packed = precision == Dtype::f16 || precision == Dtype::bf16;
  if (!add && is_packed) add = half_of(fma);
  if (!add && precision == Dtype::i64) add = half_of(find("i32_add"));
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
    if (!find(id)) missing.push_back(std::move(id));
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

namespace {

/// The bytes that must cross the DRAM interface in one launch: the declared ones where caches are cold. Where
/// they are warm, for each direction the lesser of what was declared and what was counted; if nothing was
/// counted, the part of the declared bytes that exceeds L2.
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

RoofOrReason without(std::string_view ceilings) {
  return {std::nullopt,
          fmt::format("the ceiling {} was not measured: add it to `ceilings` in the plan", ceilings)};
}

}  // namespace

Traffic dram_traffic(const Run& run, const Measurement& measurement) {
  const auto counted = counted_traffic(measurement.counters);
  return counted ? *counted : compulsory_traffic(run, measurement);
}

bool is_negligible_on_nvlink(const Measurement& measurement) {
  constexpr double kSlowestBytesPerS = 1e9;  // no NVLink is nearly as slow
  const double time_s = is_timed(measurement) ? time_per_launch_s(measurement) : 0;
  return measurement.work.link_bytes / kSlowestBytesPerS <= kNegligible * time_s;
}

RoofOrReason roof_over(const Run& run, const Measurement& measurement, const Ceilings& ceilings) {
  const Work work = work_of_one_gpu(measurement);
  if (work.bytes() <= 0) return {std::nullopt, "the variant declares no work"};
  const Traffic traffic = compulsory_traffic(run, measurement);
  Roof roof;
  const auto hold_against = [&](Bound resource, double amount, const Limit& limit) {
    if (amount / limit.per_s <= roof.time_s) return false;
    roof.time_s = amount / limit.per_s;
    roof.resource = resource;
    roof.ceilings = limit.ceilings;
    roof.relative_spread = limit.relative_spread;
    return true;
  };
  const auto hold_against_level = [&](MemoryLevel level, double bytes, const Limit& limit) {
    if (!hold_against(resource_of(level), bytes, limit)) return;
    roof.memory_bytes_per_s = limit.per_s * (work.bytes() / bytes);
    roof.level = level;
    roof.memory_ceiling = limit.ceilings.front();
  };
  if (traffic.bytes() > 0) {
    const auto dram = ceilings.memory(traffic);
    if (!dram) return without(ceilings.memory_id(traffic));
    hold_against_level(MemoryLevel::dram, traffic.bytes(), *dram);
  }
  if (traffic.bytes() < (1 - kNegligible) * work.bytes()) {
    const auto l2 = ceilings.cache(MemoryLevel::l2);
    if (!l2) return without(cache_ceiling_id(MemoryLevel::l2));
    hold_against_level(MemoryLevel::l2, work.bytes(), *l2);
  }
  if (const auto link = ceilings.find(kNvlinkCeiling)) {
    hold_against(Bound::nvlink, work.link_bytes, *link);
  } else if (!is_negligible_on_nvlink(measurement)) {
    return without(kNvlinkCeiling);
  }
  if (work.flops() <= 0) return {roof, {}};

  const auto compute = ceilings.compute(work);
  if (!compute) return without(ceilings.missing_for(work));
  roof.compute_ceilings = compute->ceilings;
  roof.compute_flop_per_s = compute->per_s;
  hold_against(pipe_of(precision_of(measurement)), work.flops(), *compute);
  roof.flop_per_s = work.flops() / roof.time_s;
  return {roof, {}};
}

}  // namespace rooflinectl
