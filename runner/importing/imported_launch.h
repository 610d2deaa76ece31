// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// A launch that another tool recorded.
struct ImportedLaunch {
  std::string kernel;     ///< its symbol, or its demangled name where the tool has no more
  bool is_kernel = true;  ///< not a range or a CUDA graph, whose launches were recorded as one
  std::optional<int> process;
  std::size_t device = 0;  ///< its place in the run
  record::Extent grid{};
  record::Extent block{};
  std::optional<record::Extent> cluster;
  std::uint64_t dynamic_shared_bytes = 0;
  std::string path;  ///< names of the NVTX ranges around it, from the outermost, joined by `/`
  CounterValue time_s = CounterValue::unavailable("not recorded");
  Counters counters;  ///< empty where the tool does not count
  std::optional<KernelResources> resources;
};

/// The launches as points: those with the same kernel, shape and path on one device are one, as
/// `rooflinectl profile` has them, the longest total first. Of more than `kMaxProfiledPoints`, those that
/// took the least time are left out, which is added to `problems`.
std::vector<Measurement> imported_points(const std::vector<ImportedLaunch>& launches,
                                         const std::string& experiment, std::vector<std::string>& problems);

/// `{16, 16, 1}` of `16x16`; zeros where the text is not such an extent.
record::Extent extent_from(const std::string& text);

}  // namespace rooflinectl
