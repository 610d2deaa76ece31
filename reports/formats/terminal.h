// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// Which rows the tables of a terminal have: if there are many points the notable ones, or all.
enum class Rows { notable, all };

/// The tables of the points as a terminal shows them, at most `columns` wide, and below them the roofline of
/// the first experiment; for a run without experiments, its ceilings.
std::string terminal_summary(const ReportModel& report, int columns, Rows rows = Rows::notable);

/// The table of the self-test as a terminal shows it, at most `columns` wide, below it the verdict and a
/// sentence for each number that differs.
std::string terminal_self_test(const SelfTest& self_test, int columns);

/// The points of `experiment` under their roofs, drawn with characters: at most `columns`, and at most 100,
/// wide. Empty where there is nothing to draw or less than 40 columns.
std::string terminal_roofline(const ExperimentReport& experiment, int columns);

}  // namespace rooflinectl
