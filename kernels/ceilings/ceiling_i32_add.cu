// SPDX-License-Identifier: Apache-2.0
//
// i32_add: how fast the SMs can add 32-bit integers.
//
// - Idea: independent chains of three-operand additions, into which the compiler also turns a sum of
//   integers.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per three-operand addition.
// - No theoretical peak: CUPTI only has the rate of all kinds of integer instructions, which share two pipes.
// - Minimum sm: 7.5.
#include "core/counters/counters.h"
#include "kernels/ceilings/compute.cuh"

namespace rooflinectl::kernels::ceiling_i32_add {

namespace {

/// Both addends differ per thread, so they live in registers. Written in PTX, since the compiler would fold a
/// chain of additions of a constant into a multiplication.
__global__ void ceiling_i32_add(void* d_sink) {
  const int first = static_cast<int>(threadIdx.x) + 1;
  const int second = static_cast<int>(threadIdx.x) * 3 + 1;
  compute::run_chains<int>(
      d_sink, [](int chain) { return chain; },
      [=](int value) {
        asm volatile("{ .reg .s32 t; add.s32 t, %0, %1; add.s32 %0, t, %2; }"
                     : "+r"(value)
                     : "r"(first), "r"(second));
        return value;
      });
}

const CeilingRegistration registration(compute::benchmark<ceiling_i32_add, 2>("i32", "add",
                                                                              counter::kIntegerOps, {}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_i32_add
