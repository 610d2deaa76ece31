// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The picture of an experiment over all levels of the memory hierarchy, 1600 × 900: each point once per
/// level, filled at the one that limits it, a detail where points lie close together, and beside it how busy
/// each level was. Labels overlap as little as in `chart_scene`.
Scene levels_scene(const ChartModel& chart);

}  // namespace rooflinectl
