// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/report_model.h"
#include "reports/page/page_json.h"
#include "reports/tables/tables.h"
#include "reports/text/text_table.h"

/// The parts of the page's data: experiments, what they are presented with, roofs and tables.
namespace rooflinectl::page {

/// One experiment with its points, steps and roofs, as the text of a JSON object.
std::string experiment(const ReportModel& model, const ExperimentReport& report);

Json columns(const PointKinds& kinds);

/// The words for what can bound a point.
Json bounds();

/// The shapes of marks, each with its outline as the path of an SVG around the origin.
Json shapes();

/// The memory levels, from DRAM inwards.
Json levels();

/// The families with what tells them apart.
Json families(const std::vector<Family>& all);

/// Every ceiling that is drawn as a line, and where it meets the others.
Json roofs(const Run& run);

/// The places in `roofs` of those over the points of `experiment`, for each memory level and for all of them.
Json roof_sets(const Run& run, const ExperimentAnalysis& experiment);

/// The places in `roofs` of the measured ones on `device` with these ids; `f32_fma + f32_add` names two.
Json roofs_of(const Run& run, std::size_t device, const std::vector<std::string_view>& ids);

/// The places in `roofs` of those that a chart of `device` without points shows.
Json roofs_alone(const Run& run, std::size_t device);

/// The precisions of roofs and points, from the widest to the narrowest.
Json precisions(const ReportModel& report);

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
