// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"

namespace rooflinectl {

/// The hardware metric of the duration of a kernel.
inline constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";

/// A metric of a kernel, in bytes, seconds, hertz, or the unit that Nsight Compute gives it: percent stay
/// percent. Unavailable, with the reason, where its unit is not known or its number can be read in two ways.
struct NcuValue {
  CounterValue value = CounterValue::unavailable("not in the file");
  double rounding = 0;  ///< how far the printed number may lie from the counted one; 0 for whole counts

  bool operator==(const NcuValue&) const = default;
};

/// What Nsight Compute profiled at once: a launch of a kernel; with range replay all launches of a range,
/// with graph replay those of a CUDA graph.
struct NcuKernel {
  std::string range;    ///< the NVTX range of the domain `rooflinectl` that it ran in; empty if none is given
  std::string kernel;   ///< as it is printed; `range` where it is one
  std::string symbol;   ///< mangled; empty where the file does not have it
  std::string process;  ///< its id; empty if none is given, likewise below
  std::string host;
  std::string program;  ///< the name of the process
  std::string device;   ///< as the process numbers them
  std::string device_name;
  std::string grid;  ///< `1024`, `16x16`; empty where it is no single kernel
  std::string block;
  std::vector<std::string> path;  ///< the NVTX ranges around it, whatever their domain, from the outermost
  std::map<std::string, NcuValue, std::less<>> metrics;  ///< by the names of the hardware metrics

  bool operator==(const NcuKernel&) const = default;
};

/// Whether a metric of that name is to be read.
using MetricFilter = std::function<bool(std::string_view)>;
inline bool any_metric(std::string_view /*name*/) {
  return true;
}

/// Reads what `ncu --csv` prints, with `--page raw` (a row per kernel, a column per metric) or `--page
/// details` (a row per metric), in units of any size and in the notation that the numbers of a table have.
/// The details page calls most metrics by labels; those of `kLabels` are known. Lines that are not part of a
/// table are passed over.
///
/// Throws Error(environment) if the text holds an error of ncu in place of a table: no permission, no kernel
/// profiled; Error(usage) if it holds neither, a table that is not laid out like one of ncu's, or the summary
/// page, which has no single launches.
std::vector<NcuKernel> read_ncu_csv(std::string_view text, const MetricFilter& is_wanted = any_metric);

/// Whether `text`, or the beginning of one, may be such output.
bool may_be_ncu_csv(std::string_view text);

/// Throws Error(environment) with cause and hint if ncu's output reports an error.
void check_ncu_messages(std::string_view text);

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

/// How numbers are written: ncu prints them according to its user's language. Spaces and apostrophes separate
/// thousands in both.
enum class NumberNotation {
  english,      ///< `1,234.5`
  continental,  ///< `1.234,5`
};

/// How a number is written; nothing for a text that is not a number, and for what both have: `1,234`,
/// `1.234`, `12`.
std::optional<NumberNotation> notation_of(std::string_view printed);

/// The value of a metric that ncu prints in units of any size. Unavailable, with the reason, where its unit
/// is not known or does not fit its name, or its number can be read in two ways.
NcuValue ncu_value(std::string_view metric, std::string_view written, std::string_view unit_text,
                   NumberNotation notation);

/// Takes the next record off the front of `text` and returns its fields (RFC 4180): separated by commas, in
/// quotes where they hold commas, quotes (doubled) or line ends. A quote that is never closed ends with the
/// text.
std::vector<std::string> take_csv_record(std::string_view& text);

}  // namespace rooflinectl
