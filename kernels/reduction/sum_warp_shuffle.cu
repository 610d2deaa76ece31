// SPDX-License-Identifier: Apache-2.0
//
// sum_warp_shuffle: shuffles within each warp, one atomic addition per warp.
//
// - Idea: each thread sums its elements in a register; five shuffle steps add up the warp's sums.
// - Changes from the previous version: no shared memory and no barrier, but an atomic for every warp.
// - Launch shape: E elements per thread (the caller's choice) at a distance of the grid's width, ceil(n /
//   (block * E)) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; (E + 5) / E additions in the source, (E + 4 + 1 / 32) / E in the machine
//   code, where only the lane that writes does the last one. All 32 lanes take part in the other steps: of
//   the 160 additions in the source, only 31 are needed, so executed intensity rises with the redundant work.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/sum.cuh"

namespace rooflinectl::kernels::sum_warp_shuffle {

namespace {

template <typename T>
__global__ void sum_warp_shuffle(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  const Accumulator<T> sum = warp_sum(grid_stride_sum(d_input, n));
  if (threadIdx.x % kWarpSize == 0) atomic_add(d_output, sum);
}

/// In the thread, in the warp, and one atomic per warp.
std::uint64_t longest_chain(const Problem& problem) {
  const auto warps_per_block = static_cast<std::uint64_t>(problem.block_size / kWarpSize);
  return static_cast<std::uint64_t>(problem.elements_per_thread) + 5 +
         sum::shape(problem).grid * warps_per_block;
}

const Registration registration(sum::atomic_variant("sum_warp_shuffle", "warp shuffle",
                                                    "shuffles within each warp, one atomic per warp", 8,
                                                    element_loads<1>, longest_chain, [](auto type, auto) {
                                                      return sum_warp_shuffle<typename decltype(type)::type>;
                                                    }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_warp_shuffle
