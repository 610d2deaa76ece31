// SPDX-License-Identifier: Apache-2.0
//
// V0: a tree of sums, in place in global memory.
//
// - Idea: neighbours add up in pairs, then pairs of pairs; a thread whose index is a multiple of twice the
//   stride adds the value one stride away to its own, until the block's sum lies in its first element.
// - Changes from the previous version: the first one.
// - Launch shape: one thread per element, ceil(n / block) blocks; one partial sum per block.
// - Per element: 4 bytes read and, since the intermediate sums go back to global memory, about 4 bytes
//   written; (block - 1) / block additions.
// - Minimum sm: 7.5.
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v0_global {

namespace {

template <int kBlock>
__global__ void reduce_v0_global(float* d_input, float* d_output, std::uint64_t n) {
  const unsigned tid = threadIdx.x;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * kBlock;
  const std::uint64_t left = n - begin;
  float* d_segment = d_input + begin;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && tid + stride < left) d_segment[tid] += d_segment[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = d_segment[0];
}

Variant variant() {
  Variant variant = ladder::version<ladder::one_per_thread>(
      "reduce_v0_global", "V0", "interleaved pairs in global memory", element_loads<1>,
      [](auto block) { return reduce_v0_global<block.value>; });
  variant.info.destroys_input = true;
  return variant;
}

const Registration registration(variant());

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v0_global
