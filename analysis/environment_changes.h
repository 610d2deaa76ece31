// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/comparison.h"

namespace rooflinectl {

/// What differs in device, driver, tool and plan between `now` and every run of `baseline`.
std::vector<EnvironmentChange> environment_changes(std::span<const AnalysedRun> baseline,
                                                   const AnalysedRun& now);

}  // namespace rooflinectl
