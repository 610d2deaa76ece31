// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"

namespace rooflinectl {

/// The runs that a comparison or a gate is about.
struct RunsToCompare {
  std::vector<AnalysedRun> baseline;
  std::vector<AnalysedRun> now;
};

/// Reads `runs`, each a run.json, compressed or not, or the folder that holds one. The first of them is the
/// baseline, unless `baseline` names others. Throws Error(usage) if nothing is left to compare, or a run
/// cannot be read.
RunsToCompare read_runs_to_compare(const std::vector<std::string>& runs,
                                   const std::vector<std::string>& baseline);

}  // namespace rooflinectl
