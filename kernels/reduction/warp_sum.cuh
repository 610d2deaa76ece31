// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How one warp adds up its values. To be called by all 32 threads of a warp together.
namespace rooflinectl::kernels {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kFullWarp = 0xffffffffU;

/// Adds up shared[0 … 63] into shared[0], in shared memory; `lane` is 0 … 31. All lanes do every step; what
/// the upper ones leave behind is not used. Each step reads, waits, writes and waits: since Volta the threads
/// of a warp need not run in lockstep, so without `__syncwarp()` a lane could read what another has already
/// overwritten.
__device__ inline void warp_sum_in_shared(float* shared, unsigned lane) {
#pragma unroll
  for (int offset = kWarpSize; offset > 0; offset /= 2) {
    const float sum = shared[lane] + shared[lane + offset];
    __syncwarp();
    shared[lane] = sum;
    __syncwarp();
  }
}

/// The sum of the lanes' values, in lane 0; other lanes get something else.
template <typename Value>
__device__ Value warp_sum(Value value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

}  // namespace rooflinectl::kernels
