// SPDX-License-Identifier: Apache-2.0
//
// V1: the tree of V0 in shared memory.
//
// - Idea: the block copies its elements to shared memory once and adds them up there.
// - Changes from the previous version: intermediate sums no longer travel to global memory, and the input
//   survives. Lanes still drop out one by one within every warp, and the remainder operation stays.
// - Launch shape: one thread per element, ceil(n / block) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / block written; (block - 1) / block additions.
// - Minimum sm: 7.5.
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v1_shared {

namespace {

template <int kBlock>
__global__ void reduce_v1_shared(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlock + tid;
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::one_per_thread>(
    "reduce_v1_shared", "V1", "the tree in shared memory", element_loads<1>,
    [](auto block) { return reduce_v1_shared<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v1_shared
