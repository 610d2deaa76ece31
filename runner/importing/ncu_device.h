// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "readers/ncu/ncu_kernel.h"

/// The GPU of a report of Nsight Compute, and what it can do at most.
namespace rooflinectl {

/// 90 for 9.0; nothing if the report does not have it.
std::optional<int> ncu_compute_capability(const NcuKernel& kernel);

/// The GPU that the kernel ran on, as far as the report describes it; without a UUID, which it does not have.
DeviceInfo ncu_device(const NcuKernel& kernel);

/// The theoretical ceilings of the device at the place `device`, on which all of `kernels` ran: from each
/// metric's peak per cycle and the highest clock of its unit among the kernels. Where the report has no peak
/// for DRAM, it follows from the clock and width of the memory bus. Those that cannot be derived are absent.
std::vector<Ceiling> ncu_ceilings(const std::vector<const NcuKernel*>& kernels, std::size_t device);

/// The metrics that these are derived from.
std::vector<std::string_view> ncu_device_metrics();

}  // namespace rooflinectl
