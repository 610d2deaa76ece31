// SPDX-License-Identifier: Apache-2.0
//
// <type>_add, <type>_fma: how fast the SMs can add, or multiply and add, outside the Tensor Cores. f32_add is
// the compute ceiling of a sum, which has nothing to multiply.
//
// - Idea: independent chains of the instruction in registers; f16 and bf16: two values packed in a register;
//   i32_add: three-operand additions, into which the compiler also turns a sum of integers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: one operation per addition, two per multiply-add or three-operand addition, four per packed
//   multiply-add.
// - Minimum sm: 7.5; bf16: 8.0.
// - Integers have no theoretical peak: CUPTI only has the rate of all kinds of integer instructions, which
//   share two pipes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::compute {

namespace {

// The halves of a packed operand differ: if the compiler knew that they are the same, it would choose a form
// that only one of Hopper's two pipes takes, at half the rate.

__global__ void ceiling_bf16_fma(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  const float addend = bounded_addend(threadIdx.x);
  const __nv_bfloat162 addends = __floats2bfloat162_rn(addend, 0.5F * addend);
  run_chains<__nv_bfloat162>(
      d_sink,
      [](int chain) { return __floats2bfloat162_rn(bounded_start(chain), 0.5F * bounded_start(chain)); },
      [=](__nv_bfloat162 values) { return __hfma2(values, values, addends); });
#endif
}

const CeilingRegistration bf16_fma([] {
  CeilingBenchmark result = benchmark<ceiling_bf16_fma, 4>(
      "bf16", "fma", counter::kHfma, {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"});
  result.minimum_sm = 80;
  return result;
}());

__global__ void ceiling_f16_fma(void* d_sink) {
  const float addend = bounded_addend(threadIdx.x);
  const __half2 addends = __floats2half2_rn(addend, 0.5F * addend);
  run_chains<__half2>(
      d_sink, [](int chain) { return __floats2half2_rn(bounded_start(chain), 0.5F * bounded_start(chain)); },
      [=](__half2 values) { return __hfma2(values, values, addends); });
}

const CeilingRegistration f16_fma(benchmark<ceiling_f16_fma, 4>(
    "f16", "fma", counter::kHfma, {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"}));

// Addends differ per thread, so they live in a register. `__fadd_rn` and `__dadd_rn` are never fused into a
// multiply-add.

__global__ void ceiling_f32_add(void* d_sink) {
  const float addend = 0x1p-12 * (threadIdx.x + 1);
  run_chains<float>(
      d_sink, [](int chain) { return static_cast<float>(chain); },
      [=](float value) { return __fadd_rn(value, addend); });
}

const CeilingRegistration f32_add(benchmark<ceiling_f32_add, 1>(
    "f32", "add", counter::kFadd, {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum.peak_sustained"}));

__global__ void ceiling_f64_add(void* d_sink) {
  const double addend = 0x1p-12 * (threadIdx.x + 1);
  run_chains<double>(
      d_sink, [](int chain) { return static_cast<double>(chain); },
      [=](double value) { return __dadd_rn(value, addend); });
}

const CeilingRegistration f64_add(benchmark<ceiling_f64_add, 1>(
    "f64", "add", counter::kDadd, {"sm__sass_thread_inst_executed_op_dadd_pred_on.sum.peak_sustained"}));

__global__ void ceiling_f32_fma(void* d_sink) {
  const float addend = bounded_addend(threadIdx.x);
  run_chains<float>(
      d_sink, [](int chain) { return static_cast<float>(bounded_start(chain)); },
      [=](float value) { return fmaf(value, value, addend); });
}

const CeilingRegistration f32_fma(benchmark<ceiling_f32_fma, 2>(
    "f32", "fma", counter::kFfma, {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"}));

__global__ void ceiling_f64_fma(void* d_sink) {
  const double addend = bounded_addend(threadIdx.x);
  run_chains<double>(
      d_sink, [](int chain) { return static_cast<double>(bounded_start(chain)); },
      [=](double value) { return fma(value, value, addend); });
}

const CeilingRegistration f64_fma(benchmark<ceiling_f64_fma, 2>(
    "f64", "fma", counter::kDfma, {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"}));

/// Both addends differ per thread. Written in PTX, since the compiler would fold a chain of additions of a
/// constant into a multiplication.
__global__ void ceiling_i32_add(void* d_sink) {
  const int first = static_cast<int>(threadIdx.x) + 1;
  const int second = static_cast<int>(threadIdx.x) * 3 + 1;
  run_chains<int>(
      d_sink, [](int chain) { return chain; },
      [=](int value) {
        asm volatile("{ .reg .s32 t; add.s32 t, %0, %1; add.s32 %0, t, %2; }"
                     : "+r"(value)
                     : "r"(first), "r"(second));
        return value;
      });
}

const CeilingRegistration i32_add(benchmark<ceiling_i32_add, 2>("i32", "add", counter::kIntegerOps, {}));

__global__ void ceiling_i32_fma(void* d_sink) {
  const int addend = static_cast<int>(threadIdx.x) + 1;
  run_chains<int>(
      d_sink, [](int chain) { return chain; },
      [=](int value) {
        asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(value) : "r"(addend));
        return value;
      });
}

const CeilingRegistration i32_fma(benchmark<ceiling_i32_fma, 2>("i32", "fma", counter::kIntegerOps, {}));

}  // namespace

}  // namespace rooflinectl::kernels::compute
