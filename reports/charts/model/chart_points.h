// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
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

/// The window around the largest group of points that lie close together (each within a factor of six of
/// another one, both in intensity and in performance), with their executed marks and some room. Nothing if no
/// three points do.
std::optional<Window> detail_window(const std::vector<ChartPoint>& points);

}  // namespace rooflinectl
