// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Under the title of `chart`, which is of `experiment`, a row for each point: the energy of a launch, the
/// useful work that a joule does, and the mean power, or why there is no energy. 1600 × 900. Where there is
/// not room for all points, the notable ones.
Scene energy_scene(const Run& run, const ExperimentAnalysis& experiment, const ChartModel& chart);

}  // namespace rooflinectl
