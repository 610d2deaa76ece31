// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// What a quantity must change by between two versions of a kernel to be worth a word.
inline constexpr double kSmallestStepFactor = 1.05;

/// The quantities that changed from `before` to `after` by a factor of 1.05 or more, exact ones by
/// `smallest_exact_factor`, and ratios also by 0.01: DRAM bytes per element first, then the largest factor,
/// and those from or to zero last.
std::vector<CounterMove> counter_moves(const std::vector<DerivedQuantity>& before,
                                       const std::vector<DerivedQuantity>& after,
                                       double smallest_exact_factor);

}  // namespace rooflinectl
