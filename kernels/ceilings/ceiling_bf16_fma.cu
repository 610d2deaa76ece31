// SPDX-License-Identifier: Apache-2.0
//
// bf16_fma: how fast the SMs can multiply and add in bf16, two values packed in a register, outside the
// Tensor Cores.
//
// - Idea: independent chains of packed multiply-adds in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: four operations per packed multiply-add.
// - Minimum sm: 8.0.
#include <cuda_bf16.h>

#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_bf16_fma {

namespace {

/// The two halves of an operand differ: if the compiler knew that they are the same, it would choose a form
/// that only one of Hopper's two pipes takes, at half the rate.
__global__ void ceiling_bf16_fma(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  const float addend = compute::bounded_addend(threadIdx.x);
  const __nv_bfloat162 addends = __floats2bfloat162_rn(addend, 0.5F * addend);
  compute::run_chains<__nv_bfloat162>(
      d_sink,
      [](int chain) {
        return __floats2bfloat162_rn(compute::bounded_start(chain), 0.5F * compute::bounded_start(chain));
      },
      [=](__nv_bfloat162 values) { return __hfma2(values, values, addends); });
#endif
}

CeilingBenchmark benchmark() {
  CeilingBenchmark result = compute::benchmark<ceiling_bf16_fma, 4>(
      "bf16", "fma", counter::kHfma, {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"});
  result.minimum_sm = 80;
  return result;
}

const CeilingRegistration registration(benchmark());

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_bf16_fma
