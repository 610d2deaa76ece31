// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/counters/metrics.h"
#include "core/program/profile_settings.h"

namespace rooflinectl {

/// The metrics that a pass counts (those of hardware counters also the time of the launch), the most
/// important first. A launch is not repeated: where a chip cannot count all of them at once, it does without
/// the last ones.
std::vector<Metric> pass_metrics(Pass pass);

}  // namespace rooflinectl
