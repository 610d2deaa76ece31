// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "reports/model/report_model.h"
#include "reports/page/page_json.h"
#include "reports/tables/devices/device_table.h"
#include "reports/tables/program_table.h"

/// The tables of the page, their cells as text.
namespace rooflinectl::page {

/// A table of a program with its title.
Json titled_table(const ProgramTable& table);

/// How much faster than the references at every size.
Json speeds(const std::vector<SpeedTable>& speed_tables);

/// What casts doubt on numbers of the experiment: the first sentences, and how many more there are.
std::vector<std::string> implausible(const ExperimentAnalysis& experiment);

Json ceilings(const ReportModel& report);
Json primitives(const Run& run);
/// What was measured between the devices, and what it means.
Json device_tables(std::string_view explanation, const std::vector<DeviceTable>& tables);
Json agreements(const Run& run);
Json environment(const Run& run);

}  // namespace rooflinectl::page
