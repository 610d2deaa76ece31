// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline_view.h"

namespace rooflinectl {

struct StripColumn {
  std::string_view title;
  bool is_number = false;
  std::string (*text)(const DeviceView& view, const Strip& strip) = nullptr;
};

/// What a table shows for each quantity of a sampled device: its mean over the window, its maximum over the
/// window's parts, its roof, and the mean as a share of the roof.
const std::vector<StripColumn>& strip_columns();

}  // namespace rooflinectl
