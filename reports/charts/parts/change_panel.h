// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Worse, better, or neither: told apart in grey too, and by the words beside them.
Colour change_colour(PointChange change);

/// `V3: slower, 1.203 ms → 1.443 ms (+20.0 %)`
std::string change_sentence(const PointComparison& point);

/// The points as rows, what matters first: times before and now, and the change as a bar with its interval.
/// The number of those without room is given.
std::vector<Group> change_panel(const Box& area, const RunComparison& comparison);

}  // namespace rooflinectl
