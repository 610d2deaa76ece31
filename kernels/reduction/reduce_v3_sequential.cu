// SPDX-License-Identifier: Apache-2.0
//
// V3: sequential addressing.
//
// - Idea: each step adds the upper half of what is left to the lower half.
// - Changes from the previous version: neighbouring lanes access neighbouring words, so the bank conflicts
//   are gone.
// - Launch shape: one thread per element, ceil(n / block) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / block written; (block - 1) / block additions.
// - Minimum sm: 7.5.
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v3_sequential {

namespace {

template <int kBlock>
__global__ void reduce_v3_sequential(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlock + tid;
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::one_per_thread>(
    "reduce_v3_sequential", "V3", "sequential addressing", element_loads<1>,
    [](auto block) { return reduce_v3_sequential<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v3_sequential
