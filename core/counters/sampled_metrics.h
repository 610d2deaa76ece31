// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/counters/metrics.h"

namespace rooflinectl {

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
