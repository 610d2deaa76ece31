// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// What is written besides the reports.
enum class Export { none, perfetto };

/// Writes every report of a run into the existing folder `folder` and returns the files written: per
/// experiment `roofline-<experiment>.svg`, `.png` and `.pdf`, and `levels-<experiment>.*` where more than
/// DRAM was counted, `bandwidth-<experiment>.*` where a version was measured at four sizes or more,
/// `energy-<experiment>.*` where energy was to be measured, `time-<experiment>.*` of a profiled program,
/// `scaling-<experiment>.*` where points differ in the number of GPUs; `roofline.svg`, … of the first
/// experiment, or of the ceilings alone where there is none and not just primitives were measured (of further
/// devices `roofline-device-1.svg`, …); `summary_roofline-<experiment>.png` and the like, which `summary.md`
/// shows; `primitives.svg`, … and `primitives.csv` where primitives were measured; and `points.csv`,
/// `summary.md`, `report.html`; with `Export::perfetto` also, as the last one, the timelines of the run as
/// the trace `timeline.perfetto-trace` (`perfetto_trace`). They replace the reports that were there together,
/// and this throws, as `write_together` does; with an export also as `require_timeline`.
std::vector<std::filesystem::path> write_reports(const ReportModel& report,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::filesystem::path>& inputs = {},
                                                 Export exported = Export::none);

/// Throws Error(usage) if no device was sampled: there is nothing to export.
void require_timeline(const ReportModel& report);

}  // namespace rooflinectl
