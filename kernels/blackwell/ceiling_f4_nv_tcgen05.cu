// SPDX-License-Identifier: Apache-2.0
//
// f4_nv_tcgen05: in place of the kernel of f4_tensor_nv, on GPUs with `tcgen05.mma`: how fast it multiplies
// 4-bit floats (e2m1) with an 8-bit float (ue4m3) for each 16 of them (NVFP4), and adds in f32. Compiled,
// never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_f4_nv_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_f4_nv_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::mxf4nvf4>(d_sink, 0x22222222U, 0x38383838U, tcgen05::kDescriptor<Kind::mxf4nvf4, 1>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_f4_nv_tcgen05, Kind::mxf4nvf4>(
    "f4_nv_tcgen05", "f4_tensor_nv",
    {.type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::nv},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f4_nv_tcgen05
