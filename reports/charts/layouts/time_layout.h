// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/program/recoverable.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Under the title of `chart`, the time of a program's kernels as a bar, divided by what bounds them, and
/// below it each part in numbers: as wide as a column of text.
Scene time_scene(const ChartModel& chart, const ProgramUse& program);

}  // namespace rooflinectl
