// SPDX-License-Identifier: Apache-2.0
//
// Known bf16 operations: additions, multiplications and multiply-adds of two values packed in a register.
// Additions and multiplications have instructions of their own from sm_90 on, multiply-adds from sm_80 on;
// before that the kernels are empty and not launched. Why both halves of an operand are the same:
// `f16_operations.cu`.
#include "core/counters/counters.h"
#include "kernels/known_work/operations.cuh"

namespace rooflinectl::kernels::bf16_operations {

namespace {

__global__ void known_bf16_add([[maybe_unused]] void* d_sink, [[maybe_unused]] bool executes) {
#if __CUDA_ARCH__ >= 900
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .b32 both; mov.b32 {low, high}, %1; mov.b32 both, {low, low};"
        "  add.rn.bf16x2 %0, %0, both; }"
        : "+r"(value)
        : "r"(operand));
  });
#endif
}

__global__ void known_bf16_mul([[maybe_unused]] void* d_sink, [[maybe_unused]] bool executes) {
#if __CUDA_ARCH__ >= 900
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .b32 both; mov.b32 {low, high}, %1; mov.b32 both, {low, low};"
        "  mul.rn.bf16x2 %0, %0, both; }"
        : "+r"(value)
        : "r"(operand));
  });
#endif
}

__global__ void known_bf16_fma([[maybe_unused]] void* d_sink, [[maybe_unused]] bool executes) {
#if __CUDA_ARCH__ >= 800
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(value) : "r"(operand));
  });
#endif
}

const KnownWorkRegistration registration({
    operations::known_work<known_bf16_add, counter::kHadd>("bf16_add", 90),
    operations::known_work<known_bf16_mul, counter::kHmul>("bf16_mul", 90),
    operations::known_work<known_bf16_fma, counter::kHfma>("bf16_fma", 80),
});

}  // namespace

}  // namespace rooflinectl::kernels::bf16_operations
