// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/devices/scaling.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Speed-up against the number of GPUs with the ideal line, and, at the largest number of GPUs, what part of
/// the time each GPU's own share takes. `chart` is that of the experiment.
Scene scaling_scene(const ChartModel& chart, const Scaling& scaling);

}  // namespace rooflinectl
