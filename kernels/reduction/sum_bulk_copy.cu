// SPDX-License-Identifier: Apache-2.0
//
// sum_bulk_copy: input copied to shared memory by the copy engine (TMA, cp.async.bulk).
//
// - Idea: one thread asks for tiles of 16 KiB with one instruction each; barriers in shared memory tell the
//   block when a tile is there, and the thread when its place is free again.
// - Changes from `sum_async_copy`: the other threads spend no addresses or instructions on copying.
// - Launch shape: min(tiles of 4 packs per thread, 2 blocks per multiprocessor) blocks, 4 tiles in flight in
//   each; one scalar.
// - Per element: one element read.
// - Minimum sm: 9.0.
#include "kernels/cuda_check.h"
#include "kernels/reduction/bulk.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_bulk_copy {

namespace {

constexpr int kBlock = 256;
constexpr int kPacks = 4;  // per thread and tile
constexpr int kStages = 4;

constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kPacks, .blocks_per_multiprocessor = 2};
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(kBlock)));
  constexpr unsigned kSharedBytes = bulk_shared_bytes<kBlock, kPacks>(kStages);
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto kernel = reduce_by_bulk_copies<Sum, T, kBlock, kPacks>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
          "cudaFuncSetAttribute");
    kernel<<<grid, kBlock, kSharedBytes, stream>>>(static_cast<const T*>(buffers.d_input),
                                                   static_cast<Accumulator<T>*>(buffers.d_output), problem.n,
                                                   static_cast<MailboxWord*>(buffers.d_workspace), kStages);
  });
  check_launch("sum_bulk_copy");
}

const Registration registration([] {
  Variant variant = persistent::mailbox_variant<shape_of>(
      "sum_bulk_copy", "bulk copy", "input to shared memory by the copy engine, 16 KiB at a time", {kBlock},
      launch);
  variant.info.minimum_sm = 90;
  variant.loads = pack_loads<kStages * kPacks>;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_bulk_copy
