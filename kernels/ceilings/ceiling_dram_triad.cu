// SPDX-License-Identifier: Apache-2.0
//
// dram_triad: how fast the SMs can read two streams and write a third, as STREAM's triad does.
//
// - Idea: target = first half of the source + factor × second half, 16 bytes per access.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes of the source and half the target.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_dram_triad {

namespace {

constexpr int kAccesses = 1;

__global__ void ceiling_dram_triad(const float4* d_source, float4* d_target, float factor,
                                   std::uint64_t accesses) {
  dram::for_each_tile<kAccesses>(accesses, [&](std::uint64_t i) {
    const float4 a = __ldcs(d_source + i);
    const float4 b = __ldcs(d_source + accesses + i);
    __stcs(d_target + i, make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z),
                                     fmaf(factor, b.w, a.w)));
  });
}

/// The size of each of the three streams: half a multiple of 1 MiB.
CeilingBuffers stream_of(const CeilingBuffers& buffers) {
  CeilingBuffers half = buffers;
  half.bytes /= 2;
  return half;
}

double amount(const CeilingBuffers& buffers, int /*grid*/, int /*block*/) {
  return 1.5 * static_cast<double>(buffers.bytes);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  const CeilingBuffers each = stream_of(buffers);
  ceiling_dram_triad<<<dram::grid(each, grid, block, kAccesses), block, 0, stream>>>(
      static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target), 0.5F,
      dram::accesses(each));
  check_launch("ceiling_dram_triad");
}

const CeilingRegistration registration({.id = "dram_triad",
                                        .kind = CeilingKind::bandwidth,
                                        .subject = "dram",
                                        .operation = "triad",
                                        .shapes = dram::shapes(),
                                        .count = {{counter::kDramReadBytes, counter::kDramWriteBytes}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_triad
