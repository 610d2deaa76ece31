// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The points as rows, in the experiment's order: % of roofline as a bar, time and counters.
std::vector<Group> ladder_panel(const Box& area, const ChartModel& chart);

}  // namespace rooflinectl
