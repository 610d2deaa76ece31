// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// The steps between the points of one experiment, given in plan order. The steps point into `points`.
std::vector<LadderStep> ladder_steps(const Run& run, const std::vector<RooflinePoint>& points);

}  // namespace rooflinectl
