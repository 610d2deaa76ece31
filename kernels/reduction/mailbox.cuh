// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/persistent.h"

/// Partial results handed from many blocks to one while all of them run. Each lies in words of 64 bits, 32
/// bits of the value next to a mark that it is there: a word is written and read as a whole, so nothing has
/// to be ordered. Marks are 0 before a launch and after it.
namespace rooflinectl::kernels {

using MailboxWord = unsigned long long;

template <typename Value>
inline constexpr unsigned kMailboxWords = sizeof(Value) / sizeof(std::uint32_t);

/// Bytes of a mailbox for `blocks` values of up to 8 bytes.
constexpr std::size_t mailbox_bytes(std::uint64_t blocks) {
  return blocks * 2 * sizeof(MailboxWord);
}

inline constexpr MailboxWord kMailboxMark = MailboxWord{1} << 32;

__device__ inline void store_word(MailboxWord* d_word, MailboxWord word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(d_word), "l"(word) : "memory");
}

__device__ inline MailboxWord load_word(const MailboxWord* d_word) {
  MailboxWord word = 0;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(d_word) : "memory");
  return word;
}

/// Leaves `value` in slot `slot`.
template <typename Value>
__device__ void post(MailboxWord* d_mailbox, unsigned slot, Value value) {
  constexpr unsigned kWords = kMailboxWords<Value>;
  std::uint32_t parts[kWords];
  memcpy(parts, &value, sizeof(Value));
#pragma unroll
  for (unsigned i = 0; i < kWords; ++i) store_word(d_mailbox + slot * kWords + i, kMailboxMark | parts[i]);
}

/// Waits for the value of slot `slot`, takes it and empties the slot.
template <typename Value>
__device__ Value take(MailboxWord* d_mailbox, unsigned slot) {
  constexpr unsigned kWords = kMailboxWords<Value>;
  MailboxWord* d_words = d_mailbox + slot * kWords;
  MailboxWord words[kWords];
  bool complete = false;
  while (!complete) {
    complete = true;
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) words[i] = load_word(d_words + i);
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) complete = complete && words[i] >= kMailboxMark;
  }
  std::uint32_t parts[kWords];
#pragma unroll
  for (unsigned i = 0; i < kWords; ++i) {
    d_words[i] = 0;
    parts[i] = static_cast<std::uint32_t>(words[i]);
  }
  Value value;
  memcpy(&value, parts, sizeof(Value));
  return value;
}

/// Combines the threads' values of the whole grid into `*d_output`. Every block posts its total, and the last
/// one, which is the last to start, takes them out: in the order of the blocks, whenever they come.
template <typename Combine, int kBlock, typename Value>
__device__ void collect_totals(Value value, Value* d_output, MailboxWord* d_mailbox) {
  const unsigned collector = gridDim.x - 1;
  if (blockIdx.x != collector) {
    value = block_total<Combine, kBlock>(value);
    if (threadIdx.x == 0) post(d_mailbox, blockIdx.x, value);
    return;
  }
  for (unsigned slot = threadIdx.x; slot < collector; slot += kBlock) {
    value = Combine{}(value, take<Value>(d_mailbox, slot));
  }
  value = block_total<Combine, kBlock>(value);
  if (threadIdx.x == 0) *d_output = value;
}

}  // namespace rooflinectl::kernels

namespace rooflinectl::kernels::persistent {

/// `variant` with a mailbox as its workspace.
template <Shape (*kShape)(int block)>
Variant mailbox_variant(std::string id, std::string label, std::string title, std::vector<int> block_sizes,
                        decltype(Variant::launch) launch) {
  Variant made = variant<kShape>(std::move(id), std::move(label), std::move(title), std::move(block_sizes),
                                 std::move(launch));
  made.workspace_bytes = [](const Problem& problem) {
    return mailbox_bytes(grid(problem, kShape(problem.block_size)));
  };
  return made;
}

}  // namespace rooflinectl::kernels::persistent
