// SPDX-License-Identifier: Apache-2.0
//
// f64_fma: how fast the SMs can multiply and add in f64, outside the Tensor Cores.
//
// - Idea: independent chains of multiply-adds in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per multiply-add.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_f64_fma {

namespace {

__global__ void ceiling_f64_fma(void* d_sink) {
  const double addend = compute::bounded_addend(threadIdx.x);
  compute::run_chains<double>(
      d_sink, [](int chain) { return static_cast<double>(compute::bounded_start(chain)); },
      [=](double value) { return fma(value, value, addend); });
}

const CeilingRegistration registration(compute::benchmark<ceiling_f64_fma, 2>(
    "f64", "fma", counter::kDfma, {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f64_fma
