// SPDX-License-Identifier: Apache-2.0
//
// f32_fma: how fast the SMs can multiply and add in f32.
//
// - Idea: independent chains of multiply-adds in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per multiply-add.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_f32_fma {

namespace {

__global__ void ceiling_f32_fma(void* d_sink) {
  const float addend = compute::bounded_addend(threadIdx.x);
  compute::run_chains<float>(
      d_sink, [](int chain) { return static_cast<float>(compute::bounded_start(chain)); },
      [=](float value) { return fmaf(value, value, addend); });
}

const CeilingRegistration registration(compute::benchmark<ceiling_f32_fma, 2>(
    "f32", "fma", counter::kFfma, {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f32_fma
