// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/comparison.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The picture of a comparison, 1600 × 900: on the roofline, whose axes come from the ceilings and stay where
/// they are, an arrow from where each point was to where it is; beside it per point the change of its time
/// with the interval, regressions first.
Scene comparison_scene(const Comparison& comparison);

}  // namespace rooflinectl
