// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/mailbox.cuh"
#include "kernels/reduction/packs.cuh"

/// Input brought to shared memory by the copy engine of each SM (cp.async.bulk, sm_90): one thread asks for
/// thousands of bytes with one instruction, and no registers hold them on their way.
namespace rooflinectl::kernels {

#if __CUDA_ARCH__ >= 900
__device__ inline unsigned shared_address(const void* d_shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(d_shared));
}
__device__ inline void barrier_init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ inline void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
/// Starts copying `bytes` bytes, a multiple of 16, and lets `barrier` wait for them.
__device__ inline void bulk_copy(void* shared, const void* d_source, unsigned bytes, std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(shared)),
      "l"(d_source), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
#endif

/// Shared memory of `stages` tiles and the barriers of each.
template <int kBlock, int kUnroll>
constexpr unsigned bulk_shared_bytes(int stages) {
  return static_cast<unsigned>(stages) * (kBlock * kUnroll * 16 + 2 * sizeof(std::uint64_t));
}

/// This thread's share of the input, through a ring of `stages` tiles of `kUnroll` packs per thread.
template <typename Combine, typename T, int kBlock, int kUnroll>
__device__ Accumulator<T> thread_total_by_bulk_copies(const T* d_input, std::uint64_t n, int stages) {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned kTile = kBlock * kUnroll;
  extern __shared__ __align__(128) unsigned char ring[];
  auto* tiles = reinterpret_cast<Pack<T>*>(ring);
  auto* full = reinterpret_cast<std::uint64_t*>(ring + static_cast<unsigned>(stages) * kTile * 16);
  auto* empty = full + stages;

  const Packs<T> packs(d_input, n);
  const std::uint64_t whole_tiles = packs.count / kTile;
  const auto ask_for = [&](std::uint64_t tile, int stage) {
    bulk_copy(tiles + stage * kTile, packs.d_packs + tile * kTile, kTile * 16, full + stage);
  };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      barrier_init(full + stage, 1);
      barrier_init(empty + stage, kBlock / kWarpSize);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int stage = 0; stage < stages; ++stage) {
      const std::uint64_t tile = blockIdx.x + std::uint64_t{gridDim.x} * stage;
      if (tile < whole_tiles) ask_for(tile, stage);
    }
  }
  __syncthreads();

  PackTotal<Combine, T> total;
  int stage = 0;
  unsigned parity = 0;
  for (std::uint64_t tile = blockIdx.x; tile < whole_tiles; tile += gridDim.x) {
    barrier_wait(full + stage, parity);
    const Pack<T>* tile_packs = tiles + stage * kTile + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) total.add(tile_packs[i * kBlock]);
    __syncwarp();
    if (threadIdx.x % kWarpSize == 0) barrier_arrive(empty + stage);
    const std::uint64_t next = tile + std::uint64_t{gridDim.x} * stages;
    if (threadIdx.x == 0 && next < whole_tiles) {
      barrier_wait(empty + stage, parity);
      ask_for(next, stage);
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  // What is left after the last whole tile bypasses the ring.
  for (std::uint64_t i = whole_tiles * kTile + global_thread(); i < packs.count; i += grid_threads()) {
    total.add(load_pack(packs.d_packs + i));
  }
  return with_ends<Combine>(total.value(), packs, global_thread());
#else
  return Combine::template none<Accumulator<T> >();
#endif
}

/// As `reduce_by_mailbox`, with the input by bulk copies.
template <typename Combine, typename T, int kBlock, int kUnroll>
__global__ void __launch_bounds__(kBlock)
    reduce_by_bulk_copies(const T* d_input, Accumulator<T>* d_output, std::uint64_t n, MailboxWord* d_mailbox,
                          int stages) {
#if __CUDA_ARCH__ >= 900
  collect_totals<Combine, kBlock>(
      thread_total_by_bulk_copies<Combine, T, kBlock, kUnroll>(d_input, n, stages), d_output, d_mailbox);
#endif
}

}  // namespace rooflinectl::kernels
