// SPDX-License-Identifier: Apache-2.0
//
// sum_atomic: one atomic addition per element.
//
// - Idea: every thread adds its element to the one result in global memory.
// - Changes from the previous version: the first one.
// - Launch shape: one thread per element, ceil(n / block) blocks; one scalar, zeroed before the launch.
// - Per element: one element read; no addition in the SM, since the atomic one is done in L2.
// - Minimum sm: 7.5.
#include "kernels/reduction/sum.cuh"

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

const Registration registration(sum::atomic_variant("sum_atomic", "atomic", "one atomic per element",
                                                    std::nullopt, element_loads<1>, longest_chain,
                                                    [](auto type, auto) {
                                                      return sum_atomic<typename decltype(type)::type>;
                                                    }));

}  // namespace

}  // namespace rooflinectl::kernels::sum_atomic
