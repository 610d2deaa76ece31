// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/compare/comparison.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The pictures of comparisons (not empty) with the same base runs, 1600 × 900 each: on the roofline, whose
/// axes come from the ceilings and stay where they are, an arrow from where each point was to where it is;
/// beside it, for each point, the change of its time with the interval, regressions first.
std::vector<Scene> comparison_scenes(const std::vector<RunComparison>& comparisons);

/// The chart of each comparison without its points: roofs of the new run, and axes that hold both runs, the
/// same for all that share base runs.
std::vector<ChartModel> comparison_charts(const std::vector<RunComparison>& comparisons);

/// Where a point of either run lies on that chart; nothing where it has no place, or is null.
std::optional<PlanePoint> compared_place(const RooflinePoint* point);

}  // namespace rooflinectl
