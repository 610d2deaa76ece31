// SPDX-License-Identifier: Apache-2.0
//
// Known f32 operations: additions, multiplications and multiply-adds, one per thread instruction. Written in
// PTX with explicit rounding, which the compiler neither fuses nor reorders.
#include "core/counters/counters.h"
#include "kernels/known_work/operations.cuh"

namespace rooflinectl::kernels::f32_operations {

namespace {

__global__ void known_f32_add(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("{ .reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; add.rn.f32 a, a, b; mov.b32 %0, a; }"
                 : "+r"(value)
                 : "r"(operand));
  });
}

__global__ void known_f32_mul(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("{ .reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; mul.rn.f32 a, a, b; mov.b32 %0, a; }"
                 : "+r"(value)
                 : "r"(operand));
  });
}

__global__ void known_f32_fma(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("{ .reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; fma.rn.f32 a, a, b, b; mov.b32 %0, a; }"
                 : "+r"(value)
                 : "r"(operand));
  });
}

const KnownWorkRegistration registration({
    operations::known_work<known_f32_add, counter::kFadd>("f32_add"),
    operations::known_work<known_f32_mul, counter::kFmul>("f32_mul"),
    operations::known_work<known_f32_fma, counter::kFfma>("f32_fma"),
});

}  // namespace

}  // namespace rooflinectl::kernels::f32_operations
