// SPDX-License-Identifier: Apache-2.0
//
// <type>_tcgen05: in place of the kernel of <type>_tensor, on GPUs with `tcgen05.mma`: how fast it
// multiplies, and adds in f32. Compiled, never run.
#include <string>
#include <string_view>

#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05.cuh"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::tcgen05 {

namespace {

/// The registration of a kernel made of `run`, one block per SM: it takes all of the tensor memory. It
/// measures the ceiling `stands_for` in place of its own kernel.
template <void (&kernel)(void*), Kind kind>
CeilingBenchmark benchmark(const std::string& id, const std::string& stands_for,
                           const TensorProducts& products, std::string_view counter) {
  CeilingBenchmark result;
  result.id = id;
  result.stands_for = stands_for;
  result.kind = CeilingKind::compute;
  result.subject = stands_for.substr(0, stands_for.find('_'));
  result.operation = "tensor";
  result.products = products;
  result.shapes = {{.blocks_per_sm = 1, .block = kThreads}};
  result.count = {.keys = {counter}};
  result.minimum_sm = 100;
  result.compute_capabilities = {100, 103};
  result.amount = [](const CeilingBuffers&, int grid, int) { return operations(kind) * kProducts * grid; };
  result.launch = [](const CeilingBuffers&, int grid, int, cudaStream_t stream) {
    kernel<<<grid, kThreads, 0, stream>>>(nullptr);
    check_launch("a ceiling of tcgen05.mma");
  };
  return result;
}

__global__ void ceiling_bf16_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::f16>(d_sink, 0x3F803F80U, 0, kDescriptor<Kind::f16, 1>);
#endif
}

const CeilingRegistration bf16_tcgen05(benchmark<ceiling_bf16_tcgen05, Kind::f16>(
    "bf16_tcgen05", "bf16_tensor", {.type = TensorElement::bf16, .accumulator = TensorElement::f32},
    counter::kTensorBf16Ops));

__global__ void ceiling_f16_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::f16>(d_sink, 0x3C003C00U, 0, kDescriptor<Kind::f16, 0>);
#endif
}

const CeilingRegistration f16_tcgen05(benchmark<ceiling_f16_tcgen05, Kind::f16>(
    "f16_tcgen05", "f16_tensor", {.type = TensorElement::f16, .accumulator = TensorElement::f32},
    counter::kTensorF16Ops));

/// 8-bit floats (e4m3).
__global__ void ceiling_f8_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::f8f6f4>(d_sink, 0x38383838U, 0, kDescriptor<Kind::f8f6f4, 0>);
#endif
}

const CeilingRegistration f8_tcgen05(benchmark<ceiling_f8_tcgen05, Kind::f8f6f4>(
    "f8_tcgen05", "f8_tensor", {.type = TensorElement::f8, .accumulator = TensorElement::f32},
    counter::kTensorF8Ops));

/// With a power of two for each 32 elements (MXFP8).
__global__ void ceiling_f8_mx_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::mxf8f6f4>(d_sink, 0x38383838U, 0x7F7F7F7FU, kDescriptor<Kind::mxf8f6f4, 0>);
#endif
}

const CeilingRegistration f8_mx_tcgen05(benchmark<ceiling_f8_mx_tcgen05, Kind::mxf8f6f4>(
    "f8_mx_tcgen05", "f8_tensor_mx",
    {.type = TensorElement::f8, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

/// 4-bit floats (e2m1) with a power of two for each 32 (MXFP4).
__global__ void ceiling_f4_mx_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::mxf4>(d_sink, 0x22222222U, 0x7F7F7F7FU, kDescriptor<Kind::mxf4, 1>);
#endif
}

const CeilingRegistration f4_mx_tcgen05(benchmark<ceiling_f4_mx_tcgen05, Kind::mxf4>(
    "f4_mx_tcgen05", "f4_tensor_mx",
    {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

/// 4-bit floats (e2m1) with an 8-bit float (ue4m3) for each 16 (NVFP4).
__global__ void ceiling_f4_nv_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  run<Kind::mxf4nvf4>(d_sink, 0x22222222U, 0x38383838U, kDescriptor<Kind::mxf4nvf4, 1>);
#endif
}

const CeilingRegistration f4_nv_tcgen05(benchmark<ceiling_f4_nv_tcgen05, Kind::mxf4nvf4>(
    "f4_nv_tcgen05", "f4_tensor_nv",
    {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::nv},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::tcgen05
