// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/device/nvml.h"
#include "core/machine/catalogue.h"
#include "core/model/run.h"

namespace rooflinectl {

/// Whether this machine can measure on the device that `selector` names, and what could make its numbers
/// poor: driver, GPU, kernels for it, memory, CUPTI, counters (one empty kernel is counted), cuBLASLt, and
/// the state of the GPU. Takes about a second, most of it for the counters. Throws Error(usage) if the
/// selector names no device.
std::vector<Check> check_machine(const std::string& selector);

/// What the state of a GPU means for its numbers, one check for each of: persistence, MIG, vGPU, confidential
/// computing, ECC, clocks, throttling, power, other programs. What the driver does not report is called
/// unknown.
std::vector<Check> state_checks(const DeviceInfo& device, const DeviceState& state);

}  // namespace rooflinectl
