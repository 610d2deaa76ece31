// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernels/blackwell/tcgen05.cuh"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::tcgen05 {

/// The registration of a kernel made of `run`, one block per SM: it takes all of the tensor memory. It
/// measures the ceiling `stands_for` in place of its own kernel.
template <void (&kernel)(void*), Kind kind>
CeilingBenchmark benchmark(const std::string& id, const std::string& stands_for,
                           const TensorProducts& products, std::string_view counter) {
  CeilingBenchmark result;
  result.id = id;
  result.stands_for = stands_for;
  result.kind = CeilingKind::compute;
  result.subject = stands_for.substr(0, stands_for.find('_'));
  result.operation = "tensor";
  result.products = products;
  result.shapes = {{.blocks_per_sm = 1, .block = kThreads}};
  result.count = {.keys = {counter}};
  result.minimum_sm = 100;
  result.compute_capabilities = {100, 103};
  result.amount = [](const CeilingBuffers&, int grid, int) { return operations(kind) * kProducts * grid; };
  result.launch = [](const CeilingBuffers&, int grid, int, cudaStream_t stream) {
    kernel<<<grid, kThreads, 0, stream>>>(nullptr);
    check_launch("a ceiling of tcgen05.mma");
  };
  return result;
}

}  // namespace rooflinectl::kernels::tcgen05
