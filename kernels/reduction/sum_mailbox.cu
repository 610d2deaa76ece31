// SPDX-License-Identifier: Apache-2.0
//
// sum_mailbox: one block takes the others' sums out of a mailbox as they come in.
//
// - Idea: the value and the mark that it is there lie in one word of 64 bits, which is stored and loaded as a
//   whole. The last block, which starts last, waits for the marks and adds up in the order of the blocks.
// - Changes from `sum_last_block`: a store and a load through L2 in place of store, fence, ticket and load,
//   each of which waits for the one before: less time at the end, and the same result every time.
// - Launch shape: min(tiles of 4 packs per thread, 4 blocks per multiprocessor) blocks; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5.
#include "kernels/cuda_check.h"
#include "kernels/reduction/complete.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_mailbox {

namespace {

constexpr int kLoads = 4;  // packs that a thread asks for together

constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kLoads, .blocks_per_multiprocessor = 1024 / block};
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(problem.block_size)));
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    with_block_size(problem.block_size, [&](auto block) {
      reduce_by_mailbox<Sum, T, block.value, kLoads><<<grid, block.value, 0, stream>>>(
          static_cast<const T*>(buffers.d_input), static_cast<Accumulator<T>*>(buffers.d_output), problem.n,
          static_cast<MailboxWord*>(buffers.d_workspace));
    });
  });
  check_launch("sum_mailbox");
}

const Registration registration(persistent::mailbox_variant<shape_of>(
    "sum_mailbox", "mailbox", "one block adds up the others' sums while they come in", {128, 256, 512},
    launch));

}  // namespace

}  // namespace rooflinectl::kernels::sum_mailbox
