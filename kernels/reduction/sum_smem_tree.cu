// SPDX-License-Identifier: Apache-2.0
//
// sum_smem_tree: a tree in shared memory, one atomic addition per block.
//
// - Idea: each thread sums its elements in a register; the block adds up its threads' sums in shared memory.
// - Changes from the previous version: one atomic per block in place of one per element.
// - Launch shape: E elements per thread (the caller's choice) at a distance of the grid's width, ceil(n /
//   (block * E)) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; (E + 1 - 1 / block) / E additions.
// - Minimum sm: 7.5.
#include <bit>

#include "kernels/reduction/sum.cuh"

namespace rooflinectl::kernels::sum_smem_tree {

namespace {

template <typename T, int kBlock>
__global__ void sum_smem_tree(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  __shared__ Accumulator<T> shared[kBlock];
  const unsigned tid = threadIdx.x;
  shared[tid] = grid_stride_sum(d_input, n);
  __syncthreads();
#pragma unroll
  for (unsigned stride = kBlock / 2; stride > 0; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomic_add(d_output, shared[0]);
}

/// In the thread, in the tree, and one atomic per block.
std::uint64_t longest_chain(const Problem& problem) {
  const auto tree_depth = std::countr_zero(static_cast<unsigned>(problem.block_size));
  return static_cast<std::uint64_t>(problem.elements_per_thread + tree_depth) + sum::shape(problem).grid;
}

const Registration registration(sum::atomic_variant(
    "sum_smem_tree", "smem tree", "tree in shared memory, one atomic per block", 8, element_loads<1>,
    longest_chain,
    [](auto type, auto block) { return sum_smem_tree<typename decltype(type)::type, block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_smem_tree
