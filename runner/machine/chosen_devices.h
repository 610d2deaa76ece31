// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// What stands for every device in a list of them.
inline constexpr const char* kAllDevices = "all";

/// The GPUs of this machine that `selectors` name by index or UUID, each once, in that order; all of them if
/// `selectors` is empty or contains `kAllDevices`. Throws as load_devices(), and Error(usage), which lists
/// the GPUs that are there, if one is not.
std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& selectors);

/// The devices that a command measures on.
struct DeviceChoice {
  std::vector<DeviceInfo> several;  ///< empty where it is one
  std::string one;                  ///< its index or UUID; empty where they are several
};

/// Those that `selectors`, which is not empty, names. One that is named by index or UUID needs no look at the
/// others, and may turn out not to be there. Throws CannotMeasure where `chosen_devices` throws
/// Error(environment).
DeviceChoice device_choice(const std::vector<std::string>& selectors);

}  // namespace rooflinectl
