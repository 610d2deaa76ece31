// SPDX-License-Identifier: Apache-2.0
//
// sum_redux: one instruction adds up a warp.
//
// - Idea: `redux.sync` adds the 32-bit integers of all lanes.
// - Changes from `sum_vector`: one instruction in place of five shuffles and five additions, twice per block.
// - Launch shape: E elements per thread (the caller's choice), ceil(n / (block * E)) blocks; one scalar,
//   zeroed before the launch.
// - Per element: 4 bytes read; 1 + 1 / E additions and 2 / (32 * E) reductions of a warp.
// - Minimum sm: 8.0.
#include "kernels/cuda_check.h"
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels::sum_redux {

namespace {

using Element = std::int32_t;

template <int kBlock>
__global__ void sum_redux(const Element* d_input, Element* d_output, std::uint64_t n) {
#if __CUDA_ARCH__ >= 800
  __shared__ Element warp_sums[kWarpSize];
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;
  const Element sum = __reduce_add_sync(kFullWarp, thread_total<Sum, Element, kBlock, 1>(d_input, n));
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  const Element total = __reduce_add_sync(kFullWarp, lane < kBlock / kWarpSize ? warp_sums[lane] : 0);
  if (lane == 0) atomicAdd(d_output, total);
#endif
}

/// This does not matter: integers are added exactly. In the thread, in the block, and one atomic per block.
std::uint64_t longest_chain(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.elements_per_thread) + 3 + 2 + 10 + sum::shape(problem).grid;
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  check(cudaMemsetAsync(buffers.d_output, 0, sizeof(Element), stream), "cudaMemsetAsync");
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(sum::shape(problem).grid);
  with_block_size(problem.block_size, [&](auto block) {
    sum_redux<block.value><<<grid, block.value, 0, stream>>>(
        static_cast<const Element*>(buffers.d_input), static_cast<Element*>(buffers.d_output), problem.n);
  });
  check_launch("sum_redux");
}

const Registration registration([] {
  Variant variant = sum::variant("sum_redux", "redux", "one instruction adds up a warp of integers", 32,
                                 pack_loads<1>, longest_chain, launch);
  variant.info.dtypes = {Dtype::i32};
  variant.info.deterministic = true;
  variant.info.minimum_sm = 80;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_redux
