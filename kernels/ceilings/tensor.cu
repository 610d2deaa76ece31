// SPDX-License-Identifier: Apache-2.0
//
// <type>_tensor: how fast the Tensor Cores multiply and add. f16, bf16, tf32 (f32 rounded to 10 bits of
// mantissa) and f8 (e4m3) are added in f32, i8 in 32-bit integers. f16_tensor_f16: f16 added in f16; on
// GeForce GPUs, twice as fast as in f32.
//
// - Idea: a large matrix product of cuBLASLt where that library is installed, else chains of `mma.sync`.
// - Launch shape: 16 to 64 warps per SM; that of a matrix product is the library's.
// - Amount: two operations per multiply-add.
// - Minimum sm: 8.0; f8: 8.9.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::tensor {

namespace {

// One product of the registers a and b, added to the registers c. `constraint`: what asm calls those.
#define ROOFLINECTL_MMA(instruction, constraint)                                        \
  asm volatile("mma.sync.aligned." instruction                                          \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
               : constraint(c[0]), constraint(c[1]), constraint(c[2]), constraint(c[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__global__ void ceiling_bf16_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  run<float>(d_sink, 0x3F803F80U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "+f");
  });
#endif
}

const CeilingRegistration bf16_tensor(benchmark<ceiling_bf16_tensor, 2>(
    "bf16", MatrixType::bf16, 80, counter::kTensorBf16Ops,
    {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained",
     "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained"}));

__global__ void ceiling_f16_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  run<float>(d_sink, 0x3C003C00U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_MMA("m16n8k16.row.col.f32.f16.f16.f32", "+f");
  });
#endif
}

const CeilingRegistration f16_tensor(benchmark<ceiling_f16_tensor, 2>(
    "f16", MatrixType::f16, 80, counter::kTensorF16Ops,
    {"sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum.peak_sustained",
     "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained"}));

__global__ void ceiling_f16_tensor_f16(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  // Two accumulators to a register: half of them are not used.
  run<std::uint32_t>(
      d_sink, 0x3C003C00U, [](std::uint32_t(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, "
            "%1};"
            : "+r"(c[0]), "+r"(c[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      });
#endif
}

/// CUPTI has no peak of it for all chips.
const CeilingRegistration f16_tensor_f16([] {
  CeilingBenchmark result = benchmark<ceiling_f16_tensor_f16, 2>("f16", MatrixType::f16_sums_in_f16, 80,
                                                                 counter::kTensorF16Ops, {});
  result.id = "f16_tensor_f16";
  return result;
}());

__global__ void ceiling_tf32_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  run<float>(d_sink, 0x3F800000U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "+f");
  });
#endif
}

const CeilingRegistration tf32_tensor(benchmark<ceiling_tf32_tensor, 4>(
    "tf32", MatrixType::tf32, 80, counter::kTensorTf32Ops,
    {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained",
     "sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained"}));

__global__ void ceiling_f8_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 890
  run<float>(d_sink, 0x38383838U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f");
  });
#endif
}

const CeilingRegistration f8_tensor(
    benchmark<ceiling_f8_tensor, 1>("f8", MatrixType::f8, 89, counter::kTensorF8Ops,
                                    {"sm__ops_path_tensor_src_fp8_sparsity_off.sum.peak_sustained"}));

__global__ void ceiling_i8_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  run<int>(d_sink, 0x01010101U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_MMA("m16n8k32.row.col.s32.s8.s8.s32", "+r");
  });
#endif
}

const CeilingRegistration i8_tensor(
    benchmark<ceiling_i8_tensor, 1>("i8", MatrixType::i8, 80, counter::kTensorI8Ops,
                                    {"sm__ops_path_tensor_op_igmma_src_int8_sparsity_off.sum.peak_sustained",
                                     "sm__ops_path_tensor_src_int8_sparsity_off.sum.peak_sustained"}));

/// One in f64 takes two registers, which hold the same here: 1.0000002.
constexpr std::uint32_t kHalfOfOne = 0x3FF00000U;

#if __CUDA_ARCH__ >= 800
__device__ double from_registers(std::uint32_t low, std::uint32_t high) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}
#endif

__global__ void ceiling_f64_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 900
  run<double>(d_sink, kHalfOfOne, [](double(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, "
        "{%6}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(from_registers(a[0], a[1])), "d"(from_registers(a[2], a[3])), "d"(from_registers(b[0], b[1])));
  });
#elif __CUDA_ARCH__ >= 800
  // Half as high: it takes two.
  run<double>(d_sink, kHalfOfOne, [](double(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
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

const CeilingRegistration f64_tensor([] {
  CeilingBenchmark result =
      benchmark<ceiling_f64_tensor, 8>("f64", MatrixType::f64, 80, counter::kTensorF64Ops,
                                       {"sm__ops_path_tensor_src_fp64.sum.peak_sustained"});
  // The accumulators are 64 registers, and nvcc 13.0 takes 154 in all: larger blocks cannot be launched.
  std::erase_if(result.shapes, [](const CeilingShape& shape) { return shape.block > 256; });
  return result;
}());

}  // namespace

}  // namespace rooflinectl::kernels::tensor
