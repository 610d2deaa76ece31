// SPDX-License-Identifier: Apache-2.0
//
// f16_tcgen05: in place of the kernel of f16_tensor, on GPUs with `tcgen05.mma`: how fast it multiplies f16,
// and adds in f32. Compiled, never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_f16_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_f16_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::f16>(d_sink, 0x3C003C00U, 0, tcgen05::kDescriptor<Kind::f16, 0>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_f16_tcgen05, Kind::f16>(
    "f16_tcgen05", "f16_tensor", {.type = TensorElement::f16, .accumulator = TensorElement::f32},
    counter::kTensorF16Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_f16_tcgen05
