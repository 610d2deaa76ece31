// SPDX-License-Identifier: Apache-2.0
//
// f8_mx_tcgen05: in place of the kernel of f8_tensor_mx, on GPUs with `tcgen05.mma`: how fast it multiplies
// 8-bit floats (e4m3) with a power of two for each 32 of them (MXFP8), and adds in f32. Compiled, never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_f8_mx_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_f8_mx_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::mxf8f6f4>(d_sink, 0x38383838U, 0x7F7F7F7FU, tcgen05::kDescriptor<Kind::mxf8f6f4, 0>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_f8_mx_tcgen05, Kind::mxf8f6f4>(
    "f8_mx_tcgen05", "f8_tensor_mx",
    {.type = TensorElement::f8, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f8_mx_tcgen05
