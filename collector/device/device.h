// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// Makes the device that `selector` names, by index or by UUID (as nvidia-smi prints it), current and
/// describes it. Throws Error(environment) if there is no driver or no GPU, and Error(usage) if the selector
/// names none of them.
DeviceInfo select_device(const std::string& selector);

/// Every device that the driver shows. Throws as `select_device` does.
std::vector<DeviceInfo> all_devices();

/// The devices of these UUIDs, in their order. Throws as `select_device` does.
std::vector<DeviceInfo> devices_of(const std::vector<std::string>& uuids);

/// The theoretical bandwidth of the device's memory, from its attributes; 0 where these are unknown.
double dram_bytes_per_second(const DeviceInfo& device);

// Other GPUs whose memory the kernels of a GPU can access.

/// Makes `device` the current one and lets its kernels access the memory of `other`; returns whether they
/// can.
bool reach(int device, int other);

/// Of the visible GPUs of the same model that NVLink connects with `device`, and whose memory it can access,
/// the one with the lowest index; nothing if there is none, or NVML is missing. Makes `device` the current
/// one.
std::optional<DeviceInfo> nvlink_peer(const DeviceInfo& device);

/// The system's real-time clock, in nanoseconds since 1970.
inline std::uint64_t real_time_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// The system's monotonic clock, in nanoseconds.
inline std::uint64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace rooflinectl
