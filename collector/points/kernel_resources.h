// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>

#include "core/model/run.h"

namespace rooflinectl {

/// What the main kernel of a launch takes up on an SM: the one with the most threads among those that
/// `launch` enqueues on `stream`, which are captured and not run. Nothing where the launch cannot be captured
/// (it allocates or synchronises) or starts no kernel. Leaves no CUDA error behind.
std::optional<KernelResources> kernel_resources(const std::function<void()>& launch, cudaStream_t stream);

/// What a kernel takes up with blocks of `block` threads and that much dynamic shared memory. `kernel`: a
/// function, or a `cudaKernel_t`. Nothing where CUDA cannot tell, and it leaves that error behind.
std::optional<KernelResources> resources_of_kernel(const void* kernel, int block, std::size_t shared_bytes);

}  // namespace rooflinectl
