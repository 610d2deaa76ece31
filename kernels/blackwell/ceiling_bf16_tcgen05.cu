// SPDX-License-Identifier: Apache-2.0
//
// bf16_tcgen05: in place of the kernel of bf16_tensor, on GPUs with `tcgen05.mma`: how fast it multiplies
// bf16, and adds in f32. Compiled, never run.
#include "core/counters/counters.h"
#include "kernels/blackwell/tcgen05_benchmark.cuh"

namespace rooflinectl::kernels::ceiling_bf16_tcgen05 {

namespace {

using tcgen05::Kind;

__global__ void ceiling_bf16_tcgen05(void* d_sink) {
#ifdef ROOFLINECTL_HAS_TCGEN05
  tcgen05::run<Kind::f16>(d_sink, 0x3F803F80U, 0, tcgen05::kDescriptor<Kind::f16, 1>);
#endif
}

const CeilingRegistration registration(tcgen05::benchmark<ceiling_bf16_tcgen05, Kind::f16>(
    "bf16_tcgen05", "bf16_tensor", {.type = TensorElement::bf16, .accumulator = TensorElement::f32},
    counter::kTensorBf16Ops));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_bf16_tcgen05
