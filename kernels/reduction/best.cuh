// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/cuda_check.h"
#include "kernels/device_limits.h"
#include "kernels/reduction/best_table.h"
#include "kernels/reduction/bulk.cuh"
#include "kernels/reduction/complete.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/sum.h"

/// Reductions that choose among the fastest kernels by type, size and chip. `best_table.h` has the choices.
namespace rooflinectl::kernels::best {

inline const Row& row_of(const Problem& problem) {
  return row_for(problem.dtype, problem.n, device_limits().compute_capability);
}

inline persistent::Shape shape_of(const Row& row) {
  return {
      .block = row.block, .unroll = row.packs, .blocks_per_multiprocessor = row.blocks_per_multiprocessor};
}

inline std::uint64_t grid(const Problem& problem) {
  const Row& row = row_of(problem);
  if (row.kernel == Kernel::one_block) return 1;
  return persistent::grid(problem, shape_of(row));
}

inline LaunchShape shape(const Problem& problem) {
  return {.grid = grid(problem), .block = row_of(problem).block};
}

/// In one block or cluster, every thread takes its share of the packs, which may be one tile more than
/// elsewhere.
inline std::uint64_t longest_chain(const Problem& problem) {
  const Row& row = row_of(problem);
  const std::uint64_t tiles = persistent::tiles(problem, shape_of(row));
  const std::uint64_t blocks = grid(problem);
  return (tiles + blocks - 1) / blocks * static_cast<std::uint64_t>(row.packs) + 1 + 3 + 2 + 10 +
         blocks / static_cast<std::uint64_t>(row.block) + 1 + 10;
}

inline IndependentLoads loads(const Problem& problem) {
  const Row& row = row_of(problem);
  return {.count = row.kernel == Kernel::bulk ? row.packs * kBulkStages : row.packs, .bytes = 16};
}

inline std::size_t workspace_bytes(const Problem& problem) {
  return mailbox_bytes(grid(problem));
}

/// The launch of one kernel of the table.
template <typename Combine, typename T>
struct Launch {
  const T* d_input;
  Accumulator<T>* d_output;
  std::uint64_t n;
  MailboxWord* d_mailbox;
  unsigned grid;
  cudaStream_t stream;

  template <int kBlock, int kPacks>
  void one_block() const {
    reduce_in_one_block<Combine, T, kBlock, kPacks>
        <<<1, kBlock, 0, stream>>>(d_input, d_output, static_cast<unsigned>(n));
  }
  template <int kBlock, int kPacks>
  void mailbox() const {
    reduce_by_mailbox<Combine, T, kBlock, kPacks>
        <<<grid, kBlock, 0, stream>>>(d_input, d_output, n, d_mailbox);
  }
  /// Three eighths of L2: this fits even when both of its halves hold a copy, and was the best of five
  /// amounts from 28 to 40 MiB on an H200.
  template <int kBlock, int kPacks>
  void keeping() const {
    const auto kept_bytes = std::min(n * sizeof(T), std::uint64_t{device_limits().l2_bytes / 8U * 3});
    reduce_keeping_part<Combine, T, kBlock, kPacks>
        <<<grid, kBlock, 0, stream>>>(d_input, d_output, n, d_mailbox, static_cast<unsigned>(kept_bytes));
  }
  template <int kBlock, int kPacks>
  void bulk() const {
    constexpr unsigned kSharedBytes = bulk_shared_bytes<kBlock, kPacks>(kBulkStages);
    const auto kernel = reduce_by_bulk_copies<Combine, T, kBlock, kPacks>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
          "cudaFuncSetAttribute");
    kernel<<<grid, kBlock, kSharedBytes, stream>>>(d_input, d_output, n, d_mailbox, kBulkStages);
  }

  /// A row that names a kernel not listed here is a mistake in the table.
  void operator()(const Row& row) const {
    const auto is = [&](Kernel kernel, int block, int packs) {
      return row.kernel == kernel && row.block == block && row.packs == packs;
    };
    if (is(Kernel::one_block, 256, 2)) return one_block<256, 2>();
    if (is(Kernel::one_block, 256, 4)) return one_block<256, 4>();
    if (is(Kernel::one_block, 512, 4)) return one_block<512, 4>();
    if (is(Kernel::mailbox, 256, 2)) return mailbox<256, 2>();
    if (is(Kernel::mailbox, 256, 4)) return mailbox<256, 4>();
    if constexpr (sizeof(T) == 2) {
      if (is(Kernel::mailbox, 256, 8)) return mailbox<256, 8>();
      if (is(Kernel::mailbox, 512, 8)) return mailbox<512, 8>();
    } else {
      if (is(Kernel::bulk, 256, 8)) return bulk<256, 8>();
    }
    if constexpr (sizeof(T) == 4) {
      if (is(Kernel::keeping, 256, 4)) return keeping<256, 4>();
      if (is(Kernel::keeping, 512, 4)) return keeping<512, 4>();
      if (is(Kernel::one_block, 512, 8)) return one_block<512, 8>();
      if (is(Kernel::mailbox, 512, 4)) return mailbox<512, 4>();
    }
    if constexpr (sizeof(T) != 4) {
      if (is(Kernel::keeping, 256, 8)) return keeping<256, 8>();
    }
    if constexpr (sizeof(T) == 8) {
      if (is(Kernel::one_block, 1024, 8)) return one_block<1024, 8>();
    }
    throw Error(ErrorKind::usage, "no such kernel: correct kernels/reduction/best_table.h");
  }
};

template <typename Combine>
void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    Launch<Combine, T>{static_cast<const T*>(buffers.d_input),
                       static_cast<Accumulator<T>*>(buffers.d_output),
                       problem.n,
                       static_cast<MailboxWord*>(buffers.d_workspace),
                       static_cast<unsigned>(grid(problem)),
                       stream}(row_of(problem));
  });
  check_launch("the best reduction");
}

/// A reduction of every type. The block size of a point is a name only: the table chooses.
template <typename Combine>
Variant variant(std::string id, std::string label, std::string title) {
  constexpr int kNominalBlock = 512;
  Variant variant = sum::variant(std::move(id), std::move(label), std::move(title), std::nullopt, loads,
                                 longest_chain, launch<Combine>);
  variant.info.block_sizes = {kNominalBlock};
  variant.info.default_block_size = kNominalBlock;
  variant.info.deterministic = true;
  variant.operation = Combine::kOperation;
  variant.shape = shape;
  variant.workspace_bytes = workspace_bytes;
  return variant;
}

}  // namespace rooflinectl::kernels::best
