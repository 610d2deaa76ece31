// SPDX-License-Identifier: Apache-2.0
//
// f4_mx_tcgen05: in place of the kernel of f4_tensor_mx, on GPUs with `tcgen05.mma`: how fast it multiplies
// 4-bit floats (e2m1) with a power of two for each 32 of them (MXFP4), and adds in f32. Compiled, never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_f4_mx_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_f4_mx_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::mxf4>(d_sink, 0x22222222U, 0x7F7F7F7FU, tcgen05::kDescriptor<Kind::mxf4, 1>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_f4_mx_tcgen05, Kind::mxf4>(
    "f4_mx_tcgen05", "f4_tensor_mx",
    {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::mx},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f4_mx_tcgen05
