// SPDX-License-Identifier: Apache-2.0
//
// f8_tensor_mx, f4_tensor_mx, f4_tensor_nv: how fast the Tensor Cores multiply 8-bit floats (e4m3) or 4-bit
// floats (e2m1) in blocks that share a scale, and add in f32. Compiled, never run.
//
// - Idea: chains of `mma.sync`, of compute capability 12.x; on 10.x, the kernels in `tcgen05.cu`.
// - Launch shape: 16 to 64 warps per SM.
// - Amount: two operations per multiply-add. CUPTI has no peak of it.
// - Compute capability 10.0, 10.3, 12.0 and 12.1.
#include <string>
#include <string_view>

#include "core/counters/counters.h"
#include "kernels/ceilings/tensor.cuh"

namespace rooflinectl::kernels::blackwell {

namespace {

#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ >= 1200
#define ROOFLINECTL_HAS_SCALED_MMA 1
#endif

// One product of the registers a and b, added to c; all scales of A and B are `scale`.
#define ROOFLINECTL_SCALED_MMA(instruction, scale)                                                      \
  asm volatile("{\n.reg .b16 zero;\nmov.b16 zero, 0;\nmma.sync.aligned." instruction                    \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {zero, zero}, " \
               "{%10}, {zero, zero};\n}"                                                                \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                         \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(scale))

/// The registration of a kernel whose products of 16 × 8 × `k` have scales: both families of Blackwell.
template <compute::Kernel& kernel, int k>
CeilingBenchmark benchmark(const std::string& id, const TensorProducts& products, std::string_view counter) {
  CeilingBenchmark result =
      compute::benchmark<kernel, tensor::operations(k)>(id.substr(0, id.find('_')), "tensor", counter, {});
  result.id = id;
  result.count.scale = 1;  // operations are counted, not instructions
  result.minimum_sm = 100;
  result.compute_capabilities = {100, 103, 120, 121};
  result.products = products;
  return result;
}

/// A power of two for each 32 elements (MXFP8).
__global__ void ceiling_f8_tensor_mx(void* d_sink) {
#ifdef ROOFLINECTL_HAS_SCALED_MMA
  tensor::run<float>(d_sink, 0x38383838U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_SCALED_MMA(
        "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0", 0x7F7F7F7FU);
  });
#endif
}

const CeilingRegistration f8_tensor_mx(benchmark<ceiling_f8_tensor_mx, 32>(
    "f8_tensor_mx", {.type = TensorElement::f8, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

/// A power of two for each 32 elements (MXFP4).
__global__ void ceiling_f4_tensor_mx(void* d_sink) {
#ifdef ROOFLINECTL_HAS_SCALED_MMA
  tensor::run<float>(d_sink, 0x22222222U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_SCALED_MMA("kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
                           0x7F7F7F7FU);
  });
#endif
}

const CeilingRegistration f4_tensor_mx(benchmark<ceiling_f4_tensor_mx, 64>(
    "f4_tensor_mx", {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

/// An 8-bit float (ue4m3) for each 16 elements (NVFP4).
__global__ void ceiling_f4_tensor_nv(void* d_sink) {
#ifdef ROOFLINECTL_HAS_SCALED_MMA
  tensor::run<float>(d_sink, 0x22222222U, [](auto& c, const auto& a, const auto& b) {
    ROOFLINECTL_SCALED_MMA(
        "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", 0x38383838U);
  });
#endif
}

const CeilingRegistration f4_tensor_nv(benchmark<ceiling_f4_tensor_nv, 64>(
    "f4_tensor_nv", {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::nv},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::blackwell
