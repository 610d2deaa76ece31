// SPDX-License-Identifier: Apache-2.0
//
// V2: neighbouring threads do the work, so that whole warps retire.
//
// - Idea: thread t adds the pair that begins at element 2 * stride * t: the busy threads are always the
//   first ones.
// - Changes from the previous version: no remainder operation and little divergence; but the stride between
//   the lanes' addresses is a power of two, so lanes of a warp meet in the same shared-memory bank (up to 32
//   at once).
// - Launch shape: one thread per element, ceil(n / block) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / block written; (block - 1) / block additions.
// - Minimum sm: 7.5.
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v2_strided {

namespace {

template <int kBlock>
__global__ void reduce_v2_strided(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlock + tid;
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x) shared[index] += shared[index + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(
    ladder::version<ladder::one_per_thread>("reduce_v2_strided", "V2", "whole warps retire", element_loads<1>,
                                            [](auto block) { return reduce_v2_strided<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v2_strided
