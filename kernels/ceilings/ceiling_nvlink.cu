// SPDX-License-Identifier: Apache-2.0
//
// nvlink: how fast a copy engine copies from another GPU's memory to the device.
//
// - Idea: one large asynchronous copy. Copy engines are faster than kernels' loads and stores.
// - Launch shape: none; a copy engine does it.
// - Amount: the bytes of the copy. No counter of a kernel sees what a copy engine moves.
// - Minimum sm: 7.5; another GPU of the same model, connected by NVLink.
// - Theoretical: not a rate of the chip, but that of all active links, which the driver reports.
#include <algorithm>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_nvlink {

namespace {

std::size_t copied_bytes(const CeilingBuffers& buffers) {
  return std::min(buffers.peer_bytes, buffers.bytes);
}

CeilingBenchmark benchmark() {
  CeilingBenchmark result;
  result.id = "nvlink";
  result.kind = CeilingKind::transfer;
  result.subject = "nvlink";
  result.shapes = {{.blocks_per_sm = kCopyEngine}};
  result.amount = [](const CeilingBuffers& buffers, int, int) {
    return static_cast<double>(copied_bytes(buffers));
  };
  result.launch = [](const CeilingBuffers& buffers, int, int, cudaStream_t stream) {
    check(cudaMemcpyAsync(buffers.d_target, buffers.d_peer, copied_bytes(buffers), cudaMemcpyDefault, stream),
          "cudaMemcpyAsync");
  };
  return result;
}

const CeilingRegistration registration(benchmark());

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_nvlink
