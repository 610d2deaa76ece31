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

}  // namespace rooflinectl
