// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/data.h"

namespace rooflinectl {

/// What the inputs of timed launches hold.
inline constexpr kernels::DataSet kTimedData = kernels::DataSet::integers;

/// Of inputs, outputs and workspaces, in bytes: that of what cudaMalloc returns.
inline constexpr std::size_t kAlignment = 256;

constexpr std::size_t align_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace rooflinectl
