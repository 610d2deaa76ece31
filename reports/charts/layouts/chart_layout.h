// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/charts/model/chart_model.h"
#include "reports/charts/model/extent.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The picture of one experiment: the roofline, a detail where points lie close together and, unless the
/// picture is narrow, the ladder. Labels never overlap each other or a roof that they do not belong to, and
/// none is cut off.
Scene chart_scene(const ChartModel& chart, Extent extent = Extent::full);

}  // namespace rooflinectl
