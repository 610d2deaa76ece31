// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// `report.html`: one self-contained page with the charts (`svgs`, one per experiment), the tables, the
/// ceilings and the environment. Without JavaScript all of it is there; with it the charts zoom and answer
/// the mouse, the tables sort.
std::string report_page(const Run& run, const Analysis& analysis, const std::vector<std::string>& svgs);

}  // namespace rooflinectl
