// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/model/run.h"

/// Other GPUs, whose memory kernels of one can reach.
namespace rooflinectl {

/// Makes `device` the current one and lets its kernels reach the memory of `other`; whether they can.
bool reach(int device, int other);

/// Of the visible GPUs of the same model that NVLink connects with `device`, and whose memory it can reach,
/// the one with the lowest index; nothing if there is none, or NVML is missing. `device` is then the current
/// one.
std::optional<DeviceInfo> nvlink_peer(const DeviceInfo& device);

}  // namespace rooflinectl
