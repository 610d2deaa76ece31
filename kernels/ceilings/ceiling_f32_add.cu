// SPDX-License-Identifier: Apache-2.0
//
// f32_add: how fast the SMs can add in f32, which is what a sum is held against: it has nothing to multiply.
//
// - Idea: each thread runs eight independent chains of additions in registers. A trip round the loop is 512
//   instructions, so the loop's own few weigh under 1 %.
// - Launch shape: 16 to 64 warps per SM, in several blocks.
// - Amount: one operation per addition.
// - Minimum sm: 7.5.
#include "kernels/ceilings/compute.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels {

namespace {

/// The addend differs per thread, so it lives in a register. `__fadd_rn` is never fused into a multiply-add.
__global__ void ceiling_f32_add(float* d_target) {
  const float addend = 0x1p-12F * static_cast<float>(threadIdx.x + 1);
  compute::run_chains(d_target, [=](float value) { return __fadd_rn(value, addend); });
}

double amount(const CeilingBuffers& /*buffers*/, int grid, int block) {
  return compute::steps_per_launch(grid, block);
}

void launch(const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
  ceiling_f32_add<<<grid, block, 0, stream>>>(static_cast<float*>(buffers.d_target));
  check_launch("ceiling_f32_add");
}

const CeilingRegistration registration({.id = "f32_add",
                                        .kind = CeilingKind::compute,
                                        .subject = "f32",
                                        .operation = "add",
                                        .shapes = compute::shapes(),
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels
