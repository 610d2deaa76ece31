// SPDX-License-Identifier: Apache-2.0
//
// sum_last_block: the last block to finish adds up the others' sums.
//
// - Idea: every block stores its sum and takes a ticket; the one that draws the last ticket knows that all
//   sums are there, and adds them up in the order of the blocks.
// - Changes from `sum_unrolled`: as many blocks as the device holds, each with tile after tile; no atomic
//   addition of values, so the result is the same every time; nothing to zero before the launch.
// - Launch shape: min(tiles of 4 packs per thread, 4 blocks per multiprocessor) blocks; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5.
#include "kernels/cuda_check.h"
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/packs.cuh"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_last_block {

namespace {

constexpr int kLoads = 4;  // packs that a thread asks for together

constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kLoads, .blocks_per_multiprocessor = 1024 / block};
}

template <typename T, int kBlock>
__global__ void sum_last_block(const T* d_input, Accumulator<T>* d_output, std::uint64_t n,
                               unsigned* d_tickets, Accumulator<T>* d_sums) {
  using Value = Accumulator<T>;
  __shared__ bool is_last;
  Value sum = block_total<Sum, kBlock>(thread_total<Sum, T, kBlock, kLoads>(d_input, n));
  if (threadIdx.x == 0) {
    d_sums[blockIdx.x] = sum;
    __threadfence();  // the sum is visible before the ticket
    // Wraps round to 0 at the last ticket: ready for the next launch.
    is_last = atomicInc(d_tickets, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlock) sum += __ldcg(d_sums + i);
  sum = block_total<Sum, kBlock>(sum);
  if (threadIdx.x == 0) *d_output = sum;
}

/// The tickets, and a sum of up to 8 bytes per block.
constexpr std::size_t kTicketBytes = 256;

std::size_t workspace_bytes(const Problem& problem) {
  return kTicketBytes + 8 * persistent::grid(problem, shape_of(problem.block_size));
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(problem.block_size)));
  auto* workspace = static_cast<std::byte*>(buffers.d_workspace);
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    with_block_size(problem.block_size, [&](auto block) {
      sum_last_block<T, block.value><<<grid, block.value, 0, stream>>>(
          static_cast<const T*>(buffers.d_input), static_cast<Accumulator<T>*>(buffers.d_output), problem.n,
          reinterpret_cast<unsigned*>(workspace),
          reinterpret_cast<Accumulator<T>*>(workspace + kTicketBytes));
    });
  });
  check_launch("sum_last_block");
}

const Registration registration([] {
  Variant variant = persistent::variant<shape_of>(
      "sum_last_block", "last block", "the last block, found by a ticket, adds up the blocks' sums",
      {128, 256, 512}, launch);
  variant.workspace_bytes = workspace_bytes;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_last_block
