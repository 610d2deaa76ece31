// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

/// What the tables beside or below a chart have in common.
namespace rooflinectl::panel {

inline constexpr double kHeaderHeight = 42;
inline constexpr double kSmallestRow = 15;
inline constexpr TextStyle kHeaderStyle = {12, Weight::regular, palette::kMuted};

/// Where the last line of a header stands.
inline double header_baseline(const Box& area) {
  return area.top + kHeaderHeight - 12;
}

/// The line between the header of a panel and its rows.
inline Polyline rule(const Box& area) {
  const double y = area.top + kHeaderHeight - 4;
  return {{{area.left, y}, {area.right, y}}, {palette::kLeader, 1}};
}

}  // namespace rooflinectl::panel
namespace rooflinectl {

/// Whether kernels of a program have no place on the roofline, since they execute no floating-point
/// operations or none were counted, but do have one in the strip.
bool has_bandwidth_strip(const ChartModel& chart);

/// These kernels, by the share of the DRAM bandwidth that they reach, in `frame`.
std::vector<Group> bandwidth_strip(const Box& frame, const ChartModel& chart);

/// The points as rows, in the experiment's order: % of roofline as a bar, time and counters.
std::vector<Group> ladder_panel(const Box& area, const ChartModel& chart);

/// Where the row of a point lies in the panel.
struct PanelRow {
  std::size_t point = 0;
  Box box;
};

/// The rows that `area` has room for: the fastest point first, those without performance last.
std::vector<PanelRow> panel_rows(const Box& area, const ChartModel& chart);

/// A table: how busy each level was, and which one limits the point.
std::vector<Group> levels_panel(const Box& area, const ChartModel& chart, const std::vector<PanelRow>& rows);

/// Worse, better, or neither: told apart in grey too, and by the words beside them.
Colour change_colour(PointChange change);

/// `V3: slower, 1.203 ms → 1.443 ms (+20.0 %)`
std::string change_sentence(const PointComparison& point);

/// The points as rows, what matters first: times before and now, and the change as a bar with its interval.
/// The number of those without room is given.
std::vector<Group> change_panel(const Box& area, const RunComparison& comparison);

}  // namespace rooflinectl
