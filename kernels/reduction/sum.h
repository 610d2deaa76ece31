// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

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
          .launch = std::move(launch)};
}

}  // namespace rooflinectl::kernels::sum
