// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
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

/// Reads the content of a file that `nsys export --type sqlite` wrote: the NVTX ranges of the domain
/// `rooflinectl`, in the order of their start, each with the kernels and memsets that its thread
/// launched in it; without a table of CUDA calls, those that ran on the GPU while it was open.
///
/// The content is not trusted: it is read-only, views, triggers and virtual tables of its schema are not
/// used, and the work is limited by its size. Throws Error(usage) if it is no such export, or is damaged.
std::vector<TracedLaunch> read_nsys_sqlite(std::string_view content);

}  // namespace rooflinectl
