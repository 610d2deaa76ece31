// SPDX-License-Identifier: Apache-2.0
//
// dram_write: how fast the SMs can write DRAM.
//
// - Idea: overwrite the target once, 16 bytes per access, in whole lines.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes of the target. What the last launch left in L2 is written back during the next, so
//   launches must follow each other with nothing in between that would empty L2.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_dram_write {

namespace {

constexpr int kAccesses = 4;

__global__ void ceiling_dram_write(float4* d_target, std::uint64_t accesses) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  dram::for_each_tile<kAccesses>(accesses, [&](std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) __stcs(d_target + first + k * blockDim.x, value);
  });
}

double amount(const CeilingBuffers& buffers, int /*grid*/, int /*block*/) {
  return static_cast<double>(buffers.bytes);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_dram_write<<<dram::grid(buffers, grid, block, kAccesses), block, 0, stream>>>(
      static_cast<float4*>(buffers.d_target), dram::accesses(buffers));
  check_launch("ceiling_dram_write");
}

const CeilingRegistration registration({.id = "dram_write",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "dram",
                                        .operation = "write",
                                        .shapes = dram::shapes(),
                                        .count = {{counter::kDramWriteBytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_write
