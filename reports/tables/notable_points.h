// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// The indices of at most `most` points, in the order of the plan: all of them where they are not more; else
/// those that failed, could not be verified or have an implausible number, then of every version in every
/// type the one that is nearest to its roof and the one that is farthest from it.
std::vector<std::size_t> notable_points(const ExperimentAnalysis& experiment, std::size_t most);

}  // namespace rooflinectl
