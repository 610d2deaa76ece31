// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// What the page's script shows of a run, as JSON (`docs/schema/page.schema.json`): points, roofs, tables and
/// texts. Everything is derived and formatted here; the script draws, sorts and filters.
std::string page_data(const ReportModel& report);

}  // namespace rooflinectl
