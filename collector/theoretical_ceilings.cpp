// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "collector/ceiling_metrics.h"
#include "collector/ceilings.h"
#include "collector/device.h"

namespace rooflinectl {

namespace {

enum class ClockDomain { sm, l2 };

/// A roof = units' peak per cycle × `factor` × clock.
struct Peak {
  std::string_view subject;
  std::string_view operation;
  std::string_view key;  ///< of `ceiling_metrics`
  double factor;         ///< operations or bytes per unit of the peak
  ClockDomain clock = ClockDomain::sm;
};

constexpr double kWavefrontBytes = 128;
constexpr double kSectorBytes = 32;

constexpr Peak kPeaks[] = {
    {"l2", "read", kPeakL2Sectors, kSectorBytes, ClockDomain::l2},
    {"l1", "read", kPeakL1Wavefronts, kWavefrontBytes},
    {"shared", "read", kPeakL1Wavefronts, kWavefrontBytes},
    {"f64", "fma", kPeakDfma, 2},
    {"f64", "add", kPeakDadd, 1},
    {"f32", "fma", kPeakFfma, 2},
    {"f32", "add", kPeakFadd, 1},
    {"f16", "fma", kPeakHfma, 4},
    {"bf16", "fma", kPeakHfma, 4},
    {"f16", "tensor", kPeakTensorF16, 1},
    {"bf16", "tensor", kPeakTensorBf16, 1},
    {"tf32", "tensor", kPeakTensorTf32, 1},
    {"f8", "tensor", kPeakTensorF8, 1},
    {"i8", "tensor", kPeakTensorI8, 1},
};

bool is_memory_level(std::string_view subject) {
  return subject == "l2" || subject == "l1" || subject == "shared";
}

}  // namespace

std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device) {
  Ceiling dram;
  dram.id = "dram";
  dram.kind = CeilingKind::bandwidth;
  dram.source = CeilingSource::theoretical;
  dram.subject = "dram";
  dram.value = dram_bytes_per_second(device);
  dram.method = fmt::format("2 x {:.0f} MHz x {} bit", device.memory_clock_hz / 1e6, device.memory_bus_bits);
  return {dram};
}

std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device, const Counters& counters) {
  std::vector<Ceiling> ceilings;
  for (const Peak& peak : kPeaks) {
    const auto per_cycle = value_of(counters, peak.key);
    const auto clock_hz =
        peak.clock == ClockDomain::sm ? std::optional(device.sm_clock_hz) : value_of(counters, kL2ClockHz);
    if (!per_cycle || *per_cycle <= 0 || !clock_hz || *clock_hz <= 0) continue;
    Ceiling ceiling;
    ceiling.id = fmt::format("{}_{}", peak.subject, peak.operation);
    ceiling.kind = is_memory_level(peak.subject) ? CeilingKind::bandwidth : CeilingKind::compute;
    ceiling.source = CeilingSource::theoretical;
    ceiling.subject = peak.subject;
    ceiling.operation = peak.operation;
    ceiling.value = *per_cycle * peak.factor * *clock_hz;
    if (peak.clock == ClockDomain::sm) ceiling.sm_clock_hz = clock_hz;
    ceiling.method =
        fmt::format("{:g} x {:.0f} per cycle x {:.0f} MHz{}", peak.factor, *per_cycle, *clock_hz / 1e6,
                    peak.clock == ClockDomain::sm ? "" : " (L2 clock while counting)");
    ceilings.push_back(std::move(ceiling));
  }
  return ceilings;
}

}  // namespace rooflinectl
