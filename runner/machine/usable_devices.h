// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/machine/check.h"
#include "core/model/run.h"

namespace rooflinectl {

/// What `doctor` warns of before measuring on a device, index or UUID. Throws CannotMeasure, with the message
/// of `doctor`, if nothing can be measured on it.
std::vector<Check> require_usable(const std::string& device);

struct UsableDevices {
  std::vector<DeviceInfo> devices;
  std::vector<Check> warnings;      ///< of all of them
  std::vector<std::string> losses;  ///< why nothing can be measured on the others
};

/// Those of `devices` on which something can be measured. Throws the first reason if there are none.
UsableDevices usable_devices(const std::vector<DeviceInfo>& devices);

}  // namespace rooflinectl
