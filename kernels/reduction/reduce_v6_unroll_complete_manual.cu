// SPDX-License-Identifier: Apache-2.0
//
// V6, manual form: every step unrolled, by hand.
//
// - Idea: one `if` per step; those on the block size are decided at compile time.
// - Changes from the previous version: the same machine work as V6 by pragma, in a form that does without the
//   pragma.
// - Launch shape: one thread per two elements, ceil(n / (2 * block)) blocks; one partial sum per block.
// - Per element: 4 bytes read, 2 / block written; executed additions at a block of 256: (256 + 128 + 64 + 6
//   * 32) / 512 = 1.25.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v6_unroll_complete_manual {

namespace {

template <int kBlock>
__global__ void reduce_v6_unroll_complete_manual(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * (2 * kBlock) + tid;
  float sum = i < n ? d_input[i] : 0.0F;
  if (i + kBlock < n) sum += d_input[i + kBlock];
  shared[tid] = sum;
  __syncthreads();
  if constexpr (kBlock >= 512) {
    if (tid < 256) shared[tid] += shared[tid + 256];
    __syncthreads();
  }
  if constexpr (kBlock >= 256) {
    if (tid < 128) shared[tid] += shared[tid + 128];
    __syncthreads();
  }
  if constexpr (kBlock >= 128) {
    if (tid < 64) shared[tid] += shared[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warp_sum_in_shared(shared, tid);
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::two_per_thread>(
    "reduce_v6_unroll_complete_manual", "V6 manual", "completely unrolled by hand", element_loads<2>,
    [](auto block) { return reduce_v6_unroll_complete_manual<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v6_unroll_complete_manual
