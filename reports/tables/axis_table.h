// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/point_id.h"

namespace rooflinectl {

/// Points that are yet to be measured, for a terminal: what runs, then a column for each axis that one of
/// them has, in the order of the axes. A cell is empty where the point has no such axis, and for the block
/// size 0, which is the kernel's own. Each line begins with `indent`; empty where there are no points.
std::string axis_table(const std::vector<PointId>& points, std::string_view indent = {});

}  // namespace rooflinectl
