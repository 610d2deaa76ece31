// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/ceiling.h"

/// What the benchmarks of caches and shared memory share.
namespace rooflinectl::kernels::cache {

/// Adds up what was loaded, so that no load can be dropped.
__device__ inline float total(const float4& value) {
  return value.x + value.y + value.z + value.w;
}

/// How often each thread goes over its accesses.
inline constexpr int kRepeats = 512;
/// Independent 16-byte accesses of a thread.
inline constexpr int kAccesses = 4;

/// The accesses of a thread within the tile of its block, of `blockDim.x` (at least 256) 16-byte elements:
/// they change from one repetition to the next, or else the compiler would load them once. Consecutive
/// threads access consecutive elements.
class TileAccesses {
 public:
  __device__ explicit TileAccesses(std::uint32_t thread) : first_(thread) {}

  __device__ std::uint32_t operator[](int access) const {
    return first_ ^ (static_cast<std::uint32_t>(access) * 64);
  }
  __device__ void next() { first_ ^= 32; }

 private:
  std::uint32_t first_;
};

inline double bytes_per_launch(int grid, int block) {
  return static_cast<double>(grid) * block * kRepeats * kAccesses * sizeof(float4);
}

/// How often the accesses of all threads fit, side by side, into a third of L2: that much is streamed over
/// and over. A third fits even where L2 keeps lines in two places. No two blocks access the same tile: Hopper
/// would merge what they read at about the same time.
inline int l2_waves(const CeilingBuffers& buffers, int grid, int block) {
  const std::size_t wave_bytes =
      static_cast<std::size_t>(grid) * static_cast<std::size_t>(block) * kAccesses * sizeof(float4);
  return static_cast<int>(std::max<std::size_t>(1, buffers.l2_bytes / 3 / wave_bytes));
}

/// Calls `access(first)` kRepeats times, each for the next of `waves` tiles of this block: the thread's
/// accesses in it are those at first, first + blockDim.x and so on, kAccesses in all.
template <typename Access>
__device__ void for_each_l2_tile(int waves, const Access& access) {
  const std::uint32_t tile = blockDim.x * kAccesses;
  const std::uint32_t home = blockIdx.x * tile + threadIdx.x;
  int wave = 0;
#pragma unroll 4
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    access(home + static_cast<std::uint32_t>(wave) * gridDim.x * tile);
    wave = wave + 1 == waves ? 0 : wave + 1;
  }
}

/// In theory, L1 and shared memory, which are one memory, deliver as many wavefronts as its data pipe
/// completes.
inline CeilingPeak wavefront_peak() {
  constexpr double kWavefrontBytes = 128;
  return {.metrics = {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained"}, .factor = kWavefrontBytes};
}

inline std::vector<CeilingShape> shapes() {
  return {{.blocks_per_sm = 1, .block = 1024},
          {.blocks_per_sm = 2, .block = 1024},
          {.blocks_per_sm = 4, .block = 256},
          {.blocks_per_sm = 4, .block = 512}};
}

/// Those for L2: also with many blocks, a few of which are resident at a time. The SMs do not reach L2 at the
/// same rate, since some share their way to it with more others; with as much to do for each, the slowest
/// would decide.
inline std::vector<CeilingShape> l2_shapes() {
  std::vector<CeilingShape> all = shapes();
  all.push_back({.blocks_per_sm = 32, .block = 512});
  return all;
}

}  // namespace rooflinectl::kernels::cache
