// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// What differs in driver, tool, plan and each of `comparison.devices` between the new run and every base run
/// that has such a device.
std::vector<EnvironmentChange> environment_changes(const RunComparison& comparison);

}  // namespace rooflinectl
