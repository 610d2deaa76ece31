// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/page/page.h"
#include "reports/report_model.h"

namespace rooflinectl {

/// What a reader without JavaScript sees: `pictures` (SVG, one per experiment), tables, steps, ceilings and
/// environment as HTML.
std::string page_without_script(const ReportModel& report, const std::vector<PagePictures>& pictures,
                                const std::string& primitives_picture);

}  // namespace rooflinectl
