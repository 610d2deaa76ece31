// SPDX-License-Identifier: Apache-2.0
//
// shared_read: how fast each SM can read its shared memory.
//
// - Idea: consecutive threads read consecutive 16 bytes over and over, so that no two of the same turn share
//   a bank.
// - Launch shape: several tried; see `cache::shapes()`.
// - Amount: the bytes that the threads ask for, and the 16 that each stores once.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_shared_read {

namespace {

using cache::kAccesses;

__global__ void ceiling_shared_read(float* d_target) {
  __shared__ float4 tile[1024];
  tile[threadIdx.x] = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  __syncthreads();
  float sum = 0.0F;
  cache::TileAccesses at(threadIdx.x);
#pragma unroll 1
  for (int repeat = 0; repeat < cache::kRepeats; ++repeat, at.next()) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile + at[k]));
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "r"(from));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += cache::total(values[k]);
  }
  if (sum == -INFINITY) *d_target = sum;
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_shared_read<<<grid, block, 0, stream>>>(static_cast<float*>(buffers.d_target));
  check_launch("ceiling_shared_read");
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return cache::bytes_per_launch(grid, block);
}

const CeilingRegistration registration({.id = "shared_read",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "shared",
                                        .operation = "read",
                                        .peak = cache::wavefront_peak(),
                                        .shapes = cache::shapes(),
                                        .count = {{counter::kSharedBytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_shared_read
