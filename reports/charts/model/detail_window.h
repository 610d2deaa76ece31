// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "reports/charts/model/chart_model.h"

namespace rooflinectl {

/// The window around the largest group of points that lie close together (each within a factor of six of
/// another one, both in intensity and in performance), with their executed marks and some room. Nothing if no
/// three points do.
std::optional<Window> detail_window(const std::vector<ChartPoint>& points);

}  // namespace rooflinectl
