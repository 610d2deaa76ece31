// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/run/run_options.h"
#include "reports/formats/terminal.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

/// Prints the tables of a run that was measured, what was lost, and how long it took.
void print_summary(const MeasureResult& result, const ReportModel& report, Rows rows);

/// Prints the last line of a run, with --quiet the only one, and makes the run the latest one.
void print_report(const std::filesystem::path& folder, Verbosity verbosity);

}  // namespace rooflinectl
