// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/comparison.h"

namespace rooflinectl {

/// What `now` says of device, driver, tool and plan that no run of `baseline` says.
std::vector<EnvironmentChange> environment_changes(std::span<const AnalysedRun> baseline,
                                                   const AnalysedRun& now);

}  // namespace rooflinectl
