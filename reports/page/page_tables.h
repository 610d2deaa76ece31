// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/page/page_json.h"
#include "reports/report_model.h"

/// The tables of the page, their cells as text.
namespace rooflinectl::page {

/// How much faster than the references, at every size.
Json speeds(const std::vector<SpeedTable>& speed_tables);

/// What speaks against numbers of the experiment: the first sentences, and how many more there are.
std::vector<std::string> implausible(const ExperimentAnalysis& experiment);

Json ceilings(const ReportModel& report);
Json primitives(const Run& run);
/// Matrices between the devices; empty where no links were measured.
Json links(const Run& run);
Json agreements(const Run& run);
Json environment(const Run& run);

}  // namespace rooflinectl::page
