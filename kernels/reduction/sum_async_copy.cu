// SPDX-License-Identifier: Apache-2.0
//
// sum_async_copy: input copied to shared memory in the background (cp.async).
//
// - Idea: each thread has four tiles of two packs in flight to its own places in shared memory; no registers
//   hold them meanwhile, and no barrier is needed, since every thread reads only what it asked for.
// - Changes from `sum_mailbox`: shared memory in place of registers holds the bytes in flight.
// - Launch shape: min(tiles of 2 packs per thread, 6 blocks per multiprocessor) blocks; one scalar.
// - Per element: one element read.
// - Minimum sm: 8.0.
#include "kernels/cuda_check.h"
#include "kernels/reduction/complete.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_async_copy {

namespace {

constexpr int kBlock = 256;
constexpr int kPacks = 2;   // per thread and tile
constexpr int kStages = 4;  // tiles in flight

constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kPacks, .blocks_per_multiprocessor = 6};
}

template <typename T>
__global__ void __launch_bounds__(kBlock)
    sum_async_copy(const T* d_input, Accumulator<T>* d_output, std::uint64_t n, MailboxWord* d_mailbox) {
#if __CUDA_ARCH__ >= 800
  __shared__ Pack<T> ring[kStages][kPacks][kBlock];
  const Packs<T> packs(d_input, n);
  const auto ask_for = [&](std::uint64_t tile, int stage) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const std::uint64_t pack = (tile * kPacks + i) * kBlock + threadIdx.x;
      const auto target = static_cast<unsigned>(__cvta_generic_to_shared(&ring[stage][i][threadIdx.x]));
      if (pack < packs.count)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(packs.d_packs + pack)
                     : "memory");
    }
    // A group even where it is empty, so that the number of groups is the number of tiles.
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  std::uint64_t next = blockIdx.x;
  for (int stage = 0; stage < kStages - 1; ++stage, next += gridDim.x) ask_for(next, stage);
  PackTotal<Sum, T> total;
  int stage = 0;
  for (std::uint64_t tile = blockIdx.x; tile * kPacks * kBlock < packs.count;
       tile += gridDim.x, next += gridDim.x) {
    ask_for(next, (stage + kStages - 1) % kStages);
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      if ((tile * kPacks + i) * kBlock + threadIdx.x < packs.count) total.add(ring[stage][i][threadIdx.x]);
    }
    stage = (stage + 1) % kStages;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  collect_totals<Sum, kBlock>(with_ends<Sum>(total.value(), packs, global_thread()), d_output, d_mailbox);
#endif
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(kBlock)));
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    sum_async_copy<T><<<grid, kBlock, 0, stream>>>(static_cast<const T*>(buffers.d_input),
                                                   static_cast<Accumulator<T>*>(buffers.d_output), problem.n,
                                                   static_cast<MailboxWord*>(buffers.d_workspace));
  });
  check_launch("sum_async_copy");
}

const Registration registration([] {
  Variant variant = persistent::mailbox_variant<shape_of>(
      "sum_async_copy", "async copy", "input to shared memory in the background, four tiles deep", {kBlock},
      launch);
  variant.info.minimum_sm = 80;
  variant.loads = pack_loads<kStages * kPacks>;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_async_copy
