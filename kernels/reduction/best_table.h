// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/model/dtype.h"
#include "kernels/reduction/persistent.h"

/// Which kernel is the fastest for how many bytes. Made from what `collector/tuning/tune_sum_best.cu` prints.
namespace rooflinectl::kernels::best {

enum class Kernel {
  one_block,  ///< one block, no workspace
  mailbox,    ///< a block takes the others' results out of a mailbox
  keeping,    ///< the same; the first part of the input stays in L2 for the next launch
  bulk,       ///< the same, with the input brought to shared memory by bulk copies
};

/// Tiles of `bulk` that are in flight in each block.
inline constexpr int kBulkStages = 4;

struct Row {
  std::uint64_t up_to_bytes;  ///< of input
  Kernel kernel;
  int block;
  int packs;  ///< of 16 bytes per thread, in flight together
  int blocks_per_multiprocessor = 1;
};

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

/// sm_90, 8-byte elements. This and the next two: the fastest of 40 candidates at each size, measured in CUDA
/// graphs beside CUB, warm and cold, on an H200 (driver 580.159.04) on 2026-11-21; what is within 2 % of the
/// fastest counts as the same. Launch by launch and cold, on the same input as CUB and in alternation with
/// it, the rows up to 64 KiB take 0.92 to 0.97 of CUB's time where that is closest (2^11 elements of 8 bytes,
/// 2^12 of fewer, on the same day). Up to 64 KiB, which is 2^14 floats, one block does everything, even where
/// several would be faster; one block with 2^14 doubles is slower than CUB. From 20 MiB on, `keeping` costs
/// cold caches 1.5 % and makes warm ones up to 1.45 times as fast.
inline constexpr std::array kEightBytesOnSm90 = {
    Row{8 * kKiB, Kernel::one_block, 256, 2},    Row{16 * kKiB, Kernel::one_block, 256, 4},
    Row{32 * kKiB, Kernel::one_block, 512, 4},   Row{64 * kKiB, Kernel::one_block, 1024, 8},
    Row{512 * kKiB, Kernel::mailbox, 256, 2, 1}, Row{2 * kMiB, Kernel::mailbox, 256, 4, 1},
    Row{20 * kMiB, Kernel::mailbox, 256, 4, 2},  Row{40 * kMiB, Kernel::keeping, 256, 8, 2},
    Row{192 * kMiB, Kernel::keeping, 256, 8, 4}, Row{kAnySize, Kernel::bulk, 256, 8, 1},
};

/// sm_90, 4-byte elements.
inline constexpr std::array kFourBytesOnSm90 = {
    Row{8 * kKiB, Kernel::one_block, 256, 2},    Row{16 * kKiB, Kernel::one_block, 256, 4},
    Row{32 * kKiB, Kernel::one_block, 512, 4},   Row{64 * kKiB, Kernel::one_block, 512, 8},
    Row{512 * kKiB, Kernel::mailbox, 256, 2, 1}, Row{2 * kMiB, Kernel::mailbox, 256, 4, 1},
    Row{20 * kMiB, Kernel::mailbox, 256, 4, 2},  Row{40 * kMiB, Kernel::keeping, 256, 4, 2},
    Row{192 * kMiB, Kernel::keeping, 512, 4, 4}, Row{384 * kMiB, Kernel::mailbox, 512, 4, 4},
    Row{kAnySize, Kernel::bulk, 256, 8, 1},
};

/// sm_90, 2-byte elements.
inline constexpr std::array kTwoBytesOnSm90 = {
    Row{8 * kKiB, Kernel::one_block, 256, 2},    Row{16 * kKiB, Kernel::one_block, 256, 4},
    Row{32 * kKiB, Kernel::one_block, 512, 4},   Row{512 * kKiB, Kernel::mailbox, 256, 2, 1},
    Row{2 * kMiB, Kernel::mailbox, 256, 4, 1},   Row{4 * kMiB, Kernel::mailbox, 256, 4, 2},
    Row{20 * kMiB, Kernel::mailbox, 256, 8, 2},  Row{40 * kMiB, Kernel::keeping, 256, 8, 2},
    Row{192 * kMiB, Kernel::keeping, 256, 8, 4}, Row{kAnySize, Kernel::mailbox, 512, 8, 2},
};

/// Chips that have not been tuned for yet: what all of them can run, in every type.
inline constexpr std::array kAnywhere = {
    Row{8 * kKiB, Kernel::one_block, 256, 2},  Row{16 * kKiB, Kernel::one_block, 256, 4},
    Row{32 * kKiB, Kernel::one_block, 512, 4}, Row{8 * kMiB, Kernel::mailbox, 256, 4, 2},
    Row{kAnySize, Kernel::mailbox, 256, 4, 4},
};

inline std::span<const Row> rows_for(Dtype dtype, int compute_capability) {
  if (compute_capability != 90) return kAnywhere;
  switch (size_bytes(dtype)) {
    case 8:
      return kEightBytesOnSm90;
    case 4:
      return kFourBytesOnSm90;
    default:
      return kTwoBytesOnSm90;
  }
}

inline const Row& row_for(Dtype dtype, std::uint64_t n, int compute_capability) {
  const Row* row = rows_for(dtype, compute_capability).data();
  while (n * size_bytes(dtype) > row->up_to_bytes) ++row;
  return *row;
}

}  // namespace rooflinectl::kernels::best
