// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// What the program itself drew for an experiment, as SVG.
struct PagePictures {
  std::string roofline;
  std::string size_sweep = {};  ///< empty where there is none
  std::string energy = {};      ///< empty where it was not to be measured
  std::string scaling = {};     ///< empty where all points use one GPU
};

/// What the page shows or offers for download that other files hold too.
struct PageParts {
  std::vector<PagePictures> experiments;  ///< one for each, or one for a run without experiments
  std::string primitives = {};            ///< their picture, as SVG; empty where there are none
  std::string collectives = {};           ///< likewise
  std::string points_csv = {};            ///< the text of `points.csv`
};

/// `report.html`: one self-contained page (built from `reports/page/web`) with the chart, the tables, the
/// ceilings and the environment of every experiment. It shows the pictures of primitives, collectives, size
/// sweeps and energies; where scripts do not run, all of them and the tables.
std::string report_page(const ReportModel& report, const PageParts& parts);

/// What the page's script shows of a run, as JSON (`docs/schema/page.schema.json`): points, roofs, tables and
/// texts. Everything is derived and formatted here; the script draws, sorts and filters.
std::string page_data(const ReportModel& report);

/// What a reader without JavaScript sees: the pictures of `parts`, tables, steps, ceilings and environment as
/// HTML.
std::string page_without_script(const ReportModel& report, const PageParts& parts);

}  // namespace rooflinectl
