// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "reports/model/report_model.h"
#include "reports/page/page_json.h"
#include "reports/text/table.h"

/// The tables of the page, their cells as text.
namespace rooflinectl::page {

Json table(const Table& table);

/// Those that have something to show, with their titles.
Json titled_tables(const std::vector<Table>& tables);

/// How much faster than the references at every size.
Json speeds(const std::vector<SpeedTable>& speed_tables);

/// What casts doubt on numbers of the experiment: the first sentences, and how many more there are.
std::vector<std::string> implausible(const ExperimentAnalysis& experiment);

/// What was measured between the devices, and what it means.
Json device_tables(std::string_view explanation, const std::vector<Table>& tables);
Json agreements(const Run& run);
Json environment(const Run& run);

}  // namespace rooflinectl::page
