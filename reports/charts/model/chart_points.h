// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/charts/model/chart_model.h"

/// Points as pictures show them.
namespace rooflinectl {

/// Its mark, and the texts of its row, without its family and levels.
ChartPoint chart_point(const RooflinePoint& point);

/// Where it lies at those of its levels that are in `levels`.
std::vector<LevelMark> level_marks(const RooflinePoint& point, const std::vector<MemoryLevel>& levels);

/// The place of the point's family in `families`, to which it is added if it is new.
std::size_t family_index(std::vector<Family>& families, const RooflinePoint& point);

/// `noisy: V3, V7; cache-resident: V2`
std::string flagged_points(const std::vector<RooflinePoint>& points);

}  // namespace rooflinectl
