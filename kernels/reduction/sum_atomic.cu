// SPDX-License-Identifier: Apache-2.0
//
// sum_atomic: one atomic addition per element.
//
// - Idea: every thread adds its element to the one result in global memory.
// - Changes from the previous version: the first one.
// - Launch shape: one thread per element, ceil(n / block) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; no addition in the SM, since the atomic one is done in L2.
// - Minimum sm: 7.5.
#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels::sum_atomic {

namespace {

template <typename T>
__global__ void sum_atomic(const T* d_input, Accumulator<T>* d_output, std::uint64_t n) {
  const std::uint64_t i = global_thread();
  if (i < n) atomic_add(d_output, to_accumulator(d_input[i]));
}

std::uint64_t longest_chain(const Problem& problem) {
  return problem.n;
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  check(cudaMemsetAsync(buffers.d_output, 0, size_bytes(accumulator(problem.dtype)), stream),
        "cudaMemsetAsync");
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(sum::shape(problem).grid);
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    sum_atomic<<<grid, static_cast<unsigned>(problem.block_size), 0, stream>>>(
        static_cast<const T*>(buffers.d_input), static_cast<Accumulator<T>*>(buffers.d_output), problem.n);
  });
  check_launch("sum_atomic");
}

const Registration registration(sum::variant("sum_atomic", "atomic", "one atomic per element", std::nullopt,
                                             element_loads<1>, longest_chain, launch));

}  // namespace

}  // namespace rooflinectl::kernels::sum_atomic
