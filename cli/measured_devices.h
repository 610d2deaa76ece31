// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

/// Which devices a run measures on, and whether it can.
namespace rooflinectl {

/// Those that `selectors` name; nothing for one index or UUID, which needs no look at the others. Throws
/// CannotMeasure if there are none, and as `chosen_devices`.
std::vector<DeviceInfo> several_devices(const std::vector<std::string>& selectors);

/// Throws CannotMeasure, with the message of `doctor`, if nothing can be measured on the device (index or
/// UUID). Prints its warnings unless `is_quiet`.
void check_machine(const std::string& device, bool is_quiet);

/// Those of `devices` that can be measured; why the others cannot is added to `losses`. Throws the first
/// reason where none can.
std::vector<DeviceInfo> usable_devices(const std::vector<DeviceInfo>& devices, bool is_quiet,
                                       std::vector<std::string>& losses);

}  // namespace rooflinectl
