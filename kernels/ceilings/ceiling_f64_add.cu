// SPDX-License-Identifier: Apache-2.0
//
// f64_add: how fast the SMs can add in f64, outside the Tensor Cores.
//
// - Idea: independent chains of additions in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: one operation per addition.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_f64_add {

namespace {

/// The addend differs per thread, so it lives in a register. `__dadd_rn` is never fused into a multiply-add.
__global__ void ceiling_f64_add(void* d_sink) {
  const double addend = 0x1p-12 * (threadIdx.x + 1);
  compute::run_chains<double>(
      d_sink, [](int chain) { return static_cast<double>(chain); },
      [=](double value) { return __dadd_rn(value, addend); });
}

const CeilingRegistration registration(compute::benchmark<ceiling_f64_add, 1>(
    "f64", "add", counter::kDadd, {"sm__sass_thread_inst_executed_op_dadd_pred_on.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f64_add
