// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/reduction/operation.cuh"

/// How the threads of a warp and of a block combine their values.
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

#if __CUDA_ARCH__ >= 800
inline constexpr bool kHasIntegerWarpReduction = true;
#else
inline constexpr bool kHasIntegerWarpReduction = false;
#endif

/// The lanes' values combined, in lane 0; other lanes get something else.
template <typename Combine, typename Value>
__device__ Value warp_total(Value value) {
  if constexpr (kHasIntegerWarpReduction && std::is_same_v<Value, std::int32_t>) {
    // One instruction does the whole warp.
    if constexpr (Combine::kOperation == Operation::sum) return __reduce_add_sync(kFullWarp, value);
    if constexpr (Combine::kOperation == Operation::minimum) return __reduce_min_sync(kFullWarp, value);
    if constexpr (Combine::kOperation == Operation::maximum) return __reduce_max_sync(kFullWarp, value);
  } else {
#pragma unroll
    for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
      value = Combine{}(value, __shfl_down_sync(kFullWarp, value, offset));
    }
    return value;
  }
}

/// The block's values combined, in thread 0; other threads get something else. All threads of the block must
/// call it, once per kernel or with a barrier between two calls: it uses the same shared memory.
///
/// Every thread leaves its value; the lanes of the first warp take these 16 bytes at a time and combine what
/// they have, so that only one warp waits for shuffles, which take longer than a load from shared memory.
template <typename Combine, int kBlock, typename Value>
__device__ Value block_total(Value value) {
  static_assert(kBlock % (4 * kWarpSize) == 0);
  constexpr unsigned kTogether = 16 / sizeof(Value);
  constexpr unsigned kGroups = kBlock / (kWarpSize * kTogether);  // that a lane takes
  struct alignas(16) Group {
    Value values[kTogether];
  };
  __shared__ Group groups[kBlock / kTogether];
  groups[threadIdx.x / kTogether].values[threadIdx.x % kTogether] = value;
  __syncthreads();
  if (threadIdx.x >= kWarpSize) return value;
  Value values[kGroups * kTogether];
#pragma unroll
  for (unsigned i = 0; i < kGroups; ++i) {
    const Group group = groups[i * kWarpSize + threadIdx.x];
#pragma unroll
    for (unsigned j = 0; j < kTogether; ++j) values[i * kTogether + j] = group.values[j];
  }
#pragma unroll
  for (unsigned stride = kGroups * kTogether / 2; stride > 0; stride /= 2) {
#pragma unroll
    for (unsigned i = 0; i < stride; ++i) values[i] = Combine{}(values[i], values[i + stride]);
  }
  return warp_total<Combine>(values[0]);
}

// How one warp adds up its values. To be called by all 32 threads of a warp together.

}  // namespace rooflinectl::kernels
