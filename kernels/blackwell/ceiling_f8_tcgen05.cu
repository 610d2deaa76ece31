// SPDX-License-Identifier: Apache-2.0
//
// f8_tcgen05: in place of the kernel of f8_tensor, on GPUs with `tcgen05.mma`: how fast it multiplies 8-bit
// floats (e4m3), and adds in f32. Compiled, never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_f8_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_f8_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::f8f6f4>(d_sink, 0x38383838U, 0, tcgen05::kDescriptor<Kind::f8f6f4, 0>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_f8_tcgen05, Kind::f8f6f4>(
    "f8_tcgen05", "f8_tensor", {.type = TensorElement::f8, .accumulator = TensorElement::f32},
    counter::kTensorF8Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f8_tcgen05
