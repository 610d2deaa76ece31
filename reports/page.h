// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// `report.html`: one self-contained page (built from `reports/web`) with the chart, the tables, the ceilings
/// and the environment of every experiment. Where scripts do not run it shows `pictures` (an SVG per
/// experiment, or one for a run without experiments) and the tables.
std::string report_page(const Run& run, const Analysis& analysis, const std::vector<std::string>& pictures);

}  // namespace rooflinectl
