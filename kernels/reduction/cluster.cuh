// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/packs.cuh"

/// Reductions in thread-block clusters, whose blocks reach each other's shared memory (sm_90).
namespace rooflinectl::kernels {

/// The most blocks in a cluster that every device with clusters can run.
inline constexpr int kPortableCluster = 8;

#if __CUDA_ARCH__ >= 900
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ inline unsigned cluster_rank() {
  unsigned rank = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Where `d_shared` of this block lies in the first block of the cluster.
template <typename Value>
__device__ Value* in_first_block(Value* d_shared) {
  std::uint64_t address = 0;
  asm("mapa.u64 %0, %1, 0;" : "=l"(address) : "l"(d_shared));
  return reinterpret_cast<Value*>(address);
}

/// Combines what `thread_total()` gives in all threads of the cluster, in thread 0 of its first block; others
/// get something else. Each warp leaves its total in the shared memory of the first block, which combines
/// them.
template <typename Combine, int kBlock, int kCluster, typename ThreadTotal>
__device__ auto cluster_total(const ThreadTotal& thread_total) {
  using Value = decltype(thread_total());
  constexpr unsigned kWarps = kBlock / kWarpSize;
  constexpr unsigned kTotals = kCluster * kWarps;
  __shared__ Value warp_totals[kTotals];
  cluster_arrive();  // this block runs: its shared memory can be written to
  Value value = warp_total<Combine>(thread_total());
  cluster_wait();
  if (threadIdx.x % kWarpSize == 0) {
    in_first_block(warp_totals)[cluster_rank() * kWarps + threadIdx.x / kWarpSize] = value;
  }
  cluster_arrive();
  cluster_wait();
  if (cluster_rank() == 0 && threadIdx.x < kWarpSize) {
    value = Combine::template none<Value>();
#pragma unroll
    for (unsigned i = 0; i < kTotals; i += kWarpSize) {
      if (i + threadIdx.x < kTotals) value = Combine{}(value, warp_totals[i + threadIdx.x]);
    }
    value = warp_total<Combine>(value);
  }
  return value;
}
#endif

/// Launches `kernel` in clusters of `cluster` blocks, of which `grid` is a multiple.
template <typename... Parameters, typename... Arguments>
void launch_in_clusters(void (*kernel)(Parameters...), unsigned grid, unsigned block, unsigned cluster,
                        cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  configuration.stream = stream;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  check(cudaLaunchKernelEx(&configuration, kernel, Parameters(arguments)...), "launch in clusters");
}

}  // namespace rooflinectl::kernels
