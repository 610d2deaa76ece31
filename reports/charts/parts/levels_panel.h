// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Where the row of a point lies in the panel.
struct PanelRow {
  std::size_t point = 0;
  Box box;
};

/// The rows that `area` has room for: the fastest point first, those without performance last.
std::vector<PanelRow> panel_rows(const Box& area, const ChartModel& chart);

/// A table: how busy each level was, and which one limits the point.
std::vector<Group> levels_panel(const Box& area, const ChartModel& chart, const std::vector<PanelRow>& rows);

}  // namespace rooflinectl
