// SPDX-License-Identifier: Apache-2.0
//
// dram_read: how fast the SMs can read DRAM.
//
// - Idea: read all memory of the benchmarks once, 16 bytes per access, several independent accesses in flight
//   per thread. The values are combined and compared with one that they never take, so the reads cannot be
//   dropped.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes of source and target, enough that neither what L2 keeps from one launch to the next nor
//   the start and the end of a launch, a few microseconds out of milliseconds, make a difference.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_dram_read {

namespace {

constexpr int kAccesses = 4;

__global__ void ceiling_dram_read(const float4* d_source, float* d_target, std::uint64_t accesses) {
  float sum = 0.0F;
  dram::for_each_tile<kAccesses>(accesses, [&](std::uint64_t first) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) values[k] = __ldcs(d_source + first + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += values[k].x + values[k].y + values[k].z + values[k].w;
  });
  if (sum == -INFINITY) *d_target = sum;
}

double amount(const CeilingBuffers& buffers, int /*grid*/, int /*block*/) {
  return static_cast<double>(dram::joined(buffers).bytes);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  const CeilingBuffers all = dram::joined(buffers);
  ceiling_dram_read<<<dram::grid(all, grid, block, kAccesses), block, 0, stream>>>(
      static_cast<const float4*>(all.d_source), static_cast<float*>(all.d_target), dram::accesses(all));
  check_launch("ceiling_dram_read");
}

const CeilingRegistration registration({.id = "dram_read",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "dram",
                                        .operation = "read",
                                        .cache = CacheState::cold,
                                        .shapes = dram::shapes(),
                                        .count = {{counter::kDramReadBytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_read
