// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

/// What a report of Nsight Compute (`.ncu-rep`) holds, as far as it is read.
struct NcuReport {
  std::string version;                    ///< of Nsight Compute; empty where it is not given, likewise below
  std::string command_line;               ///< of ncu
  std::optional<std::uint64_t> recorded;  ///< seconds since 1970
  std::optional<bool> has_locked_clocks;  ///< of the first kernel
  std::vector<NcuKernel> kernels;
  /// What is damaged or cut off, and where: the rest of the report is there.
  std::vector<std::string> problems;
};

/// The first bytes of every report.
inline constexpr std::string_view kNcuReportMagic{"NVR\0", 4};

/// The longest message of a report that is read: a kernel of the full set takes 1 MiB.
inline constexpr std::size_t kMostNcuMessageBytes = std::size_t{64} << 20;

/// Reads a report, block by block: kernels, ranges and CUDA graphs with the metrics that are wanted. Sources
/// and cubins are passed over, and so are fields and messages that are not known. Values are those that ncu
/// prints with `--print-units base`, except that times are in seconds.
///
/// Throws Error(usage) if `file`, which must be seekable, is not a report, or is damaged before its first
/// kernel.
NcuReport read_ncu_report(std::istream& file, const MetricFilter& is_wanted = any_metric);

}  // namespace rooflinectl
