// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
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

}  // namespace rooflinectl
