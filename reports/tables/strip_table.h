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

/// What a table tells of each quantity of a sampled device: its mean over the window, the most that it was
/// for a part of it, its roof, and what of the roof the mean is.
const std::vector<StripColumn>& strip_columns();

}  // namespace rooflinectl
