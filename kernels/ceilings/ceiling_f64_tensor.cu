// SPDX-License-Identifier: Apache-2.0
//
// f64_tensor: how fast the Tensor Cores multiply and add f64.
//
// - Idea: a large matrix product of cuBLASLt where that library is installed, else chains of `mma.sync`.
// - Launch shape: 16 to 64 warps per SM, in blocks of 256 threads; that of a matrix product is the library's.
// - Amount: two operations per multiply-add.
// - Minimum sm: 8.0.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::ceiling_f64_tensor {

namespace {

/// One in f64 takes two registers, which hold the same here: 1.0000002.
constexpr std::uint32_t kHalfOfOne = 0x3FF00000U;

#if __CUDA_ARCH__ >= 800
__device__ double from_registers(std::uint32_t low, std::uint32_t high) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}
#endif

__global__ void ceiling_f64_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 900
  tensor::run<double>(d_sink, kHalfOfOne,
                      [](double(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
                        asm volatile(
                            "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, "
                            "{%6}, {%0, %1, %2, %3};"
                            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                            : "d"(from_registers(a[0], a[1])), "d"(from_registers(a[2], a[3])),
                              "d"(from_registers(b[0], b[1])));
                      });
#elif __CUDA_ARCH__ >= 800
  // Half as high: it takes two.
  tensor::run<double>(d_sink, kHalfOfOne,
                      [](double(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
                        const double right = from_registers(b[0], b[1]);
#pragma unroll
                        for (int half = 0; half < 2; ++half) {
                          asm volatile(
                              "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, "
                              "%1};"
                              : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                              : "d"(from_registers(a[2 * half], a[2 * half + 1])), "d"(right));
                        }
                      });
#endif
}

CeilingBenchmark benchmark() {
  CeilingBenchmark result =
      tensor::benchmark<ceiling_f64_tensor, 8>("f64", MatrixType::f64, 80, counter::kTensorF64Ops,
                                               {"sm__ops_path_tensor_src_fp64.sum.peak_sustained"});
  // The accumulators are 64 registers, and nvcc 13.0 takes 154 in all: larger blocks cannot be launched.
  std::erase_if(result.shapes, [](const CeilingShape& shape) { return shape.block > 256; });
  return result;
}

const CeilingRegistration registration(benchmark());

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f64_tensor
