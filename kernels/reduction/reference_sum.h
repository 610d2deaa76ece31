// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "kernels/device_limits.h"
#include "kernels/reduction/sum.h"

/// What the sums of other libraries share: they choose their own launch shape and do not report it.
namespace rooflinectl::kernels::reference {

inline constexpr int kBlock = 256;

inline LaunchShape shape(const Problem&) {
  return {.grid = 0, .block = kBlock};
}

/// CUB gives at least five blocks of 256 threads to every multiprocessor before a thread gets a second tile
/// of 16 elements, and adds the blocks' sums up in one more. One block per multiprocessor is assumed, to be
/// safe.
inline std::uint64_t longest_chain(const Problem& problem) {
  const auto threads = static_cast<std::uint64_t>(kBlock * device_limits().multiprocessors);
  return problem.n / threads + 128;
}

inline Variant variant(std::string id, std::string label, std::string title,
                       decltype(Variant::launch) launch) {
  Variant variant = sum::variant(std::move(id), std::move(label), std::move(title), std::nullopt, nullptr,
                                 longest_chain, std::move(launch));
  variant.info.family = "reference";
  variant.info.block_sizes = {kBlock};
  variant.info.default_block_size = kBlock;
  variant.shape = shape;
  return variant;
}

}  // namespace rooflinectl::kernels::reference
