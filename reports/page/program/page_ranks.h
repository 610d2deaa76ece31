// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model/report_model.h"
#include "reports/page/page_json.h"

namespace rooflinectl::page {

/// The ranks of a program side by side: sentences, tables, time by rank and phase, and what their devices did
/// over time.
Json ranks(const ReportModel& report);

}  // namespace rooflinectl::page
