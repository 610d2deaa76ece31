// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

/// A kernel, or a memset, that a tracer saw on the GPU.
struct TracedOperation {
  std::string name;
  double duration_s = 0;

  bool operator==(const TracedOperation&) const = default;
};

/// What a tracer saw of one launch of a point: everything in one instance of its NVTX range.
struct TracedLaunch {
  std::string range;  ///< of the domain `rooflinectl`
  std::vector<TracedOperation> operations;

  bool operator==(const TracedLaunch&) const = default;
};

}  // namespace rooflinectl
