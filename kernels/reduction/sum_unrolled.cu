// SPDX-License-Identifier: Apache-2.0
//
// sum_unrolled: several loads in flight at once.
//
// - Idea: a thread starts four loads of 16 bytes before it waits for the first. Bandwidth is bytes in flight
//   over latency: an H200 needs about 28 KB in flight on every multiprocessor.
// - Changes from `sum_vector`: four packs per thread are asked for together.
// - Launch shape: E elements per thread (the caller's choice) in tiles of four packs, ceil(n / (block * E))
//   blocks; one scalar, zeroed before the launch.
// - Per element: one element read; (E + 5 + 5 * 32 / block) / E additions in the source.
// - Minimum sm: 7.5.
#include "kernels/cuda_check.h"
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels::sum_unrolled {

namespace {

constexpr int kLoads = 4;

template <typename T, int kBlock>
__global__ void sum_unrolled(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  const auto sum = block_total<Sum, kBlock>(thread_total<Sum, T, kBlock, kLoads>(d_input, n));
  if (threadIdx.x == 0) atomic_add(d_output, sum);
}

/// In the thread, where a tile may be more than E elements, across the pack, the ends of the input, in the
/// block, and one atomic per block.
std::uint64_t longest_chain(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.elements_per_thread + kLoads) + 3 + 2 + 10 +
         sum::shape(problem).grid;
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  check(cudaMemsetAsync(buffers.d_output, 0, size_bytes(accumulator(problem.dtype)), stream),
        "cudaMemsetAsync");
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(sum::shape(problem).grid);
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    with_block_size(problem.block_size, [&](auto block) {
      sum_unrolled<T, block.value><<<grid, block.value, 0, stream>>>(
          static_cast<const T*>(buffers.d_input), static_cast<Accumulator<T>*>(buffers.d_output), problem.n);
    });
  });
  check_launch("sum_unrolled");
}

const Registration registration(sum::variant("sum_unrolled", "unrolled",
                                             "four loads of 16 bytes in flight per thread", 32,
                                             pack_loads<kLoads>, longest_chain, launch));

}  // namespace

}  // namespace rooflinectl::kernels::sum_unrolled
