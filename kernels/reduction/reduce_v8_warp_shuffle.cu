// SPDX-License-Identifier: Apache-2.0
//
// V8: the last warp by shuffles.
//
// - Idea: the last warp's lanes hand their sums on from register to register.
// - Changes from the previous version: five shuffles take the place of shared memory and `__syncwarp()` in
//   the last steps. A shuffle moves data and is not an addition; it has a latency of its own, and it is
//   `_sync` because the lanes of a warp need not run in lockstep.
// - Launch shape: 32768 / block elements per thread, ceil(n / 32768) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / 32768 written; executed additions at a block of 256: (32768 + 128 + 64 +
//   32 + 4 * 32 + 1) / 32768 = 1.0108, since the compiler lets only the writing lane do the last one.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v8_warp_shuffle {

namespace {

template <int kBlock>
__global__ void reduce_v8_warp_shuffle(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * ladder::kElementsPerBlock;
  shared[tid] = 0.0F;
  if (n - begin >= ladder::kElementsPerBlock) {
    for (unsigned i = 0; i < ladder::kElementsPerBlock / kBlock; ++i)
      shared[tid] += d_input[begin + i * kBlock + tid];
  } else {
    for (std::uint64_t i = begin + tid; i < n; i += kBlock) shared[tid] += d_input[i];
  }
  __syncthreads();
#pragma unroll
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 32) {
    const float sum = warp_sum(shared[tid] + shared[tid + 32]);
    if (tid == 0) d_output[blockIdx.x] = sum;
  }
}

const Registration registration(ladder::version<ladder::many_per_thread>(
    "reduce_v8_warp_shuffle", "V8", "last warp by shuffles", ladder::unrolled_loads,
    [](auto block) { return reduce_v8_warp_shuffle<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v8_warp_shuffle
