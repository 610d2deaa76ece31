// SPDX-License-Identifier: Apache-2.0
//
// f16_tensor_f16: how fast the Tensor Cores multiply f16 and add the products in f16: on GeForce GPUs, twice
// as fast as in f32.
//
// - Idea: a large matrix product of cuBLASLt where that library is installed, else chains of `mma.sync`.
// - Launch shape: 16 to 64 warps per SM; that of a matrix product is the library's.
// - Amount: two operations per multiply-add.
// - Minimum sm: 8.0. CUPTI has no peak of it for all chips.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::ceiling_f16_tensor_f16 {

namespace {

__global__ void ceiling_f16_tensor_f16(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  // Two accumulators to a register: half of them are not used.
  tensor::run<std::uint32_t>(
      d_sink, 0x3C003C00U, [](std::uint32_t(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, "
            "%1};"
            : "+r"(c[0]), "+r"(c[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      });
#endif
}

CeilingBenchmark benchmark() {
  CeilingBenchmark result = tensor::benchmark<ceiling_f16_tensor_f16, 2>("f16", MatrixType::f16_sums_in_f16,
                                                                         80, counter::kTensorF16Ops, {});
  result.id = "f16_tensor_f16";
  return result;
}

const CeilingRegistration registration(benchmark());

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f16_tensor_f16
