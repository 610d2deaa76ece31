// SPDX-License-Identifier: Apache-2.0
//
// Known f16 operations: additions, multiplications and multiply-adds of two values packed in a register, and
// conversions from f16 to f32, which the hardware executes, and counts, as f16 additions (HADD2.F32).
//
// Both halves of the operand of additions and multiplications are the same: otherwise the compiler for sm_80
// and sm_90 would turn every other one into a multiply-add (HFMA2.MMA), to keep both pipes busy.
#include "core/counters/counters.h"
#include "kernels/known_work/operations.cuh"

namespace rooflinectl::kernels::f16_operations {

namespace {

__global__ void known_f16_add(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .b32 both; mov.b32 {low, high}, %1; mov.b32 both, {low, low};"
        "  add.rn.f16x2 %0, %0, both; }"
        : "+r"(value)
        : "r"(operand));
  });
}

__global__ void known_f16_mul(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .b32 both; mov.b32 {low, high}, %1; mov.b32 both, {low, low};"
        "  mul.rn.f16x2 %0, %0, both; }"
        : "+r"(value)
        : "r"(operand));
  });
}

__global__ void known_f16_fma(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(value) : "r"(operand));
  });
}

/// The low half of the bits of one result is what the next step converts.
__global__ void known_f16_to_f32(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned /*operand*/) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .f32 wide; mov.b32 {low, high}, %0; cvt.f32.f16 wide, low;"
        "  mov.b32 %0, wide; }"
        : "+r"(value));
  });
}

const KnownWorkRegistration registration({
    operations::known_work<known_f16_add, counter::kHadd>("f16_add"),
    operations::known_work<known_f16_mul, counter::kHmul>("f16_mul"),
    operations::known_work<known_f16_fma, counter::kHfma>("f16_fma"),
    operations::known_work<known_f16_to_f32, counter::kHadd>("f16_to_f32"),
});

}  // namespace

}  // namespace rooflinectl::kernels::f16_operations
