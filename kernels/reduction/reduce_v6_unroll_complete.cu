// SPDX-License-Identifier: Apache-2.0
//
// V6: every step unrolled, by the compiler.
//
// - Idea: with the block size known at compile time the loop over the steps can be unrolled completely.
// - Changes from the previous version: no loop counter and no loop branch; the loop runs over the template
//   argument, since `#pragma unroll` cannot unroll a loop over `blockDim.x` completely.
// - Launch shape: one thread per two elements, ceil(n / (2 * block)) blocks; one partial sum per block.
// - Per element: 4 bytes read, 2 / block written; executed additions at a block of 256: (256 + 128 + 64 + 6
//   * 32) / 512 = 1.25.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v6_unroll_complete {

namespace {

template <int kBlock>
__global__ void reduce_v6_unroll_complete(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * (2 * kBlock) + tid;
  float sum = i < n ? d_input[i] : 0.0F;
  if (i + kBlock < n) sum += d_input[i + kBlock];
  shared[tid] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 32) warp_sum_in_shared(shared, tid);
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::two_per_thread>(
    "reduce_v6_unroll_complete", "V6", "completely unrolled by the compiler", element_loads<2>,
    [](auto block) { return reduce_v6_unroll_complete<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v6_unroll_complete
