// SPDX-License-Identifier: Apache-2.0
//
// l1_read: how fast each SM can read its L1.
//
// - Idea: each block reads a tile of its own over and over; those of one SM fit its L1 together.
// - Launch shape: several tried, with 16 to 32 KiB per SM; see `cache::shapes()`.
// - Amount: the bytes that the threads ask for.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_l1_read {

namespace {

using cache::kAccesses;

__global__ void ceiling_l1_read(const float4* d_source, float* d_target) {
  const float4* const tile = d_source + blockIdx.x * blockDim.x;
  float sum = 0.0F;
  cache::TileAccesses at(threadIdx.x);
#pragma unroll 1
  for (int repeat = 0; repeat < cache::kRepeats; ++repeat, at.next()) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "l"(tile + at[k]));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += cache::total(values[k]);
  }
  if (sum == -INFINITY) *d_target = sum;
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_l1_read<<<grid, block, 0, stream>>>(static_cast<const float4*>(buffers.d_source),
                                              static_cast<float*>(buffers.d_target));
  check_launch("ceiling_l1_read");
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return cache::bytes_per_launch(grid, block);
}

const CeilingRegistration registration({.id = "l1_read",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "l1",
                                        .operation = "read",
                                        .peak = cache::wavefront_peak(),
                                        .shapes = cache::shapes(),
                                        .count = {{counter::kL1Bytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_l1_read
