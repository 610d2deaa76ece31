// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/timeline/timeline_view.h"
#include "reports/text/table.h"

namespace rooflinectl {

/// For each quantity of a sampled device: its mean over the window, its maximum over the window's parts, its
/// roof, and the mean as a share of the roof.
Table strip_table(const DeviceView& view);

}  // namespace rooflinectl
