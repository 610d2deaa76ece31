// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/error.h"

namespace rooflinectl::kernels {

/// Throws Error if a CUDA call failed: `cudaMalloc: out of memory (cudaErrorMemoryAllocation)`. `call` is the
/// name of the call, or what a kernel launch or a wait was for.
inline void check(cudaError_t error, const std::string& call) {
  if (error == cudaSuccess) return;
  const std::string message = call + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  switch (error) {
    case cudaErrorMemoryAllocation:
      throw Error(ErrorKind::environment, message, "use a smaller size, or free memory on the device");
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      throw Error(ErrorKind::environment, message,
                  "install an NVIDIA driver for CUDA 13; in a container, expose it with --gpus all");
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      throw Error(ErrorKind::environment, message, "build for this GPU: set CMAKE_CUDA_ARCHITECTURES");
    default:
      throw Error(ErrorKind::measurement, message, "compute-sanitizer shows which access is wrong");
  }
}

/// Throws Error if the launch just made was refused.
inline void check_launch(const std::string& kernel) {
  check(cudaGetLastError(), "launch of " + kernel);
}

}  // namespace rooflinectl::kernels
