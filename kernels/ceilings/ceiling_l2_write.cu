// SPDX-License-Identifier: Apache-2.0
//
// l2_write: how fast the SMs together can write L2.
//
// - Idea: each block overwrites a tile of its own over and over, 16 bytes per access, in whole lines; all
// tiles together
//   are 2 to 4 MiB on an H200. A larger part of L2 is written more slowly.
// - Launch shape: several tried; see `cache::shapes()`.
// - Amount: the bytes that the threads write. None of them may go to DRAM.
// - Minimum sm: 7.5.
#include "core/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels {

namespace {

__global__ void ceiling_l2_write(float4* d_target) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  float4* const tile = d_target + blockIdx.x * blockDim.x;
  cache::TileAccesses at(threadIdx.x);
#pragma unroll 1
  for (int repeat = 0; repeat < cache::kRepeats; ++repeat, at.next()) {
#pragma unroll
    for (int k = 0; k < cache::kAccesses; ++k) __stcg(tile + at[k], value);
  }
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_l2_write<<<grid, block, 0, stream>>>(static_cast<float4*>(buffers.d_target));
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
