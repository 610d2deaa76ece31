// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"
#include "reports/page/page.h"

namespace rooflinectl {

/// What a reader without JavaScript sees: the pictures of `parts`, tables, steps, ceilings and environment as
/// HTML.
std::string page_without_script(const ReportModel& report, const PageParts& parts);

}  // namespace rooflinectl
