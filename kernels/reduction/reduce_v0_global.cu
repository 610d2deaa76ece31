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
#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
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

std::uint64_t elements_per_partial(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.block_size);
}

std::uint64_t longest_chain(const Problem& problem) {
  return ladder::tree_depth(problem);
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(ladder::shape<elements_per_partial>(problem).grid);
  with_block_size(problem.block_size, [&](auto block) {
    reduce_v0_global<block.value><<<grid, block.value, 0, stream>>>(
        static_cast<float*>(buffers.d_input), static_cast<float*>(buffers.d_output), problem.n);
  });
  check_launch("reduce_v0_global");
}

Variant variant() {
  Variant variant =
      ladder::rung<elements_per_partial>("reduce_v0_global", "V0", "interleaved pairs in global memory",
                                         element_loads<1>, longest_chain, launch);
  variant.info.destroys_input = true;
  return variant;
}

const Registration registration(variant());

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v0_global
