// SPDX-License-Identifier: Apache-2.0
//
// l2_write: how fast the SMs together can write L2.
//
// - Idea: all SMs overwrite a third of L2 over and over, 16 bytes per access, in whole lines. Each block
//   moves on with every access: writes of one block to the same lines would be merged before they reach L2.
// - Launch shape: several tried; see `cache::l2_shapes()`.
// - Amount: the bytes that the threads write. None of them may go to DRAM.
// - No theoretical peak: CUPTI has the rate of L2 look-ups, and writes reach about half of that.
// - Minimum sm: 7.5.
#include <bit>

#include "core/counters/counters.h"
#include "kernels/ceilings/cache.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_l2_write {

namespace {

/// 16-byte accesses in the part of L2 that is overwritten: a power of two.
std::uint32_t accesses(const CeilingBuffers& buffers) {
  return static_cast<std::uint32_t>(std::bit_floor(buffers.l2_bytes / 3) / sizeof(float4));
}

__global__ void ceiling_l2_write(float4* d_target, std::uint32_t accesses) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  const std::uint32_t tile = blockDim.x * cache::kAccesses;
  std::uint32_t first = blockIdx.x * tile + threadIdx.x;
#pragma unroll 4
  for (int repeat = 0; repeat < cache::kRepeats; ++repeat, first += gridDim.x * tile) {
#pragma unroll
    for (int k = 0; k < cache::kAccesses; ++k)
      __stcg(d_target + ((first + k * blockDim.x) & (accesses - 1)), value);
  }
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_l2_write<<<grid, block, 0, stream>>>(static_cast<float4*>(buffers.d_target), accesses(buffers));
  check_launch("ceiling_l2_write");
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return cache::bytes_per_launch(grid, block);
}

const CeilingRegistration registration({.id = "l2_write",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "l2",
                                        .operation = "write",
                                        .shapes = cache::l2_shapes(),
                                        .count = {{counter::kL2Bytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_l2_write
