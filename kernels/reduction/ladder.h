// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>
#include <utility>

#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/variant.h"

/// What the rungs V0 … V8 share: f32, one partial sum per block, any n, a block size fixed at compile time.
namespace rooflinectl::kernels::ladder {

using CountFunction = std::uint64_t (*)(const Problem&);

/// One block for every `kElementsPerPartial(problem)` elements, with perhaps fewer for the last one.
template <CountFunction kElementsPerPartial>
LaunchShape shape(const Problem& problem) {
  const std::uint64_t elements = kElementsPerPartial(problem);
  return {.grid = (problem.n + elements - 1) / elements, .block = problem.block_size};
}

template <CountFunction kElementsPerPartial>
Work work(const Problem& problem) {
  return sum_work(problem, shape<kElementsPerPartial>(problem).grid);
}

/// Elements of a block in which each thread takes one or two.
inline std::uint64_t one_per_thread(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.block_size);
}
inline std::uint64_t two_per_thread(const Problem& problem) {
  return 2 * one_per_thread(problem);
}

/// What one block adds up where a thread has many elements, whatever the size of the block.
inline constexpr std::uint64_t kElementsPerBlock = 32768;
inline std::uint64_t many_per_thread(const Problem&) {
  return kElementsPerBlock;
}

/// Steps of a tree over one value per thread.
inline std::uint64_t tree_depth(const Problem& problem) {
  return static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(problem.block_size)));
}

/// Additions of a thread, which starts from zero if it takes more than two elements, and of the tree.
template <CountFunction kElementsPerPartial>
std::uint64_t longest_chain(const Problem& problem) {
  const std::uint64_t per_thread = kElementsPerPartial(problem) / one_per_thread(problem);
  return (per_thread > 2 ? per_thread : per_thread - 1) + tree_depth(problem);
}

/// For a loop over a known number of elements, which the compiler unrolls: it keeps 16 loads of a thread in
/// flight with a block of 128 threads and 22 or 23 with larger ones (according to the machine code for sm_90,
/// CUDA 13.0).
inline IndependentLoads unrolled_loads(const Problem& problem) {
  return {.count = problem.block_size == 128 ? 16 : 22, .bytes = size_bytes(problem.dtype)};
}

/// Launches the kernel that `kernel_of(block size)` gives.
template <CountFunction kElementsPerPartial, typename KernelOf>
void launch(const std::string& name, const Problem& problem, const Buffers& buffers, cudaStream_t stream,
            KernelOf kernel_of) {
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(shape<kElementsPerPartial>(problem).grid);
  with_block_size(problem.block_size, [&](auto block) {
    kernel_of(block)<<<grid, block.value, 0, stream>>>(static_cast<float*>(buffers.d_input),
                                                       static_cast<float*>(buffers.d_output), problem.n);
  });
  check_launch(name);
}

template <CountFunction kElementsPerPartial>
Variant rung(std::string id, std::string label, std::string title, decltype(Variant::loads) loads,
             decltype(Variant::launch) launch) {
  return {.info = {.id = std::move(id),
                   .label = std::move(label),
                   .title = std::move(title),
                   .family = "ladder",
                   .dtypes = {Dtype::f32},
                   .block_sizes = {128, 256, 512},
                   .default_block_size = 256,
                   .output = OutputKind::partials,
                   .deterministic = true},
          .shape = shape<kElementsPerPartial>,
          .loads = loads,
          .work = work<kElementsPerPartial>,
          .elements_per_partial = kElementsPerPartial,
          .longest_chain = longest_chain<kElementsPerPartial>,
          .launch = std::move(launch)};
}

/// The same with the kernels `kernel_of(block)` for blocks of `block` threads.
template <CountFunction kElementsPerPartial, typename KernelOf>
Variant version(const std::string& id, std::string label, std::string title, decltype(Variant::loads) loads,
                KernelOf kernel_of) {
  return rung<kElementsPerPartial>(
      id, std::move(label), std::move(title), loads,
      [id, kernel_of](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        launch<kElementsPerPartial>(id, problem, buffers, stream, kernel_of);
      });
}

}  // namespace rooflinectl::kernels::ladder
