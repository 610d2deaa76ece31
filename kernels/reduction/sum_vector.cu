// SPDX-License-Identifier: Apache-2.0
//
// sum_vector: loads of 16 bytes.
//
// - Idea: each load instruction brings 16 bytes, the most it can: 4 floats, 8 halves, 2 doubles. The elements
//   before the first 16-byte boundary and after the last one are added separately.
// - Changes from `sum_block_shuffle`: a quarter of the load instructions (f32), and one sum for each place in
//   a pack, so that an addition does not wait for the one before.
// - Launch shape: E elements per thread (the caller's choice), packs at a distance of the grid's width,
//   ceil(n / (block * E)) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; (E + 5 + 5 * 32 / block) / E additions in the source.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/sum.cuh"

namespace rooflinectl::kernels::sum_vector {

namespace {

template <typename T, int kBlock>
__global__ void sum_vector(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  const auto sum = block_total<Sum, kBlock>(thread_total<Sum, T, kBlock, 1>(d_input, n));
  if (threadIdx.x == 0) atomic_add(d_output, sum);
}

/// In the thread, across the pack, the ends of the input, in the block, and one atomic per block.
std::uint64_t longest_chain(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.elements_per_thread) + 3 + 2 + 10 + sum::shape(problem).grid;
}

const Registration registration(sum::atomic_variant(
    "sum_vector", "vector", "loads of 16 bytes", 32, pack_loads<1>, longest_chain,
    [](auto type, auto block) { return sum_vector<typename decltype(type)::type, block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_vector
