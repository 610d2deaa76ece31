// SPDX-License-Identifier: Apache-2.0
//
// i32_fma: how fast the SMs can multiply and add 32-bit integers.
//
// - Idea: independent chains of multiply-adds in registers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per multiply-add.
// - No theoretical peak: CUPTI only has the rate of all kinds of integer instructions, which share two pipes.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_i32_fma {

namespace {

__global__ void ceiling_i32_fma(void* d_sink) {
  const int addend = static_cast<int>(threadIdx.x) + 1;
  compute::run_chains<int>(
      d_sink, [](int chain) { return chain; },
      [=](int value) {
        asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(value) : "r"(addend));
        return value;
      });
}

const CeilingRegistration registration(compute::benchmark<ceiling_i32_fma, 2>("i32", "fma",
                                                                              counter::kIntegerOps, {}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_i32_fma
