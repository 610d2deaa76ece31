// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// What stands for every device in a list of them.
inline constexpr const char* kAllDevices = "all";

/// The GPUs of this machine that `selectors` name by index or UUID, each once, in that order; all for none
/// and for `kAllDevices`. Throws as load_devices(), and Error(usage), which lists those that there are, if
/// one is not there.
std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& selectors);

}  // namespace rooflinectl
