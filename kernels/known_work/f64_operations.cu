// SPDX-License-Identifier: Apache-2.0
//
// Known f64 operations: additions, multiplications and multiply-adds, one per thread instruction. Written in
// PTX with explicit rounding, which the compiler neither fuses nor reorders.
#include "core/counters/counters.h"
#include "kernels/known_work/operations.cuh"

namespace rooflinectl::kernels::f64_operations {

namespace {

using Word = unsigned long long;

__global__ void known_f64_add(void* d_sink, bool executes) {
  operations::execute_if<Word>(executes, d_sink, [](Word& value, Word operand) {
    asm volatile("{ .reg .f64 a, b; mov.b64 a, %0; mov.b64 b, %1; add.rn.f64 a, a, b; mov.b64 %0, a; }"
                 : "+l"(value)
                 : "l"(operand));
  });
}

__global__ void known_f64_mul(void* d_sink, bool executes) {
  operations::execute_if<Word>(executes, d_sink, [](Word& value, Word operand) {
    asm volatile("{ .reg .f64 a, b; mov.b64 a, %0; mov.b64 b, %1; mul.rn.f64 a, a, b; mov.b64 %0, a; }"
                 : "+l"(value)
                 : "l"(operand));
  });
}

__global__ void known_f64_fma(void* d_sink, bool executes) {
  operations::execute_if<Word>(executes, d_sink, [](Word& value, Word operand) {
    asm volatile("{ .reg .f64 a, b; mov.b64 a, %0; mov.b64 b, %1; fma.rn.f64 a, a, b, b; mov.b64 %0, a; }"
                 : "+l"(value)
                 : "l"(operand));
  });
}

const KnownWorkRegistration registration({
    operations::known_work<known_f64_add, counter::kDadd>("f64_add"),
    operations::known_work<known_f64_mul, counter::kDmul>("f64_mul"),
    operations::known_work<known_f64_fma, counter::kDfma>("f64_fma"),
});

}  // namespace

}  // namespace rooflinectl::kernels::f64_operations
