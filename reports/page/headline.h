// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace rooflinectl {

/// Which point is fastest and what bounds how many: `Closest to the roofline: V7, 97.2 % of roofline
/// (DRAM-bound). …`.
std::string headline(const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
