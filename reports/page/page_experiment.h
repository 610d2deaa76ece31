// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"

namespace rooflinectl::page {

/// One experiment with its points, steps and roofs, as the text of a JSON object.
std::string experiment(const ReportModel& model, const ExperimentReport& report);

}  // namespace rooflinectl::page
