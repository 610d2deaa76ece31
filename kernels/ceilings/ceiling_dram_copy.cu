// SPDX-License-Identifier: Apache-2.0
//
// dram_copy: how fast the SMs can read and write DRAM at once.
//
// - Idea: copy the source to the target once, 16 bytes per access.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes of source and target together.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_dram_copy {

namespace {

/// One is enough, and on an H200 better than more: the many resident blocks keep reads in flight.
constexpr int kAccesses = 1;

__global__ void ceiling_dram_copy(const float4* d_source, float4* d_target, std::uint64_t accesses) {
  dram::for_each_tile<kAccesses>(accesses, [&](std::uint64_t first) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) values[k] = __ldcs(d_source + first + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) __stcs(d_target + first + k * blockDim.x, values[k]);
  });
}

double amount(const CeilingBuffers& buffers, int /*grid*/, int /*block*/) {
  return 2 * static_cast<double>(buffers.bytes);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_dram_copy<<<dram::grid(buffers, grid, block, kAccesses), block, 0, stream>>>(
      static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target),
      dram::accesses(buffers));
  check_launch("ceiling_dram_copy");
}

const CeilingRegistration registration({.id = "dram_copy",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "dram",
                                        .operation = "copy",
                                        .shapes = dram::shapes(),
                                        .count = {{counter::kDramReadBytes, counter::kDramWriteBytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_copy
