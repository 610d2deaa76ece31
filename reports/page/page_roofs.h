// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "reports/model/report_model.h"
#include "reports/page/page_json.h"

/// The ceilings as lines of the page's chart, and when it shows which of them.
namespace rooflinectl::page {

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

}  // namespace rooflinectl::page
