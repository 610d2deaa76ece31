// SPDX-License-Identifier: Apache-2.0
//
// l2_read: how fast the SMs together can read L2.
//
// - Idea: all SMs stream a third of L2 over and over, past L1, 16 bytes per access.
// - Launch shape: several tried; see `cache::l2_shapes()`.
// - Amount: the bytes that the threads ask for. None of them may come from DRAM.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_l2_read {

namespace {

using cache::kAccesses;

constexpr double kSectorBytes = 32;

__global__ void ceiling_l2_read(const float4* d_source, float* d_target, int waves) {
  float sum = 0.0F;
  cache::for_each_l2_tile(waves, [&](std::uint32_t first) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "l"(d_source + first + k * blockDim.x));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += cache::total(values[k]);
  });
  if (sum == -INFINITY) *d_target = sum;
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_l2_read<<<grid, block, 0, stream>>>(static_cast<const float4*>(buffers.d_source),
                                              static_cast<float*>(buffers.d_target),
                                              cache::l2_waves(buffers, grid, block));
  check_launch("ceiling_l2_read");
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return cache::bytes_per_launch(grid, block);
}

const CeilingRegistration registration(
    {.id = "l2_read",
     .kind = CeilingKind::bandwidth,
     .subject = "l2",
     .operation = "read",
     .peak = CeilingPeak{{"lts__t_sectors_srcunit_tex.sum.peak_sustained"}, kSectorBytes, ClockDomain::l2},
     .shapes = cache::l2_shapes(),
     .count = {{counter::kL2Bytes}},
     .amount = amount,
     .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_l2_read
