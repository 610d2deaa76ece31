// SPDX-License-Identifier: Apache-2.0
#include "reports/history/history_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "analysis/roofline/point.h"
#include "core/files/files.h"
#include "reports/charts/parts/panels.h"
#include "reports/compare/comparison_reports.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

std::optional<double> time_of_point(const RooflinePoint& point) {
  return is_timed(*point.measurement) ? std::optional(time_per_launch_s(*point.measurement)) : std::nullopt;
}

std::string followed_counter_text(double value) {
  constexpr double kManyEvents = 1e4;
  return std::abs(value) < kManyEvents ? format::significant(value, 4) : format::amount(value, "");
}

double size_of_change(const PointComparison& change) {
  return change.time ? std::abs(std::log(change.time->ratio())) : 0;
}

// What is lost comes first, then what changed most.
bool is_more_important(const PointComparison* a, const PointComparison* b) {
  const bool is_broken = a->change == PointChange::broken;
  if (is_broken != (b->change == PointChange::broken)) return is_broken;
  return size_of_change(*a) > size_of_change(*b);
}

std::vector<std::string> changed_point_texts(const History& history, std::size_t run, std::size_t most) {
  std::vector<const PointComparison*> changed;
  for (const PointHistory& point : history.points) {
    const auto& change = point.changes[run];
    if (change && is_marked(change->change)) changed.push_back(&*change);
  }
  std::ranges::stable_sort(changed, is_more_important);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
    texts.push_back(change_sentence(*changed[i]));
  if (changed.size() > most) {
    texts.push_back(fmt::format("and {} more", changed.size() - most));
  }
  return texts;
}

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
  return std::ranges::any_of(points, [&](const PointHistory* point) {
    return point->point.experiment != points.front()->point.experiment;
  });
}

std::string history_table(const HistoryReport& report, const std::vector<const PointHistory*>& points,
                          std::size_t width) {
  const std::size_t line = sparkline_width(report.history.runs.size(), report.quantities.size(), width);
  Table table = {.columns = {column::text("point"), column::text("experiment")},
                 .dispensable = {"last change"}};
  for (const FollowedQuantity& quantity : report.quantities) {
    table.columns.push_back(column::number(std::string(quantity.title)));
    table.columns.push_back(column::number("newest"));
    if (&quantity == &report.quantities.front()) table.columns.push_back(column::number("since first"));
  }
  table.columns.push_back(column::text("last change"));
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
  const std::vector<std::vector<std::string>> news = history_news(history, kMostPointsOfRun);
  std::vector<std::size_t> shown;  // runs with news
  for (std::size_t run = 0; run < news.size(); ++run) {
    if (!news[run].empty()) shown.push_back(run);
  }
  if (shown.empty()) return "\nno changes\n";
  const std::size_t skipped = shown.size() > kMostRunsWithNews ? shown.size() - kMostRunsWithNews : 0;
  std::string text = "\nChanges\n";
  if (skipped > 0) text += fmt::format("  {} before these\n", format::counted(skipped, "run"));
  for (const std::size_t run : std::span(shown).subspan(skipped)) {
    const AnalysedRun& of = history.runs[run];
    text +=
        sentence(fmt::format("  run {}, {}: {}", run + 1, format::utc(of.run.started_utc), of.name), width);
    for (const std::string& item : news[run]) text += sentence(fmt::format("    {}", item), width);
  }
  return text;
}

}  // namespace

std::vector<FollowedQuantity> followed_quantities(const std::vector<std::string>& counters) {
  std::vector<FollowedQuantity> quantities = {
      {"time_s", "time", time_of_point, format::duration},
      {std::string(point_number::kFractionOfRoofline.csv),
       std::string(point_number::kFractionOfRoofline.title), point_number::kFractionOfRoofline.value,
       format::percent},
  };
  for (const std::string& key : counters) {
    quantities.push_back(
        {key, key, [key](const RooflinePoint& point) { return value_of(point.measurement->counters, key); },
         followed_counter_text});
  }
  return quantities;
}

std::vector<std::optional<double>> values_over_runs(const PointHistory& point,
                                                    const FollowedQuantity& quantity) {
  std::vector<std::optional<double>> values;
  for (const RooflinePoint* run : point.runs) {
    values.push_back(run != nullptr ? quantity.value(*run) : std::nullopt);
  }
  return values;
}

std::optional<double> newest_value(const std::vector<std::optional<double>>& values) {
  const auto newest =
      std::find_if(values.rbegin(), values.rend(), [](const auto& value) { return value.has_value(); });
  return newest != values.rend() ? *newest : std::nullopt;
}

std::string change_since_first(const PointHistory& point) {
  std::optional<double> first;
  std::optional<double> last;
  for (const RooflinePoint* run : point.runs) {
    const auto value = run != nullptr ? time_of_point(*run) : std::nullopt;
    if (!value) continue;
    if (!first) first = value;
    last = value;
  }
  return first ? format::change(*last / *first) : format::kUnavailable;
}

std::size_t marked_changes(const PointHistory& point) {
  return static_cast<std::size_t>(std::ranges::count_if(
      point.changes, [](const auto& change) { return change && is_marked(change->change); }));
}

std::string last_change_text(const PointHistory& point) {
  for (std::size_t run = point.changes.size(); run-- > 0;) {
    const auto& change = point.changes[run];
    if (!change || !is_marked(change->change)) continue;
    const std::string by = change->time ? fmt::format(" ({})", format::change(change->time->ratio())) : "";
    return fmt::format("run {}: {}{}", run + 1, to_string(change->change), by);
  }
  return {};
}

std::string history_title(const History& history) {
  return fmt::format("{}, {} to {}", format::counted(history.runs.size(), "run"),
                     format::utc(history.runs.front().run.started_utc),
                     format::utc(history.runs.back().run.started_utc));
}

std::vector<std::vector<std::string>> history_news(const History& history, std::size_t most_points) {
  std::vector<std::vector<std::string>> news;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    news.push_back(environment_texts(history.environment[run]));
    std::ranges::move(changed_point_texts(history, run, most_points), std::back_inserter(news.back()));
  }
  return news;
}

std::string history_explanation(const History& history) {
  return fmt::format(
      "Slower, faster: compared with the last run before that timed the point, the 95 % interval of the "
      "change excludes 0, and the medians differ by more than {}.",
      format::percent(history.smallest_change));
}

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
