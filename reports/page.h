// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// The pictures of an experiment as SVG.
struct PagePictures {
  std::string name;  ///< of the main one: the levels that it shows, `DRAM`
  std::string main;
  std::string levels;  ///< that of all levels; empty where there is none
};

/// `report.html`: one self-contained page with the charts (`pictures`, one element per experiment, or one for
/// a run without experiments), the tables, the ceilings and the environment. Without JavaScript all of it is
/// there; with it the charts zoom and answer the mouse, the tables sort.
std::string report_page(const Run& run, const Analysis& analysis, const std::vector<PagePictures>& pictures);

}  // namespace rooflinectl
