// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/run.h"

namespace rooflinectl {

/// Makes the device that `selector` names, by index or by UUID (as nvidia-smi prints it), current and
/// describes it. Throws Error(environment) if there is no driver or no GPU, and Error(usage) if the selector
/// names none of them.
DeviceInfo select_device(const std::string& selector);

/// Every device that the driver shows. Throws as `select_device` does.
std::vector<DeviceInfo> all_devices();

/// The roofs that follow from the device's attributes: DRAM bandwidth = 2 × memory clock × bus width; FP32
/// rates = SMs × FP32 lanes per SM × SM clock, times two for a multiply-add. Lanes per SM by compute
/// capability: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; where that is not
/// known the FP32 roofs are left out.
std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device);

}  // namespace rooflinectl
