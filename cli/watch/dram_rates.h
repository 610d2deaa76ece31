// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/roofline/roof.h"
#include "core/model/run.h"
#include "runner/watching/watched_device.h"

namespace rooflinectl {

/// Bytes per second in each direction; nullopt unless both were sampled.
std::optional<Traffic> dram_rates(const SampledRates& rates);

/// Their sum over the measured DRAM ceiling of the `device`-th device of `run`; nullopt also if that is
/// unknown.
std::optional<double> dram_fraction_of_ceiling(const Run& run, std::size_t device, const SampledRates& rates);

}  // namespace rooflinectl
