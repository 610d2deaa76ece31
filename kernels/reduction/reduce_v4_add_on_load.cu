// SPDX-License-Identifier: Apache-2.0
//
// V4: the first addition while loading.
//
// - Idea: each thread loads two elements and adds them on the way to shared memory.
// - Changes from the previous version: half as many blocks; no thread merely copies.
// - Launch shape: one thread per two elements, ceil(n / (2 * block)) blocks; one partial sum per block.
// - Per element: 4 bytes read, 2 / block written; 1 - 1 / (2 * block) additions.
// - Minimum sm: 7.5.
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v4_add_on_load {

namespace {

template <int kBlock>
__global__ void reduce_v4_add_on_load(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * (2 * kBlock) + tid;
  float sum = i < n ? d_input[i] : 0.0F;
  if (i + kBlock < n) sum += d_input[i + kBlock];
  shared[tid] = sum;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::two_per_thread>(
    "reduce_v4_add_on_load", "V4", "add while loading", element_loads<2>,
    [](auto block) { return reduce_v4_add_on_load<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v4_add_on_load
