// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

struct DeviceColumn {
  std::string title;
  bool is_number = false;
};

/// What was measured between devices, and what to know about it.
struct DeviceTable {
  std::string title;   ///< `Copy engine, one way, GB/s (% of theoretical)`
  std::string method;  ///< what was measured, and how much the samples vary; empty where there is no value
  std::vector<DeviceColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< empty where there is no value
  std::vector<std::string> reasons;            ///< why there are no values, and which

  /// What goes below the table.
  std::vector<std::string> notes() const;
};

}  // namespace rooflinectl
