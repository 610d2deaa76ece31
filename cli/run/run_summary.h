// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/formats/terminal.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

/// Prints the tables of a run that was measured, what was lost, and how long it took.
void print_summary(const MeasureResult& result, const ReportModel& report, Rows rows);

}  // namespace rooflinectl
