// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "collector/ceilings/ceilings.h"
#include "collector/device/device.h"
#include "core/model/known_ceilings.h"

namespace rooflinectl {

namespace {

using kernels::CeilingBenchmark;
using kernels::ClockDomain;

constexpr double kBitsPerByte = 8;

bool comes_before(const Ceiling& a, const Ceiling& b) {
  const auto key = [](const Ceiling& ceiling) {
    return std::tuple(ceiling_rank(ceiling), ceiling.operation != "fma", std::string_view(ceiling.id));
  };
  return key(a) < key(b);
}

/// Nothing where a figure is missing.
std::optional<Ceiling> peak_of(const CeilingBenchmark& benchmark, const DeviceInfo& device,
                               const Counters& counters) {
  if (!benchmark.peak || !has_code_for(benchmark, device.compute_capability)) return std::nullopt;
  const bool is_sm = benchmark.peak->clock == ClockDomain::sm;
  const auto per_cycle = value_of(counters, key_of(*benchmark.peak));
  const auto clock_hz = is_sm ? std::optional(device.sm_clock_hz) : value_of(counters, kL2ClockHz);
  if (!per_cycle || *per_cycle <= 0 || !clock_hz || *clock_hz <= 0) return std::nullopt;
  Ceiling ceiling;
  ceiling.id = benchmark.id;
  ceiling.kind = benchmark.kind;
  ceiling.source = CeilingSource::theoretical;
  ceiling.subject = benchmark.subject;
  ceiling.operation = benchmark.operation;
  ceiling.products = benchmark.products;
  ceiling.value = *per_cycle * benchmark.peak->factor * *clock_hz;
  if (is_sm) ceiling.sm_clock_hz = clock_hz;
  ceiling.method = fmt::format("{:g} x {:.0f} per cycle x {:.0f} MHz{}", benchmark.peak->factor, *per_cycle,
                               *clock_hz / 1e6, is_sm ? "" : " (L2 clock while counting)");
  return ceiling;
}

}  // namespace

Ceiling theoretical_dram(const DeviceInfo& device) {
  Ceiling dram;
  dram.id = "dram";
  dram.kind = CeilingKind::bandwidth;
  dram.source = CeilingSource::theoretical;
  dram.subject = "dram";
  dram.value = dram_bytes_per_second(device);
  dram.method = fmt::format("2 x {:.0f} MHz x {} bit", device.memory_clock_hz / 1e6, device.memory_bus_bits);
  return dram;
}

std::vector<Ceiling> theoretical_pcie(const PcieLink& link) {
  struct Generation {
    double transfers_per_s;
    int payload_bits;
    int encoded_bits;
  };
  constexpr std::array kGenerations = {Generation{2.5e9, 8, 10},   Generation{5e9, 8, 10},
                                       Generation{8e9, 128, 130},  Generation{16e9, 128, 130},
                                       Generation{32e9, 128, 130}, Generation{64e9, 242, 256}};
  if (link.generation == 0 || link.generation > kGenerations.size() || link.lanes == 0) return {};
  const Generation& generation = kGenerations.at(link.generation - 1);
  std::vector<Ceiling> ceilings;
  for (const char* const operation : {"h2d", "d2h"}) {
    Ceiling& ceiling = ceilings.emplace_back();
    ceiling.id = fmt::format("pcie_{}", operation);
    ceiling.kind = CeilingKind::transfer;
    ceiling.source = CeilingSource::theoretical;
    ceiling.subject = "pcie";
    ceiling.operation = operation;
    ceiling.value = generation.transfers_per_s * link.lanes * generation.payload_bits /
                    generation.encoded_bits / kBitsPerByte;
    ceiling.method = fmt::format("PCIe {}.0 x{}: {:g} GT/s x {} lanes x {}/{}", link.generation, link.lanes,
                                 generation.transfers_per_s / 1e9, link.lanes, generation.payload_bits,
                                 generation.encoded_bits);
  }
  return ceilings;
}

std::optional<Ceiling> theoretical_nvlink(const std::optional<Nvlinks>& links) {
  if (!links) return std::nullopt;
  constexpr double kGiga = 1e9;
  Ceiling ceiling;
  ceiling.id = "nvlink";
  ceiling.kind = CeilingKind::transfer;
  ceiling.source = CeilingSource::theoretical;
  ceiling.subject = "nvlink";
  ceiling.value = links->bytes_per_s;
  ceiling.method = fmt::format("{} links of {:.4g} GB/s in each direction", links->count,
                               links->bytes_per_s / links->count / kGiga);
  return ceiling;
}

std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device,
                                          const std::vector<CeilingBenchmark>& benchmarks,
                                          const Counters& counters) {
  std::vector<Ceiling> ceilings;
  for (const CeilingBenchmark& benchmark : benchmarks) {
    if (auto ceiling = peak_of(benchmark, device, counters)) ceilings.push_back(std::move(*ceiling));
  }
  std::ranges::sort(ceilings, comes_before);
  return ceilings;
}

std::string_view key_of(const kernels::CeilingPeak& peak) {
  return peak.metrics.front();
}

std::vector<Metric> ceiling_metrics(const std::vector<kernels::CeilingBenchmark>& benchmarks) {
  std::vector<Metric> metrics = basic_metrics();
  metrics.insert(metrics.end(), tensor_metrics().begin(), tensor_metrics().end());
  const auto is_there = [&](std::string_view key) {
    return std::ranges::any_of(metrics, [&](const Metric& metric) { return metric.key == key; });
  };
  for (const kernels::CeilingBenchmark& benchmark : benchmarks) {
    if (!benchmark.peak || is_there(key_of(*benchmark.peak))) continue;
    metrics.push_back({key_of(*benchmark.peak), benchmark.peak->metrics, 1, "peak per cycle"});
  }
  metrics.push_back({kL2ClockHz, {"lts__cycles_elapsed.avg.per_second"}, 1, "L2 clock while counting"});
  return metrics;
}

}  // namespace rooflinectl
