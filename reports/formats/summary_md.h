// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report_model.h"

namespace rooflinectl {

/// What a pull request should show: per experiment the picture, the table and the ladder's steps; the
/// ceilings and the environment. GitHub-flavoured Markdown; pictures are links to `chart_file_name(…)` +
/// `.png` beside it, and of a run without experiments to `roofline.png`.
std::string summary_md(const ReportModel& report);

}  // namespace rooflinectl
