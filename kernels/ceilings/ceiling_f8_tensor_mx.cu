// SPDX-License-Identifier: Apache-2.0
//
// f8_tensor_mx: how fast the Tensor Cores multiply 8-bit floats (e4m3) with a power of two for each 32 of
// them (MXFP8), and add in f32. Compiled, never run.
//
// - Idea: chains of `mma.sync`; on compute capability 10.x, the kernel in `kernels/blackwell`.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per multiply-add. CUPTI has no peak of it.
// - Compute capability 10.0, 10.3, 12.0 and 12.1.
#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::ceiling_f8_tensor_mx {

namespace {

__global__ void ceiling_f8_tensor_mx(void* d_sink) {
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ >= 1200
  tensor::run<
      float>(d_sink, 0x38383838U, [](float(&c)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) {
    asm volatile(
        "{\n.reg .b16 zero;\nmov.b16 zero, 0;\n"
        "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {zero, zero}, "
        "{%10}, {zero, zero};\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0x7F7F7F7FU));
  });
#endif
}

const CeilingRegistration registration(tensor::scaled_benchmark<ceiling_f8_tensor_mx, 32>(
    "f8_tensor_mx", {.type = TensorElement::f8, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f8_tensor_mx
