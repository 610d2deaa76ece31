// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

/// How fast the SMs can read and write DRAM at once, where they do not write as much as they read: one stream
/// is read, another written, 16 bytes per access. In each tile, a thread reads `kReads` times and writes
/// `kWrites` times. A buffer that is shorter than the other's multiple is used in part.
namespace rooflinectl::kernels::dram_mix {

template <int kReads, int kWrites>
std::uint64_t tiles(const CeilingBuffers& buffers, int block) {
  return dram::accesses(buffers) / (static_cast<std::uint64_t>(block) * std::max(kReads, kWrites));
}

template <int kReads, int kWrites>
__global__ void ceiling_dram_mix(const float4* d_source, float4* d_target, std::uint64_t tiles) {
  for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const float4* const d_read = d_source + tile * blockDim.x * kReads + threadIdx.x;
    float4* const d_written = d_target + tile * blockDim.x * kWrites + threadIdx.x;
    float4 values[kReads];
#pragma unroll
    for (int k = 0; k < kReads; ++k) values[k] = __ldcs(d_read + k * blockDim.x);
    float4 sum = values[0];
#pragma unroll
    for (int k = 1; k < kReads; ++k) {
      sum = make_float4(sum.x + values[k].x, sum.y + values[k].y, sum.z + values[k].z, sum.w + values[k].w);
    }
#pragma unroll
    for (int k = 0; k < kWrites; ++k) __stcs(d_written + k * blockDim.x, sum);
  }
}

template <int kReads, int kWrites>
double amount(const CeilingBuffers& buffers, int /*grid*/, int block) {
  return static_cast<double>(tiles<kReads, kWrites>(buffers, block)) * block * (kReads + kWrites) *
         sizeof(float4);
}

template <int kReads, int kWrites>
void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  const std::uint64_t all = tiles<kReads, kWrites>(buffers, block);
  const std::uint64_t blocks = grid == kOneBlockPerTile ? all : std::min<std::uint64_t>(all, grid);
  ceiling_dram_mix<kReads, kWrites><<<static_cast<unsigned>(blocks), block, 0, stream>>>(
      static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target), all);
  check_launch("ceiling_dram_mix");
}

/// `id`: `dram_mix_` and the percentage of the bytes that are written.
template <int kReads, int kWrites>
CeilingBenchmark benchmark(std::string id) {
  return {.id = std::move(id),
          .kind = CeilingKind::bandwidth,
          .subject = "dram",
          .operation = "mix",
          .shapes = dram::shapes(),
          .count = {{counter::kDramReadBytes, counter::kDramWriteBytes}},
          .amount = amount<kReads, kWrites>,
          .launch = launch<kReads, kWrites>};
}

}  // namespace rooflinectl::kernels::dram_mix
