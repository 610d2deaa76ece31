// SPDX-License-Identifier: Apache-2.0
//
// f16_tensor: how fast the Tensor Cores multiply and add f16 into f32.
//
// - Idea: a large matrix product of cuBLASLt where that library is installed, else chains of `mma.sync`.
// - Launch shape: 16 to 64 warps per SM; that of a matrix product is the library's.
// - Amount: two operations per multiply-add.
// - Minimum sm: 8.0.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::ceiling_f16_tensor {

namespace {

__global__ void ceiling_f16_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  tensor::run<float>(d_sink, 0x3C003C00U,
                     [](float(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
                       asm volatile(
                           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                           "%7}, {%8, %9}, {%0, %1, %2, %3};"
                           : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                           : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
                     });
#endif
}

const CeilingRegistration registration(tensor::benchmark<ceiling_f16_tensor, 2>(
    "f16", MatrixType::f16, 80, counter::kTensorF16Ops,
    {"sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum.peak_sustained",
     "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f16_tensor
