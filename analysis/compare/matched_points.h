// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// One point in several runs.
struct MatchedPoint {
  std::vector<const RooflinePoint*> bases;  ///< in each base run; null where it has none
  const RooflinePoint* now = nullptr;       ///< null where the new run has none
  std::size_t device = 0;                   ///< its place among the compared devices
};

/// Which points of the runs belong together, as for `compare`; `devices` are those of the same runs. The
/// order is that of the new run; points that it does not have come last.
std::vector<MatchedPoint> matched_points(std::span<const AnalysedRun> baseline, const AnalysedRun& now,
                                         const std::vector<ComparedDevice>& devices);

}  // namespace rooflinectl
