// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run.h"

namespace rooflinectl {

/// Writes every report of `run` into the existing folder `folder` and returns the files written: per
/// experiment `roofline-<experiment>.svg` and `.png`, `roofline.svg` and `.png` for the first experiment, and
/// `points.csv`, `summary.md`, `report.html`. Throws Error(environment) if a file cannot be written.
std::vector<std::filesystem::path> write_reports(const Run& run, const std::filesystem::path& folder);

/// The table of all points as a terminal shows it, at most `columns` wide.
std::string terminal_summary(const Run& run, int columns);

}  // namespace rooflinectl
