// SPDX-License-Identifier: Apache-2.0
//
// l2_write: how fast the SMs together can write L2.
//
// - Idea: all SMs overwrite the same lines over and over, 16 bytes per access, in whole lines.
// - Launch shape: several tried; see `cache::shapes()`.
// - Amount: the bytes that the threads write. None of them may go to DRAM.
// - Minimum sm: 7.5.
#include "core/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels {

namespace {

using cache::kAccesses;

/// Each thread overwrites the same lines: the smaller the part of L2, the faster, on an H200.
constexpr int kWaves = 1;

__global__ void ceiling_l2_write(float4* d_target, int waves) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  cache::for_each_l2_tile(waves, [&](std::uint32_t first) {
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) __stcg(d_target + first + k * blockDim.x, value);
  });
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_l2_write<<<grid, block, 0, stream>>>(static_cast<float4*>(buffers.d_target), kWaves);
  check_launch("ceiling_l2_write");
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return cache::bytes_per_launch(grid, block);
}

const CeilingRegistration registration({.id = "l2_write",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "l2",
                                        .operation = "write",
                                        .shapes = cache::shapes(),
                                        .count = {{counter::kL2Bytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels
