// SPDX-License-Identifier: Apache-2.0
#include "analysis/roof.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooflinectl {

std::string_view dram_ceiling_id(const Traffic& traffic) {
  constexpr double kNegligible = 0.05;
  const double bytes = traffic.read_bytes + traffic.written_bytes;
  if (traffic.written_bytes < kNegligible * bytes) return "dram_read";
  if (traffic.read_bytes < kNegligible * bytes) return "dram_write";
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
  const Ceiling* ceiling = find_ceiling(run_, id, source_);
  if (ceiling == nullptr || !(ceiling->value > 0)) return std::nullopt;
  return Limit{ceiling->id, ceiling->value * clock_factor(*ceiling), ceiling->relative_spread};
}

std::optional<Limit> Ceilings::memory(const Traffic& traffic) const {
  return limit(source_ == CeilingSource::theoretical ? "dram" : dram_ceiling_id(traffic));
}

namespace {

std::optional<Limit> half_of(const std::optional<Limit>& limit) {
  if (!limit) return std::nullopt;
  return Limit{limit->ceiling + " / 2", limit->per_s / 2, limit->relative_spread};
}

}  // namespace

std::optional<Limit> Ceilings::compute(const Operations& operations, Dtype precision) const {
  if (operations.flops <= 0) return std::nullopt;
  const auto fma = limit(fmt::format("{}_fma", to_string(precision)));
  auto add = limit(fmt::format("{}_add", to_string(precision)));
  // Two additions have no benchmark of their own. A packed one keeps a lane as busy as a packed multiply-add
  // does; one of 64-bit integers is two of 32 bits, the second with the carry.
  const bool is_packed = precision == Dtype::f16 || precision == Dtype::bf16;
  if (!add && is_packed) add = half_of(fma);
  if (!add && precision == Dtype::i64) add = half_of(limit("i32_add"));
  const double other_flops = operations.flops - operations.fma_flops;
  if (operations.fma_flops <= 0) return add;
  if (other_flops <= 0) return fma;
  if (!fma || !add) return std::nullopt;
  const double time_s = operations.fma_flops / fma->per_s + other_flops / add->per_s;
  return Limit{fmt::format("{} + {}", fma->ceiling, add->ceiling), operations.flops / time_s,
               std::max(fma->relative_spread, add->relative_spread)};
}

std::optional<Roof> roof_over(const Work& work, Dtype precision, const Ceilings& ceilings) {
  if (work.bytes() <= 0) return std::nullopt;
  const auto memory = ceilings.memory({work.read_bytes, work.written_bytes});
  if (!memory) return std::nullopt;
  Roof roof;
  roof.memory_ceiling = memory->ceiling;
  roof.memory_bytes_per_s = memory->per_s;
  roof.relative_spread = memory->relative_spread;
  roof.time_s = work.bytes() / memory->per_s;
  if (work.flops <= 0) return roof;

  const auto compute = ceilings.compute({work.flops, work.fma_flops}, precision);
  if (!compute) return std::nullopt;
  roof.compute_ceiling = compute->ceiling;
  roof.compute_flop_per_s = compute->per_s;
  const double compute_time_s = work.flops / compute->per_s;
  if (compute_time_s > roof.time_s) {
    roof.time_s = compute_time_s;
    roof.relative_spread = compute->relative_spread;
  }
  roof.flop_per_s = work.flops / roof.time_s;
  return roof;
}

}  // namespace rooflinectl
