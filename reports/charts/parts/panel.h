// SPDX-License-Identifier: Apache-2.0
#pragma once

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
