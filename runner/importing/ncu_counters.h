// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/counters/counters.h"
#include "readers/ncu/ncu_kernel.h"

/// What Nsight Compute counted, as our counters.
namespace rooflinectl {

/// Whether anything here, or in `ncu_device.h`, is derived from the metric.
bool is_imported_metric(std::string_view name);

/// Every counter of `core/counters/metrics.cpp` that points have: in our units, or unavailable with the
/// section or metric that would bring it. A sum that the report only has per cycle or per second is
/// multiplied by the cycles or the time of the kernel.
Counters ncu_counters(const NcuKernel& kernel);

/// The time of the kernel in seconds.
CounterValue ncu_duration(const NcuKernel& kernel);

/// The value of a metric, if the report has it.
std::optional<double> ncu_metric(const NcuKernel& kernel, std::string_view name);

}  // namespace rooflinectl
