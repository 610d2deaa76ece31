// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/charts/model/chart_model.h"
#include "reports/charts/model/extent.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The roofs of a device without points, in the colours of their kinds; the names of the compute roofs stand
/// beside the plane.
Scene ceilings_scene(const ChartModel& chart, Extent extent = Extent::full);

}  // namespace rooflinectl
