// SPDX-License-Identifier: Apache-2.0
//
// sum_cluster: blocks add up across their cluster before one of them writes to memory.
//
// - Idea: eight blocks of a cluster reach each other's shared memory. Each warp leaves its sum in that of the
//   first block, which adds them up.
// - Changes from `sum_unrolled`: one atomic per cluster in place of one per block.
// - Launch shape: E elements per thread (the caller's choice), ceil(n / (block * E)) blocks, rounded up to
//   whole clusters; one scalar, zeroed before the launch.
// - Per element: one element read.
// - Minimum sm: 9.0.
#include "kernels/cuda_check.h"
#include "kernels/reduction/cluster.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels::sum_cluster {

namespace {

constexpr int kBlock = 256;
constexpr int kLoads = 4;

template <typename T>
__global__ void __launch_bounds__(kBlock)
    sum_cluster(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
#if __CUDA_ARCH__ >= 900
  const auto sum = cluster_total<Sum, kBlock, kPortableCluster>(
      [&] { return thread_total<Sum, T, kBlock, kLoads>(d_input, n); });
  if (cluster_rank() == 0 && threadIdx.x == 0) atomic_add(d_output, sum);
#endif
}

LaunchShape shape(const Problem& problem) {
  LaunchShape shape = sum::shape(problem);
  shape.grid = (shape.grid + kPortableCluster - 1) / kPortableCluster * kPortableCluster;
  return shape;
}

/// In the thread, across the pack, the ends of the input, in the warp, over the warps of the cluster, and one
/// atomic per cluster.
std::uint64_t longest_chain(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.elements_per_thread + kLoads) + 3 + 2 + 5 + 7 +
         shape(problem).grid / kPortableCluster;
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  check(cudaMemsetAsync(buffers.d_output, 0, size_bytes(accumulator(problem.dtype)), stream),
        "cudaMemsetAsync");
  if (problem.n == 0) return;
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    launch_in_clusters(sum_cluster<T>, static_cast<unsigned>(shape(problem).grid), kBlock, kPortableCluster,
                       stream, static_cast<const T*>(buffers.d_input),
                       static_cast<Accumulator<T>*>(buffers.d_output), problem.n);
  });
}

const Registration registration([] {
  Variant variant =
      sum::variant("sum_cluster", "cluster", "eight blocks add up in shared memory, one atomic for all", 32,
                   pack_loads<kLoads>, longest_chain, launch);
  variant.info.block_sizes = {kBlock};
  variant.info.default_block_size = kBlock;
  variant.info.minimum_sm = 90;
  variant.shape = shape;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_cluster
