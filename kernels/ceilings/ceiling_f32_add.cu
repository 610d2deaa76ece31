// SPDX-License-Identifier: Apache-2.0
//
// f32_add: how fast the SMs can add in f32, the compute ceiling of a sum, which has nothing to multiply.
//
// - Idea: independent chains of additions in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: one operation per addition.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_f32_add {

namespace {

/// The addend differs per thread, so it lives in a register. `__fadd_rn` is never fused into a multiply-add.
__global__ void ceiling_f32_add(void* d_sink) {
  const float addend = 0x1p-12 * (threadIdx.x + 1);
  compute::run_chains<float>(
      d_sink, [](int chain) { return static_cast<float>(chain); },
      [=](float value) { return __fadd_rn(value, addend); });
}

const CeilingRegistration registration(compute::benchmark<ceiling_f32_add, 1>(
    "f32", "add", counter::kFadd, {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f32_add
