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
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/sum.cuh"

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

const Registration registration(sum::atomic_variant(
    "sum_unrolled", "unrolled", "four loads of 16 bytes in flight per thread", 32, pack_loads<kLoads>,
    longest_chain,
    [](auto type, auto block) { return sum_unrolled<typename decltype(type)::type, block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_unrolled
