// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/mailbox.cuh"
#include "kernels/reduction/packs.cuh"

/// Kernels that reduce any number of elements to one, in one launch that leaves nothing to be zeroed.
namespace rooflinectl::kernels {

/// Elements that one block reduces: no thread takes more than `kUnroll` packs.
template <typename T, int kBlock, int kUnroll>
constexpr std::uint64_t one_block_elements() {
  return std::uint64_t{kBlock} * kUnroll * (16 / sizeof(T));
}

/// One block does it all, for at most `one_block_elements`: nothing but loads, additions and one barrier.
template <typename Combine, typename T, int kBlock, int kUnroll>
__global__ void __launch_bounds__(kBlock)
    reduce_in_one_block(const T* d_input, Accumulator<T>* d_output, unsigned n) {
  const Packs<T> packs(d_input, n);
  PackTotal<Combine, T> total;
  add_tile<kBlock, kUnroll>(total, packs.d_packs, static_cast<unsigned>(packs.count));
  const auto value = block_total<Combine, kBlock>(with_ends<Combine>(total.value(), packs, threadIdx.x));
  if (threadIdx.x == 0) *d_output = value;
}

/// Every block posts its total in the mailbox, and the last one, which is the last to start, takes them out.
/// They are combined in the order of the blocks, whenever they come.
template <typename Combine, typename T, int kBlock, int kUnroll>
__global__ void __launch_bounds__(kBlock)
    reduce_by_mailbox(const T* d_input, Accumulator<T>* d_output, std::uint64_t n, MailboxWord* d_mailbox) {
  collect_totals<Combine, kBlock>(thread_total<Combine, T, kBlock, kUnroll>(d_input, n), d_output, d_mailbox);
}

/// The same; the first `kept_bytes` of the input are to stay in L2 for the next launch.
template <typename Combine, typename T, int kBlock, int kUnroll>
__global__ void __launch_bounds__(kBlock)
    reduce_keeping_part(const T* d_input, Accumulator<T>* d_output, std::uint64_t n, MailboxWord* d_mailbox,
                        unsigned kept_bytes) {
  const KeepingLoader<T> load(reinterpret_cast<const Pack<T>*>(d_input + kept_bytes / sizeof(T)));
  collect_totals<Combine, kBlock>(thread_total<Combine, T, kBlock, kUnroll>(d_input, n, load), d_output,
                                  d_mailbox);
}

}  // namespace rooflinectl::kernels
