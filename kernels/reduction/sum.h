// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"
#include "kernels/variant.h"

/// What the variants that give one scalar share: every type, 16-bit floats added up in f32 and integers
/// modulo their width; any n; a block size fixed at compile time.
namespace rooflinectl::kernels::sum {

/// Work for `elements_per_thread` elements in each thread; the last threads may get fewer.
inline LaunchShape shape(const Problem& problem) {
  const auto elements_per_block = static_cast<std::uint64_t>(problem.block_size) *
                                  static_cast<std::uint64_t>(std::max(1, problem.elements_per_thread));
  return {.grid = (problem.n + elements_per_block - 1) / elements_per_block, .block = problem.block_size};
}

inline Work work(const Problem& problem) {
  return sum_work(problem, 1);
}

inline std::uint64_t elements_per_partial(const Problem& problem) {
  return problem.n;
}

/// Zeroes the output and launches the kernel that `kernel_of(element type, block size)` gives, which adds to
/// it.
template <typename KernelOf>
void launch(const char* name, const Problem& problem, const Buffers& buffers, cudaStream_t stream,
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

inline Variant variant(std::string id, std::string label, std::string title,
                       std::optional<int> default_elements_per_thread, decltype(Variant::loads) loads,
                       decltype(Variant::longest_chain) longest_chain, decltype(Variant::launch) launch) {
  return {.info = {.id = std::move(id),
                   .label = std::move(label),
                   .title = std::move(title),
                   .family = "sum",
                   .dtypes = {kAllDtypes.begin(), kAllDtypes.end()},
                   .block_sizes = {128, 256, 512},
                   .default_block_size = 256,
                   .default_elements_per_thread = default_elements_per_thread,
                   .output = OutputKind::scalar},
          .shape = shape,
          .loads = loads,
          .work = work,
          .elements_per_partial = elements_per_partial,
          .longest_chain = longest_chain,
          .launch = launch};
}

}  // namespace rooflinectl::kernels::sum
