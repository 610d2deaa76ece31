// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "reports/charts/model/chart_model.h"

/// The part of the plane that a picture shows.
namespace rooflinectl {

/// What the axes show where there is nothing to take them from.
inline constexpr Window kDefaultAxes = {{1e-2, 1e3}, {1e9, 1e14}};

/// Where the memory roof of most points meets the compute roofs.
std::vector<Ridge> ridges_of(const std::vector<RoofLine>& roofs, const std::vector<RooflinePoint>& points);

/// The axes come from the ceilings alone, so that two runs on one device can be laid side by side; only a
/// point that would lie outside moves them, by whole decades.
Window axes_of(const ChartModel& chart, const std::vector<Ridge>& ridges);

/// The part of the plane in which every roof ends, with some room; nothing without roofs of both kinds.
std::optional<Window> axes_around(const std::vector<RoofLine>& roofs);

/// The part of `inner` that `outer` shows.
Window within(const Window& inner, const Window& outer);

/// The window with the marks of all levels of the points whose performance lies in it.
Window with_levels(Window window, const std::vector<ChartPoint>& points);

}  // namespace rooflinectl
