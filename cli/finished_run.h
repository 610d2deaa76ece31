// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "cli/terminal.h"
#include "reports/formats/formats.h"

/// What commands that make a run end with.
namespace rooflinectl {

/// Makes the link `latest` beside the run's folder point to it, unless a launcher made this a later rank than
/// the first. If something else has that name, it stays,
/// and a warning says so.
void make_latest(const std::filesystem::path& folder);

/// Prints the last line of a run, with --quiet the only one, and makes the run the latest one.
void print_report(const std::filesystem::path& folder, Verbosity verbosity);

/// Writes the reports into the run's folder; then prints, unless --quiet, the tables and below them `note`,
/// and ends as `print_report`.
void finish_run(const ReportModel& report, const std::filesystem::path& folder, Verbosity verbosity,
                Rows rows, std::string_view note = {});

}  // namespace rooflinectl
