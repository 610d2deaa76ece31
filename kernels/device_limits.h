// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace rooflinectl::kernels {

/// What launch shapes depend on. Without a device: one multiprocessor of the oldest kind, so that
/// descriptions can be made anywhere.
struct DeviceLimits {
  int multiprocessors = 1;
  int compute_capability = 75;  ///< 90 for 9.0
  int l2_bytes = 0;
};

/// Those of the device that is current at the first call: a process measures only one.
inline const DeviceLimits& device_limits() {
  static const DeviceLimits limits = [] {
    DeviceLimits found;
    int device = 0;
    int major = 0;
    int minor = 0;
    const bool known =
        cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&found.multiprocessors, cudaDevAttrMultiProcessorCount, device) ==
            cudaSuccess &&
        cudaDeviceGetAttribute(&found.l2_bytes, cudaDevAttrL2CacheSize, device) == cudaSuccess;
    if (!known) {
      cudaGetLastError();
      return DeviceLimits{};
    }
    found.compute_capability = 10 * major + minor;
    return found;
  }();
  return limits;
}

}  // namespace rooflinectl::kernels
