// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/ceiling.h"

/// How the DRAM benchmarks walk through their buffers: in tiles, one block per tile at a time, 16 bytes per
/// access, a few independent accesses per thread.
namespace rooflinectl::kernels::dram {

/// From resident blocks that walk through many tiles each to one block per tile.
inline std::vector<CeilingShape> shapes() {
  return {{.blocks_per_sm = 4, .block = 512},
          {.blocks_per_sm = 8, .block = 256},
          {.blocks_per_sm = 32, .block = 256},
          {.blocks_per_sm = 512, .block = 512},
          {.blocks_per_sm = kOneBlockPerTile, .block = 256},
          {.blocks_per_sm = kOneBlockPerTile, .block = 512}};
}

/// Number of 16-byte accesses that cover `buffers.bytes`.
inline std::uint64_t accesses(const CeilingBuffers& buffers) {
  return buffers.bytes / sizeof(float4);
}

/// Source and target as one source of twice the size.
inline CeilingBuffers joined(CeilingBuffers buffers) {
  buffers.bytes *= 2;
  return buffers;
}

/// The grid to launch: no more blocks than there are tiles of `accesses_per_thread` accesses.
inline unsigned blocks(const CeilingBuffers& buffers, int grid, int block, int accesses_per_thread) {
  const std::uint64_t tile =
      static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(accesses_per_thread);
  const std::uint64_t tiles = (accesses(buffers) + tile - 1) / tile;
  if (grid == kOneBlockPerTile) return static_cast<unsigned>(tiles);
  return static_cast<unsigned>(std::min<std::uint64_t>(tiles, static_cast<std::uint64_t>(grid)));
}

/// Calls `access(first)` for each tile of this block: the thread's accesses in it are those at first,
/// first + blockDim.x, first + 2 * blockDim.x and so on, `kAccesses` in all. There are whole tiles only: a
/// tile is at most 64 KiB, with a block that is a power of two, and buffers are a multiple of 1 MiB.
template <int kAccesses, typename Access>
__device__ void for_each_tile(std::uint64_t accesses, const Access& access) {
  const std::uint64_t tile = std::uint64_t{blockDim.x} * kAccesses;
  for (std::uint64_t begin = blockIdx.x * tile; begin < accesses; begin += gridDim.x * tile) {
    access(begin + threadIdx.x);
  }
}

}  // namespace rooflinectl::kernels::dram
