// SPDX-License-Identifier: Apache-2.0
#include "collector/device/peers.h"

#include <cuda_runtime_api.h>

#include "collector/device/device.h"
#include "collector/device/nvml.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

using kernels::check;

bool reach(int device, int other) {
  check(cudaSetDevice(device), "cudaSetDevice");
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, other), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return true;
  }
  check(enabled, "cudaDeviceEnablePeerAccess");
  return true;
}

std::optional<DeviceInfo> nvlink_peer(const DeviceInfo& device) {
  for (const DeviceInfo& other : all_devices()) {
    if (other.uuid == device.uuid || other.name != device.name) continue;
    if (are_on_nvlink(device.uuid, other.uuid) && reach(device.index, other.index)) return other;
  }
  check(cudaSetDevice(device.index), "cudaSetDevice");
  return std::nullopt;
}

}  // namespace rooflinectl
