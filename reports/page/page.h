// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/report_model.h"

namespace rooflinectl {

/// What the program itself drew of an experiment, as SVG.
struct PagePictures {
  std::string roofline;
  std::string size_sweep = {};  ///< empty where there is none
  std::string energy = {};      ///< empty where it was not to be measured
};

/// `report.html`: one self-contained page (built from `reports/page/web`) with the chart, the tables, the
/// ceilings and the environment of every experiment. It shows `primitives_picture` (an SVG) and the size
/// sweeps and energies of `pictures` (one per experiment, or one for a run without experiments); where
/// scripts do not run, all of them and the tables.
std::string report_page(const ReportModel& report, const std::vector<PagePictures>& pictures,
                        const std::string& primitives_picture = {});

}  // namespace rooflinectl
