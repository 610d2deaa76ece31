// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/program/profile_record.h"

namespace rooflinectl::injection {

/// An object of CUDA's driver: a context, a function, a stream, a graph.
using Handle = const void*;

/// A call of the driver that launches something.
struct Launch {
  Handle context = nullptr;
  Handle function = nullptr;  ///< null if a graph is launched
  Handle graph = nullptr;
  Handle stream = nullptr;  ///< the default streams by their own handles
  const char* symbol = nullptr;
  /// Why the kernels of the graph cannot be told apart; empty if they can, or if it has none.
  std::string_view obstacle;
  std::uint32_t correlation = 0;  ///< CUPTI's number of the call
  record::Extent grid{};
  record::Extent block{};
  std::optional<record::Extent> cluster;
  std::uint64_t dynamic_shared_bytes = 0;

  /// Whether another launch is of the same function in the same shape.
  bool is_like(const Launch& other) const {
    return function == other.function && grid == other.grid && block == other.block &&
           cluster == other.cluster && dynamic_shared_bytes == other.dynamic_shared_bytes;
  }
};

}  // namespace rooflinectl::injection
