// SPDX-License-Identifier: Apache-2.0
//
// pcie_h2d, pcie_d2h, nvlink: how fast a copy engine copies from pinned host memory to the device, back, or
// from another GPU's memory to this one's.
//
// - Idea: one large asynchronous copy. Copy engines are faster than kernels' loads and stores.
// - Launch shape: none; a copy engine does it.
// - Amount: the bytes of the copy. No counter of a kernel sees what a copy engine moves.
// - Minimum sm: 7.5. nvlink: another GPU of the same model, connected by NVLink.
// - Theoretical: not a rate of the chip, but that of the PCIe link or of all active NVLinks, which the driver
//   reports.
#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::copy_engine {

namespace {

/// As much as both sides of the copy have room for.
template <std::size_t CeilingBuffers::*kOther>
std::size_t copied_bytes(const CeilingBuffers& buffers) {
  return std::min(buffers.*kOther, buffers.bytes);
}

/// A copy of `kOther` bytes at most between the device's memory and other memory: from `kFrom` to `kTo`.
template <void* CeilingBuffers::*kTo, void* CeilingBuffers::*kFrom, std::size_t CeilingBuffers::*kOther>
CeilingBenchmark benchmark(const std::string& subject, const std::string& operation) {
  CeilingBenchmark result;
  result.id = operation.empty() ? subject : subject + "_" + operation;
  result.kind = CeilingKind::transfer;
  result.subject = subject;
  result.operation = operation;
  result.shapes = {{.blocks_per_sm = kCopyEngine}};
  result.amount = [](const CeilingBuffers& buffers, int, int) {
    return static_cast<double>(copied_bytes<kOther>(buffers));
  };
  result.launch = [](const CeilingBuffers& buffers, int, int, cudaStream_t stream) {
    check(cudaMemcpyAsync(buffers.*kTo, buffers.*kFrom, copied_bytes<kOther>(buffers), cudaMemcpyDefault,
                          stream),
          "cudaMemcpyAsync");
  };
  return result;
}

using Buffers = CeilingBuffers;
const CeilingRegistration pcie_h2d(
    benchmark<&Buffers::d_target, &Buffers::h_pinned, &Buffers::pinned_bytes>("pcie", "h2d"));
const CeilingRegistration pcie_d2h(
    benchmark<&Buffers::h_pinned, &Buffers::d_source, &Buffers::pinned_bytes>("pcie", "d2h"));
const CeilingRegistration nvlink(
    benchmark<&Buffers::d_target, &Buffers::d_peer, &Buffers::peer_bytes>("nvlink", ""));

}  // namespace

}  // namespace rooflinectl::kernels::copy_engine
