// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/comparison.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The pictures of comparisons (not empty) with the same base runs, 1600 × 900 each: on the roofline, whose
/// axes come from the ceilings and stay where they are, an arrow from where each point was to where it is;
/// beside it per point the change of its time with the interval, regressions first.
std::vector<Scene> comparison_scenes(const std::vector<RunComparison>& comparisons);

}  // namespace rooflinectl
