// SPDX-License-Identifier: Apache-2.0
//
// i8_tensor: how fast the Tensor Cores multiply and add 8-bit integers into 32-bit ones.
//
// - Idea: a large matrix product of cuBLASLt where that library is installed, else chains of `mma.sync`.
// - Launch shape: 16 to 64 warps per SM; that of a matrix product is the library's.
// - Amount: two operations per multiply-add.
// - Minimum sm: 8.0.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::ceiling_i8_tensor {

namespace {

__global__ void ceiling_i8_tensor(void* d_sink) {
#if __CUDA_ARCH__ >= 800
  tensor::run<int>(d_sink, 0x01010101U,
                   [](int(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
                     asm volatile(
                         "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, "
                         "%7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
                   });
#endif
}

const CeilingRegistration registration(tensor::benchmark<ceiling_i8_tensor, 1>(
    "i8", MatrixType::i8, 80, counter::kTensorI8Ops,
    {"sm__ops_path_tensor_op_igmma_src_int8_sparsity_off.sum.peak_sustained",
     "sm__ops_path_tensor_src_int8_sparsity_off.sum.peak_sustained"}));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_i8_tensor
