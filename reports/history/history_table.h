// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/history.h"

/// What all forms of a history share.
namespace rooflinectl {

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

/// What is new in a run: what differs in its environment, and which points changed.
struct RunNews {
  std::size_t run = 0;                   ///< its place in `History::runs`
  std::vector<std::string> environment;  ///< `driver: 580.159.04 → 590.12`
  std::vector<std::string> points;       ///< `V3: slower, 1.203 ms → 1.443 ms (+20.0 %)`
};

/// For each run with news, oldest first; with the `most_points` points that changed most.
std::vector<RunNews> history_news(const History& history, std::size_t most_points);

/// What marks mean, with their threshold.
std::string history_explanation(const History& history);

}  // namespace rooflinectl
