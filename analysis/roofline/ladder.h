// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// How much a quantity must change between two versions of a kernel to be worth mentioning.
inline constexpr double kSmallestStepFactor = 1.05;

/// The compared quantities that changed from `before` to `after` by a factor of 1.05 or more, exact ones by
/// `smallest_exact_factor` or more; ratios also have to change by 0.01.
std::vector<CounterChange> counter_changes(const std::vector<QuantityValue>& before,
                                           const std::vector<QuantityValue>& after,
                                           double smallest_exact_factor);

/// Puts first what explains that the time changed by `speedup` (old over new): the quantity that the slower
/// version was bound by, if it got better; then the others, those first whose own factor is nearest to that
/// of the time on a logarithmic scale. What changed in the wrong direction, or from or to zero, comes last.
void sort_by_explanation(std::vector<CounterChange>& changes, double speedup, Bound bound_of_slower);

/// The steps between the points of one experiment, given in plan order. The steps point into `points`.
std::vector<LadderStep> ladder_steps(const Run& run, const std::vector<RooflinePoint>& points);

}  // namespace rooflinectl
