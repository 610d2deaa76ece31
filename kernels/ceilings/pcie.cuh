// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

/// What the benchmarks of the link to the host share: one copy engine moves a buffer to or from pinned
/// memory.
namespace rooflinectl::kernels::pcie {

/// The size of one copy: as much as both sides have room for.
inline std::size_t bytes(const CeilingBuffers& buffers) {
  return std::min(buffers.pinned_bytes, buffers.bytes);
}

/// The registration of the copy `enqueue`. `operation`: `h2d` or `d2h`. No counter sees what a copy engine
/// moves; the amount is what `cudaMemcpyAsync` was asked for.
inline CeilingBenchmark benchmark(const std::string& operation,
                                  void (*enqueue)(const CeilingBuffers&, int grid, int block, cudaStream_t)) {
  CeilingBenchmark result;
  result.id = "pcie_" + operation;
  result.kind = CeilingKind::transfer;
  result.subject = "pcie";
  result.operation = operation;
  result.shapes = {{.blocks_per_sm = kCopyEngine}};
  result.amount = [](const CeilingBuffers& buffers, int, int) { return static_cast<double>(bytes(buffers)); };
  result.launch = enqueue;
  return result;
}

}  // namespace rooflinectl::kernels::pcie
