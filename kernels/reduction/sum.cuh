// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels::sum {

/// Zeroes the output and launches the kernel that `kernel_of(element type, block size)` gives, which adds to
/// it.
template <typename KernelOf>
void launch(const std::string& name, const Problem& problem, const Buffers& buffers, cudaStream_t stream,
            KernelOf kernel_of) {
  check(cudaMemsetAsync(buffers.d_output, 0, size_bytes(accumulator(problem.dtype)), stream),
        "cudaMemsetAsync");
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(shape(problem).grid);
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    with_block_size(problem.block_size, [&](auto block) {
      kernel_of(type, block)<<<grid, block.value, 0, stream>>>(
          static_cast<const T*>(buffers.d_input), static_cast<Accumulator<T>*>(buffers.d_output), problem.n);
    });
  });
  check_launch(name);
}

/// A sum whose kernel for elements of that type and blocks of `block` threads, `kernel_of(type, block)`, adds
/// to the result.
template <typename KernelOf>
Variant atomic_variant(const std::string& id, std::string label, std::string title,
                       std::optional<int> default_elements_per_thread, decltype(Variant::loads) loads,
                       decltype(Variant::longest_chain) longest_chain, KernelOf kernel_of) {
  return variant(id, std::move(label), std::move(title), default_elements_per_thread, loads, longest_chain,
                 [id, kernel_of](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
                   launch(id, problem, buffers, stream, kernel_of);
                 });
}

}  // namespace rooflinectl::kernels::sum
