// SPDX-License-Identifier: Apache-2.0
//
// sum_grid_sync: a barrier of the whole grid.
//
// - Idea: every block stores its sum, all blocks wait for each other, and the first one adds the sums up.
// - Changes from `sum_last_block`: a cooperative launch, whose blocks all run at once, and a barrier in place
//   of the ticket. It is simpler to write, but waits for more.
// - Launch shape: min(tiles of 4 packs per thread, 4 blocks per multiprocessor) blocks; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5.
#include <cooperative_groups.h>

#include "kernels/cuda_check.h"
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_grid_sync {

namespace {

constexpr int kBlock = 256;
constexpr int kLoads = 4;  // packs that a thread asks for together

/// Four blocks of 256 threads fit on any kind of multiprocessor.
constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kLoads, .blocks_per_multiprocessor = 4};
}

template <typename T>
__global__ void __launch_bounds__(kBlock, 4)
    sum_grid_sync(const T* d_input, Accumulator<T>* d_output, std::uint64_t n, Accumulator<T>* d_sums) {
  Accumulator<T> sum = block_total<Sum, kBlock>(thread_total<Sum, T, kBlock, kLoads>(d_input, n));
  if (threadIdx.x == 0) d_sums[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlock) sum += __ldcg(d_sums + i);
  sum = block_total<Sum, kBlock>(sum);
  if (threadIdx.x == 0) *d_output = sum;
}

std::size_t workspace_bytes(const Problem& problem) {
  return 8 * persistent::grid(problem, shape_of(kBlock));
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(kBlock)));
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto* d_input = static_cast<const T*>(buffers.d_input);
    auto* d_output = static_cast<Accumulator<T>*>(buffers.d_output);
    auto* d_sums = static_cast<Accumulator<T>*>(buffers.d_workspace);
    std::uint64_t n = problem.n;
    void* arguments[] = {&d_input, &d_output, &n, &d_sums};
    check(cudaLaunchCooperativeKernel(sum_grid_sync<T>, dim3(grid), dim3(kBlock), arguments, 0, stream),
          "launch of sum_grid_sync");
  });
}

const Registration registration([] {
  Variant variant = persistent::variant<shape_of>(
      "sum_grid_sync", "grid sync", "a barrier of the whole grid, then one block adds up the sums", {kBlock},
      launch);
  variant.workspace_bytes = workspace_bytes;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_grid_sync
