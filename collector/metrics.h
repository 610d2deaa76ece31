// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace rooflinectl {

/// One counter of ours and the hardware metrics that it can come from.
struct Metric {
  std::string_view key;  ///< ours, from `core/counters.h`
  /// Names of the same quantity on different chips; the first that a chip has is used.
  std::vector<std::string_view> names;
  double scale = 1;  ///< our value = hardware value × scale (percent and per-32-lanes become ratios)
  std::string_view meaning;
};

/// The basic set: everything a roofline and the ladder need, in two passes on every chip but Turing, where
/// the DRAM clock makes it three. Metrics with `_sass_` in their name instrument the kernel and need a pass
/// of their own.
const std::vector<Metric>& basic_metrics();

}  // namespace rooflinectl
