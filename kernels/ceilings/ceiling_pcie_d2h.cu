// SPDX-License-Identifier: Apache-2.0
//
// pcie_d2h: how fast a copy engine copies from the device to pinned host memory.
//
// - Idea: one large asynchronous copy.
// - Launch shape: none; a copy engine does it.
// - Amount: the bytes of the copy. No counter sees what a copy engine moves.
// - Minimum sm: 7.5.
// - Theoretical: not a rate of the chip, but that of the PCIe link, which the driver reports.
#include "kernels/ceilings/pcie.cuh"

namespace rooflinectl::kernels::ceiling_pcie_d2h {

namespace {

void copy(const CeilingBuffers& buffers, int /*grid*/, int /*block*/, cudaStream_t stream) {
  check(cudaMemcpyAsync(buffers.h_pinned, buffers.d_source, pcie::bytes(buffers), cudaMemcpyDeviceToHost,
                        stream),
        "cudaMemcpyAsync");
}

const CeilingRegistration registration(pcie::benchmark("d2h", copy));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_pcie_d2h
