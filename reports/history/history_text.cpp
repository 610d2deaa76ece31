// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/files/files.h"
#include "reports/compare/comparison_reports.h"
#include "reports/history/history_reports.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMostTablePoints = 40;
constexpr std::size_t kMostRunsWithNews = 20;
constexpr std::size_t kMostPointsOfRun = 3;

std::vector<const PointHistory*> points_of_table(const History& history, HistoryRows rows) {
  const bool are_all = rows == HistoryRows::all || history.points.size() <= kMostTablePoints;
  std::vector<const PointHistory*> shown;
  for (const PointHistory& point : history.points) {
    if (are_all || marked_changes(point) > 0) shown.push_back(&point);
  }
  return shown;
}

/// As wide as the terminal allows all sparklines to be.
std::size_t sparkline_width(std::size_t runs, std::size_t quantities, std::size_t width) {
  constexpr std::size_t kNarrowest = 8;
  constexpr std::size_t kWidest = 40;
  constexpr std::size_t kOthers = 60;  // columns of text and numbers beside them
  const std::size_t room = width > kOthers ? (width - kOthers) / quantities : 0;
  return std::min(runs, std::clamp(room, kNarrowest, kWidest));
}

bool have_experiments(const std::vector<const PointHistory*>& points) {
  return std::any_of(points.begin(), points.end(), [&](const PointHistory* point) {
    return point->point.experiment != points.front()->point.experiment;
  });
}

std::string history_table(const HistoryReport& report, const std::vector<const PointHistory*>& points,
                          std::size_t width) {
  const std::size_t line = sparkline_width(report.history.runs.size(), report.quantities.size(), width);
  Table table = {.columns = {{"point"}, {"experiment"}}, .dispensable = {"last change"}};
  for (const FollowedQuantity& quantity : report.quantities) {
    table.columns.push_back({std::string(quantity.title), true});
    table.columns.push_back({"newest", true});
    if (&quantity == &report.quantities.front()) table.columns.push_back({"since first", true});
  }
  table.columns.push_back({"last change"});
  for (const PointHistory* point : points) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {point->label, point->point.experiment};
    for (const FollowedQuantity& quantity : report.quantities) {
      const auto values = values_over_runs(*point, quantity);
      row.push_back(sparkline(values, line));
      row.push_back(format::optional(newest_value(values), quantity.text));
      if (&quantity == &report.quantities.front()) row.push_back(change_since_first(*point));
    }
    row.push_back(last_change_text(*point));
  }
  if (!have_experiments(points)) table.remove("experiment");
  return text_table(table, width);
}

std::string news_text(const History& history, std::size_t width) {
  const std::vector<RunNews> all = history_news(history, kMostPointsOfRun);
  if (all.empty()) return "\nno changes\n";
  const std::size_t skipped = all.size() > kMostRunsWithNews ? all.size() - kMostRunsWithNews : 0;
  std::string text = "\nChanges\n";
  if (skipped > 0) text += fmt::format("  {} before these\n", format::counted(skipped, "run"));
  for (std::size_t i = skipped; i < all.size(); ++i) {
    const AnalysedRun& run = history.runs[all[i].run];
    text += sentence(
        fmt::format("  run {}, {}: {}", all[i].run + 1, format::utc(run.run.started_utc), run.name), width);
    for (const auto* items : {&all[i].environment, &all[i].points}) {
      for (const std::string& item : *items) text += sentence(fmt::format("    {}", item), width);
    }
  }
  return text;
}

}  // namespace

std::string history_text(const HistoryReport& report, int columns, HistoryRows rows) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  const History& history = report.history;
  std::string text = sentence(history_title(history), width);
  const AnalysedRun& newest = history.runs.back();
  text += sentence(fmt::format("newest: {}: {}", newest.name, run_text(newest.run)), width);
  const std::vector<const PointHistory*> points = points_of_table(history, rows);
  if (!points.empty()) text += fmt::format("\n{}", history_table(report, points, width));
  if (const std::size_t others = history.points.size() - points.size(); others > 0) {
    text += fmt::format("{} without a change; --all shows them\n", format::counted(others, "point"));
  }
  text += news_text(history, width);
  return text + fmt::format("\n{}", paragraph(history_explanation(history), width));
}

std::vector<std::filesystem::path> write_history(const HistoryReport& report,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::filesystem::path>& inputs) {
  constexpr const char* kPageName = "history.html";
  return write_together(folder, kPageName,
                        {{kPageName, history_page(report)},
                         {"history.csv", history_csv(report)},
                         {"history.json", history_json(report)}},
                        inputs);
}

}  // namespace rooflinectl
