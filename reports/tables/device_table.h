// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

struct DeviceColumn {
  std::string title;
  bool is_number = false;
};

/// What was measured between devices, with what to know about it.
struct DeviceTable {
  std::string title;   ///< `Copy engine, one way, GB/s (% of NVLink in theory)`
  std::string method;  ///< what was measured, and how much the samples vary; empty where there is no value
  std::vector<DeviceColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< none where there is no value
  std::vector<std::string> reasons;            ///< why there are no values, and which

  /// What stands below it.
  std::vector<std::string> notes() const;
};

}  // namespace rooflinectl
