// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/history.h"

/// A history as text, CSV, JSON and page.
namespace rooflinectl {

// What all forms of a history share.

/// A number of a point that is followed over the runs.
struct FollowedQuantity {
  std::string key;    ///< as in `points.csv`
  std::string title;  ///< as tables are headed
  std::function<std::optional<double>(const RooflinePoint&)> value;
  std::string (*text)(double) = nullptr;
};

/// The time, % of roofline, and each of `counters`, keys of `docs/metrics.md`.
std::vector<FollowedQuantity> followed_quantities(const std::vector<std::string>& counters);

/// The values of a point in each run; nothing where it has none.
std::vector<std::optional<double>> values_over_runs(const PointHistory& point,
                                                    const FollowedQuantity& quantity);

/// The last of them that is there.
std::optional<double> newest_value(const std::vector<std::optional<double>>& values);

/// `+0.4 %` from the first run that timed the point to the last one that did.
std::string change_since_first(const PointHistory& point);

/// How many of its changes are marked.
std::size_t marked_changes(const PointHistory& point);

/// The last marked change of a point: `run 7: slower (+20.0 %)`; empty where none is.
std::string last_change_text(const PointHistory& point);

/// `12 runs, 2026-10-01 09:30 UTC to 2026-11-22 10:02 UTC`
std::string history_title(const History& history);

/// What is new in each run, a sentence each: what differs in its environment, `driver: 580.159.04 → 590.12`,
/// then the `most_points` points that changed most, `V3: slower, 1.203 ms → 1.443 ms (+20.0 %)`.
std::vector<std::vector<std::string>> history_news(const History& history, std::size_t most_points);

/// What marks mean, with their threshold.
std::string history_explanation(const History& history);

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
