// SPDX-License-Identifier: Apache-2.0
//
// f16_fma: how fast the SMs can multiply and add in f16, two values packed in a register, outside the tensor
// cores.
//
// - Idea: independent chains of packed multiply-adds in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: four operations per packed multiply-add.
// - Minimum sm: 7.5.
#include <cuda_fp16.h>

#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_f16_fma {

namespace {

/// The two halves of an operand differ: if the compiler knew that they are the same, it would choose a form
/// that only one of Hopper's two pipes takes, at half the rate.
__global__ void ceiling_f16_fma(void* d_sink) {
  const float addend = compute::bounded_addend(threadIdx.x);
  const __half2 addends = __floats2half2_rn(addend, 0.5F * addend);
  compute::run_chains<__half2>(
      d_sink,
      [](int chain) {
        return __floats2half2_rn(compute::bounded_start(chain), 0.5F * compute::bounded_start(chain));
      },
      [=](__half2 values) { return __hfma2(values, values, addends); });
}

const CeilingRegistration registration(compute::benchmark<ceiling_f16_fma, 4>(
    "f16", "fma", counter::kHfma, {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f16_fma
