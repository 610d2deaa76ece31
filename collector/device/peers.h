// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/model/run.h"

/// Other GPUs whose memory the kernels of a GPU can access.
namespace rooflinectl {

/// Makes `device` the current one and lets its kernels access the memory of `other`; returns whether they
/// can.
bool reach(int device, int other);

/// Of the visible GPUs of the same model that NVLink connects with `device`, and whose memory it can access,
/// the one with the lowest index; nothing if there is none, or NVML is missing. Makes `device` the current
/// one.
std::optional<DeviceInfo> nvlink_peer(const DeviceInfo& device);

}  // namespace rooflinectl
