// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/agreement.h"
#include "core/program/profile_settings.h"

namespace rooflinectl {

/// How closely a counter has to agree with the same metric of Nsight Compute.
struct ToolAgreement {
  ComparedUnit unit = ComparedUnit::count;
  double tolerance = 0;
  bool is_relative = true;
  /// The key of a sum, for its parts: they are compared as that, and need not agree one by one.
  std::string_view sum = {};
};

/// How much `profile` needs a counter. It does not repeat launches: where a chip cannot count all metrics of
/// a pass at once, it does without those of the lowest priority.
enum class Priority { highest, high, medium, low, lowest };

/// One counter of ours and the hardware metrics that it can come from.
struct Metric {
  std::string_view key;  ///< ours, from `core/counters/counters.h`
  /// Names of the same quantity on different chips; the first that a chip has is used.
  std::vector<std::string_view> names;
  double scale = 1;  ///< our value = hardware value × scale (percent and per-32-lanes become ratios)
  std::string_view meaning;
  /// Nothing for what depends on the moment, as occupancy and clocks do. The metrics of the basic set are
  /// compared at points that rooflinectl launches; those of profiled programs are compared by
  /// `crosscheck/profiled_launches.cpp`, operations as here.
  std::optional<ToolAgreement> agreement = {};
  Priority priority = Priority::lowest;
  /// The pass in which `profile` counts a metric of the basic set, unless it has `_sass_` in its name: those
  /// that instrument the kernel are all in Pass::operations.
  Pass hardware_pass = Pass::memory;
};

/// The basic set: everything a roofline and the ladder need, in at most four passes. Metrics with
/// `_sass_` in their name instrument the kernel and need a pass of their own; the others fill one; whether
/// tensor instructions ran takes the third, why warps wait the fourth.
const std::vector<Metric>& basic_metrics();

/// Operations of the Tensor Cores by type, in up to six passes: for launches in which the basic set saw
/// tensor instructions.
const std::vector<Metric>& tensor_metrics();

/// Instructions of each arithmetic pipe, counted by the hardware: for programs, whose kernels may use pipes
/// that no instrumented code tells apart, or cannot be instrumented.
const std::vector<Metric>& pipe_metrics();

/// Why warps wait, by the reasons that are in none of our passes: a chip has too few counters for them. They
/// come from reports of Nsight Compute.
const std::vector<Metric>& stall_metrics();

/// The keys of the first two sets, in the order in which `points.csv` has them.
std::vector<std::string_view> counter_keys();

/// The metrics that a pass counts (those of hardware counters also the time of the launch), the most
/// important first. A launch is not repeated: where a chip cannot count all of them at once, it does without
/// the last ones.
std::vector<Metric> pass_metrics(Pass pass);

/// What the device is asked for at every sample of a timeline: bytes since the sample before, shares of what
/// the unit could do in that time (0 to 1), and hertz.
namespace sampled {
inline constexpr std::string_view kDramReadBytes = "dram_read_bytes";
inline constexpr std::string_view kDramWriteBytes = "dram_write_bytes";
inline constexpr std::string_view kL2Bytes = "l2_bytes";
inline constexpr std::string_view kPcieReadBytes = "pcie_read_bytes";
inline constexpr std::string_view kPcieWriteBytes = "pcie_write_bytes";
inline constexpr std::string_view kNvlinkReceivedBytes = "nvlink_received_bytes";
inline constexpr std::string_view kNvlinkSentBytes = "nvlink_sent_bytes";
inline constexpr std::string_view kSmActive = "sm_active";
inline constexpr std::string_view kTensorActive = "tensor_active";
inline constexpr std::string_view kFp32Issued = "fp32_issued";
inline constexpr std::string_view kFp64Active = "fp64_active";
inline constexpr std::string_view kWarps = "warps";
inline constexpr std::string_view kSmClockHz = "sm_clock_hz";
}  // namespace sampled

/// The hardware metrics behind them, the most useful first. A device may lack some: without links, NVLink's.
const std::vector<Metric>& sampled_metrics();

}  // namespace rooflinectl
