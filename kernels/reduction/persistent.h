// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/device_limits.h"
#include "kernels/reduction/sum.h"

/// What the sums share whose grid is as large as the device, and no larger: blocks stay on it and take one
/// tile of packs after another.
namespace rooflinectl::kernels::persistent {

/// Used for both the launch and the error bound, so that the bound follows from what is launched.
struct Shape {
  int block = 0;
  int unroll = 0;  ///< packs of 16 bytes that a thread takes per tile
  int blocks_per_multiprocessor = 0;
};

inline std::uint64_t tiles(const Problem& problem, const Shape& shape) {
  const std::uint64_t packs = problem.n * size_bytes(problem.dtype) / 16;
  const auto tile = static_cast<std::uint64_t>(shape.block * shape.unroll);
  return std::max<std::uint64_t>(1, (packs + tile - 1) / tile);
}

/// One block per tile as far as the device holds them; at least one, since there is a result even without
/// elements.
inline std::uint64_t grid(const Problem& problem, const Shape& shape) {
  const auto most =
      static_cast<std::uint64_t>(shape.blocks_per_multiprocessor * device_limits().multiprocessors);
  return std::min(tiles(problem, shape), most);
}

/// In the thread one addition per pack, then across the pack, the ends of the input, the block, the blocks,
/// and the block that adds those up.
inline std::uint64_t longest_chain(const Problem& problem, const Shape& shape) {
  const std::uint64_t blocks = grid(problem, shape);
  const std::uint64_t tiles_per_block = (tiles(problem, shape) + blocks - 1) / blocks;
  const std::uint64_t totals_per_thread = blocks / static_cast<std::uint64_t>(shape.block) + 1;
  return tiles_per_block * static_cast<std::uint64_t>(shape.unroll) + 1 + 3 + 2 + 10 + totals_per_thread + 10;
}

/// A sum in every type whose shape depends on the block size alone.
template <Shape (*kShape)(int block)>
Variant variant(std::string id, std::string label, std::string title, std::vector<int> block_sizes,
                decltype(Variant::launch) launch) {
  Variant variant = sum::variant(
      std::move(id), std::move(label), std::move(title), std::nullopt,
      [](const Problem& problem) {
        return IndependentLoads{.count = kShape(problem.block_size).unroll, .bytes = 16};
      },
      [](const Problem& problem) { return longest_chain(problem, kShape(problem.block_size)); },
      std::move(launch));
  variant.info.block_sizes = std::move(block_sizes);
  variant.info.default_block_size = variant.info.block_sizes.size() == 1 ? variant.info.block_sizes[0] : 256;
  variant.info.deterministic = true;
  variant.shape = [](const Problem& problem) {
    return LaunchShape{.grid = grid(problem, kShape(problem.block_size)), .block = problem.block_size};
  };
  return variant;
}

}  // namespace rooflinectl::kernels::persistent
