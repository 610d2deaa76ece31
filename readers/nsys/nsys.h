// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// What a tracer saw of one launch of a point: everything in one instance of its NVTX range.
struct TracedLaunch {
  std::string range;                 ///< of the domain `rooflinectl`
  std::vector<double> operations_s;  ///< the times of kernels and memsets on the GPU, in their order

  bool operator==(const TracedLaunch&) const = default;
};

/// Reads the content of a file that `nsys export --type sqlite` wrote: the NVTX ranges of the domain
/// `rooflinectl`, in the order of their start, each with the kernels and memsets that its thread
/// launched in it; without a table of CUDA calls, those that ran on the GPU while it was open.
///
/// The content is not trusted: it is read-only, views, triggers and virtual tables of its schema are not
/// used, and the work is limited by its size. Throws Error(usage) if it is no such export, or is damaged.
std::vector<TracedLaunch> read_nsys_sqlite(std::string_view content);

/// A kernel that Nsight Systems saw run.
struct NsysKernel {
  using Extent = std::array<std::uint32_t, 3>;

  std::string name;  ///< its symbol, or the demangled name where the export has no more
  std::int64_t process = 0;
  std::int64_t device = 0;  ///< a key of `NsysProgram::devices`, if the export describes it
  double duration_s = 0;
  std::optional<Extent> grid;
  std::optional<Extent> block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::string> path;  ///< NVTX ranges around its launch, from the outermost

  bool operator==(const NsysKernel&) const = default;
};

/// A GPU, as far as the export describes it; 0 where it does not.
struct NsysDevice {
  std::string name;
  std::int64_t sms = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;

  bool operator==(const NsysDevice&) const = default;
};

struct NsysProgram {
  std::vector<NsysKernel> kernels;  ///< in the order of their starts
  std::map<std::int64_t, NsysDevice> devices;
};

/// Reads all kernels of a file that `nsys export --type sqlite` wrote. A kernel is in the ranges, of whatever
/// domain, that were open on the thread that launched it. Throws as `read_nsys_sqlite`.
NsysProgram read_nsys_kernels(std::string_view content);

/// The first bytes of every SQLite database.
inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

}  // namespace rooflinectl
