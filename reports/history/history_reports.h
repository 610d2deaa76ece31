// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/history/history_table.h"

/// A history as text, CSV, JSON and page.
namespace rooflinectl {

/// What a report of a history shows.
struct HistoryReport {
  History history;
  std::vector<FollowedQuantity> quantities;
  std::vector<LeftOutRun> left_out;
};

/// Which points the terminal's table shows.
enum class HistoryRows {
  notable,  ///< where there are more than 40, those with a marked change
  all
};

/// As a terminal shows it, at most `columns` wide: a line with sparklines for each point, and which changes
/// came with which run.
std::string history_text(const HistoryReport& report, int columns, HistoryRows rows = HistoryRows::notable);

/// A row for each point in each run; SI units, ratios between 0 and 1.
std::string history_csv(const HistoryReport& report);

/// One document; likewise (`docs/schema/history.schema.json`).
std::string history_json(const HistoryReport& report);

/// One self-contained page, which needs neither network nor scripts.
std::string history_page(const HistoryReport& report);

/// Writes `history.html`, `history.csv` and `history.json` into the existing folder `folder` and returns the
/// files written. They replace those of an earlier history together, and this throws, as `write_together`
/// does.
std::vector<std::filesystem::path> write_history(const HistoryReport& report,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::filesystem::path>& inputs);

}  // namespace rooflinectl
