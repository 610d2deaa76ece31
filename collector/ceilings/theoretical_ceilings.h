// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "collector/device/nvml.h"
#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "core/model/run.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// The bandwidth of DRAM, whatever the direction, from the attributes of the device: 2 × memory clock × bus
/// width.
Ceiling theoretical_dram(const DeviceInfo& device);

/// The bandwidth of a link in each direction, as `pcie_h2d` and `pcie_d2h`: transfers per second and lane ×
/// lanes, less what the encoding of the generation takes (PCI Express Base Specification 6.0, sections 4.2.1
/// and 4.2.3). Headers of packets take more: 8 % of packets of 256 bytes. Empty for generations unknown here.
std::vector<Ceiling> theoretical_pcie(const PcieLink& link);

/// What all NVLinks of a device carry together in each direction by their line rate, as `nvlink`. Nothing
/// without links.
std::optional<Ceiling> theoretical_nvlink(const std::optional<Nvlinks>& links);

/// The peaks of `benchmarks`: what the chip's units complete per cycle times the SM clock that the device
/// reports, or the L2 clock that was counted. `counters`: of any range counted with `ceiling_metrics`. What
/// the chip is too old for, or has no figure for, is left out. Sorted from the memory to the SMs, then from
/// the widest precision to the narrowest, multiply-adds first, Tensor Cores last.
std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device,
                                          const std::vector<kernels::CeilingBenchmark>& benchmarks,
                                          const Counters& counters);

/// The basic set and what ceilings need besides: tensor-core operations, the peaks of `benchmarks`, each
/// once, and the L2 clock.
std::vector<Metric> ceiling_metrics(const std::vector<kernels::CeilingBenchmark>& benchmarks);

/// The key of a peak among `ceiling_metrics`: its first name.
std::string_view key_of(const kernels::CeilingPeak& peak);

/// The key of the L2 clock while counting. Points have no such counter.
inline constexpr std::string_view kL2ClockHz = "l2_clock_hz";

}  // namespace rooflinectl
