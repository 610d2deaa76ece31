// SPDX-License-Identifier: Apache-2.0
//
// Known integer operations: three-operand additions and multiply-adds. Two-operand additions would be merged
// with their neighbours into three-operand ones.
#include "core/counters/counters.h"
#include "kernels/known_work/operations.cuh"

namespace rooflinectl::kernels::i32_operations {

namespace {

__global__ void known_i32_add(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("{ .reg .u32 sum; add.u32 sum, %0, %1; add.u32 %0, sum, %0; }" : "+r"(value) : "r"(operand));
  });
}

__global__ void known_i32_fma(void* d_sink, bool executes) {
  operations::execute_if<unsigned>(executes, d_sink, [](unsigned& value, unsigned operand) {
    asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(operand));
  });
}

const KnownWorkRegistration registration({
    operations::known_work<known_i32_add, counter::kIntegerOps>("i32_add"),
    operations::known_work<known_i32_fma, counter::kIntegerOps>("i32_fma"),
});

}  // namespace

}  // namespace rooflinectl::kernels::i32_operations
