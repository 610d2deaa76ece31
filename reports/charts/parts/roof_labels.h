// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/charts/parts/plot.h"
#include "reports/draw/label_placement.h"

namespace rooflinectl {

inline constexpr TextStyle kRoofLabelStyle = {11.5, Weight::regular, palette::kInk};

/// Keeps the roofs and ridges free of labels.
void block_roofs(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// The names of the bandwidths, in a staircase above the fastest one or, where there is no room, below
/// the slowest; one group for each that found a place.
std::vector<Group> bandwidth_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// The names of the compute roofs, on or near their lines.
std::vector<Group> compute_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// Both, and the intensities of the ridges, upright at the lower edge.
std::vector<Group> roof_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

}  // namespace rooflinectl
