// SPDX-License-Identifier: Apache-2.0
#include "reports/history/history_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/roofline/point.h"
#include "reports/charts/parts/panels.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

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
  std::stable_sort(changed.begin(), changed.end(), is_more_important);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
    texts.push_back(change_sentence(*changed[i]));
  if (changed.size() > most) {
    texts.push_back(fmt::format("and {} more", changed.size() - most));
  }
  return texts;
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
  return first ? format::change(*last / *first) : std::string(format::kUnavailable);
}

std::size_t marked_changes(const PointHistory& point) {
  return static_cast<std::size_t>(
      std::count_if(point.changes.begin(), point.changes.end(),
                    [](const auto& change) { return change && is_marked(change->change); }));
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

std::vector<RunNews> history_news(const History& history, std::size_t most_points) {
  std::vector<RunNews> news;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    RunNews one{.run = run, .environment = {}, .points = changed_point_texts(history, run, most_points)};
    for (const auto& [name, from, to] : history.environment[run]) {
      one.environment.push_back(fmt::format("{}: {} → {}", name, from, to));
    }
    if (!one.environment.empty() || !one.points.empty()) news.push_back(std::move(one));
  }
  return news;
}

std::string history_explanation(const History& history) {
  return fmt::format(
      "Slower, faster: compared with the last run before that timed the point, the 95 % interval of the "
      "change excludes 0, and the medians differ by more than {}.",
      format::percent(history.smallest_change));
}

}  // namespace rooflinectl
