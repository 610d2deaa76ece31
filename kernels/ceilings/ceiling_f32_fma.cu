// SPDX-License-Identifier: Apache-2.0
//
// f32_fma: how fast the SMs can multiply and add in f32.
//
// - Idea: each thread runs eight independent chains of multiply-adds in registers. A trip round the loop is
// 512
//   instructions, so the loop's own few weigh under 1 %.
// - Launch shape: 16 to 64 warps per SM, in several blocks.
// - Amount: two operations per multiply-add.
// - Minimum sm: 7.5.
#include "kernels/ceilings/compute.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels {

namespace {

/// Values stay near addend / (1 - factor) = 1. Both differ per thread, so they live in registers.
__global__ void ceiling_f32_fma(float* d_target) {
  const float factor = 0.5F + 0x1p-12F * static_cast<float>(threadIdx.x);
  const float addend = 1.0F - factor;
  compute::run_chains(d_target, [=](float value) { return fmaf(value, factor, addend); });
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return 2 * compute::steps_per_launch(grid, block);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_f32_fma<<<grid, block, 0, stream>>>(static_cast<float*>(buffers.d_target));
  check_launch("ceiling_f32_fma");
}

const CeilingRegistration registration({.id = "f32_fma",
                                        .kind = CeilingKind::compute,
                                        .subject = "f32",
                                        .operation = "fma",
                                        .shapes = compute::shapes(),
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels
