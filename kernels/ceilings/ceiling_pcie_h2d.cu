// SPDX-License-Identifier: Apache-2.0
//
// pcie_h2d: how fast a copy engine copies from pinned host memory to the device.
//
// - Idea: one large asynchronous copy.
// - Launch shape: none; a copy engine does it.
// - Amount: the bytes of the copy. No counter sees what a copy engine moves.
// - Minimum sm: 7.5.
// - Theoretical: not a rate of the chip, but that of the PCIe link, which the driver reports.
#include "kernels/ceilings/pcie.cuh"

namespace rooflinectl::kernels::ceiling_pcie_h2d {

namespace {

void copy(const CeilingBuffers& buffers, int /*grid*/, int /*block*/, cudaStream_t stream) {
  check(cudaMemcpyAsync(buffers.d_target, buffers.h_pinned, pcie::bytes(buffers), cudaMemcpyHostToDevice,
                        stream),
        "cudaMemcpyAsync");
}

const CeilingRegistration registration(pcie::benchmark("h2d", copy));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_pcie_h2d
