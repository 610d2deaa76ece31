// SPDX-License-Identifier: Apache-2.0
//
// sum_block_shuffle: shuffles within warps and then across the block, one atomic addition per block.
//
// - Idea: each warp adds up by shuffles and leaves its sum in shared memory; the first warp adds those up,
//   again by shuffles.
// - Changes from the previous version: one barrier brings the atomics down to one per block.
// - Launch shape: E elements per thread (the caller's choice) at a distance of the grid's width, ceil(n /
//   (block * E)) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; (E + 5 + 5 * 32 / block) / E additions in the source.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/sum.cuh"

namespace rooflinectl::kernels::sum_block_shuffle {

namespace {

/// The sum of the block's values, in thread 0; other threads get something else. All threads of the block
/// must call it, and a second call in the same kernel needs a barrier before it: it uses the same shared
/// memory.
template <int kBlock, typename Value>
__device__ Value block_sum(Value value) {
  static_assert(kBlock % kWarpSize == 0 && kBlock <= kWarpSize * kWarpSize);
  constexpr unsigned kWarps = kBlock / kWarpSize;
  __shared__ Value warp_sums[kWarps];
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;

  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < kWarps ? warp_sums[lane] : Value{});
  return value;
}

template <typename T, int kBlock>
__global__ void sum_block_shuffle(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  const Accumulator<T> sum = block_sum<kBlock>(grid_stride_sum(d_input, n));
  if (threadIdx.x == 0) atomic_add(d_output, sum);
}

/// In the thread, in the warp, in the first warp, and one atomic per block.
std::uint64_t longest_chain(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.elements_per_thread) + 5 + 5 + sum::shape(problem).grid;
}

const Registration registration(sum::atomic_variant(
    "sum_block_shuffle", "block shuffle",
    "shuffles within warps, then across the block, one atomic per block", 8, element_loads<1>, longest_chain,
    [](auto type, auto block) { return sum_block_shuffle<typename decltype(type)::type, block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_block_shuffle
