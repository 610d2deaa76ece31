// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/counters/metrics.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// The basic set and what ceilings need besides: tensor-core operations, the peaks of `benchmarks`, each
/// once, and the L2 clock.
std::vector<Metric> ceiling_metrics(const std::vector<kernels::CeilingBenchmark>& benchmarks);

/// The key of a peak among `ceiling_metrics`: its first name.
std::string_view key_of(const kernels::CeilingPeak& peak);

/// The key of the L2 clock while counting. Points have no such counter.
inline constexpr std::string_view kL2ClockHz = "l2_clock_hz";

}  // namespace rooflinectl
