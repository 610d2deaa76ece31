// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// What a pull request should show: per experiment the picture, the table and the ladder's steps; the
/// ceilings and the environment. GitHub-flavoured Markdown that shows the narrow pictures beside it, with
/// links to the large ones.
std::string summary_md(const ReportModel& report);

}  // namespace rooflinectl
