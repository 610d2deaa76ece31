// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// Which devices of `baseline` correspond to which of `now`: those with the same UUID; among the rest those
/// of the same model, in their order; among the rest any, in their order, so that runs of different models
/// can be compared. The devices of `now` come first, in its order, then those that only base runs have.
std::vector<ComparedDevice> compared_devices(std::span<const AnalysedRun> baseline, const AnalysedRun& now);

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
