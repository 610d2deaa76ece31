// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/roofline/point.h"
#include "reports/charts/parts/panels.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr double kLargestChangeRow = 26;
constexpr double kTimeWidth = 82;
constexpr double kChangeWidth = 76;
constexpr double kChangeMarkWidth = 16;
constexpr double kWidestChangeLabel = 200;
constexpr double kSmallestRange = 0.02;

// From the left: mark, label, before, now, the bars, and at the right the change as a number.
struct ChangeColumns {
  double label = 0;
  double before = 0;  // right edges of numbers
  double now = 0;
  Box bars;
  double change = 0;
};

ChangeColumns change_columns(const Box& area) {
  ChangeColumns columns;
  columns.label = area.left + kChangeMarkWidth;
  columns.before = columns.label + kWidestChangeLabel + kTimeWidth;
  columns.now = columns.before + kTimeWidth;
  columns.change = area.right - 4;
  columns.bars = {columns.now + 24, area.top + panel::kHeaderHeight, columns.change - kChangeWidth,
                  area.bottom};
  return columns;
}

// Maps a ratio of times to a place between the left and the right of the bars, 1 in the middle.
struct ChangeScale {
  Box bars;
  double largest = 0;  // a ratio

  double x(double ratio) const {
    const double part = std::clamp(std::log(ratio) / std::log(largest), -1.0, 1.0);
    return bars.centre().x + part * bars.width() / 2;
  }
};

// The largest factor, up or down, that an interval reaches.
double largest_ratio(const RunComparison& comparison) {
  double largest = 1 + std::max(kSmallestRange, 2 * comparison.smallest_change);
  for (const PointComparison& point : comparison.points) {
    if (!point.time) continue;
    largest = std::max({largest, point.time->highest_ratio(), 1 / point.time->lowest_ratio()});
  }
  return largest;
}

Group change_header(const Box& area, const ChangeColumns& columns, const ChangeScale& scale, double range) {
  Group group{.name = "panel-header"};
  const double bottom = panel::header_baseline(area);
  const auto add = [&](std::string text, double x, Anchor anchor) {
    group.add_text(std::move(text), {x, bottom}, panel::kHeaderStyle, anchor);
  };
  group.add_text("Change of time", {area.left, bottom}, {15, Weight::semibold});
  add("before", columns.before, Anchor::end);
  add("now", columns.now, Anchor::end);
  add(format::change(1 / range), columns.bars.left, Anchor::start);
  add("same", scale.x(1), Anchor::middle);
  add(format::change(range), columns.bars.right, Anchor::end);
  add("time", columns.change, Anchor::end);
  group.add(panel::rule(area));
  return group;
}

std::string time_text(const std::optional<TimeChange>& time, const RooflinePoint* point, bool is_base) {
  if (time) return format::duration(is_base ? time->from.median_s : time->to.median_s);
  const bool has_time = point != nullptr && point->measurement->time;
  return has_time ? format::duration(time_per_launch_s(*point->measurement)) : format::kUnavailable;
}

void draw_change(Group& group, const TimeChange& change, Colour colour, const ChangeScale& scale, double y) {
  constexpr double kHalfHeight = 5;
  const double zero = scale.x(1);
  const double end = scale.x(change.ratio());
  group.add(rectangle({std::min(zero, end), y - kHalfHeight, std::max(zero, end), y + kHalfHeight}, colour));
  const Stroke stroke = {palette::kInk, 1.2};
  const double low = scale.x(change.lowest_ratio());
  const double high = scale.x(change.highest_ratio());
  group.add(Polyline{{{low, y}, {high, y}}, stroke});
  for (const double x : {low, high}) {
    group.add(Polyline{{{x, y - kHalfHeight / 2}, {x, y + kHalfHeight / 2}}, stroke});
  }
}

Group change_row(const PointComparison& point, const std::string& label, const ChangeColumns& columns,
                 const ChangeScale& scale, double y, double size) {
  Group group{.name = "panel-row", .title = change_sentence(point)};
  const Colour colour = change_colour(point.change);
  const TextStyle style = {size};
  const double baseline = y + 0.36 * size;
  const auto add = [&](std::string text, double x, Anchor anchor) {
    group.add_text(std::move(text), {x, baseline}, style, anchor);
  };
  group.add(Circle{{columns.label - 9, y}, 0.33 * size, colour, std::nullopt});
  group.add_fitted(label, {columns.label, baseline}, {size, Weight::semibold}, kWidestChangeLabel);
  add(time_text(point.time, point.base, true), columns.before, Anchor::end);
  add(time_text(point.time, point.now, false), columns.now, Anchor::end);
  if (point.time) draw_change(group, *point.time, colour, scale, y);
  const bool is_told = point.time && point.change != PointChange::unclear;
  add(is_told ? format::change(point.time->ratio()) : std::string(to_string(point.change)), columns.change,
      Anchor::end);
  return group;
}

// The range of changes that do not count, and the line of no change.
Group unchanged_band(const RunComparison& comparison, const ChangeColumns& columns, const ChangeScale& scale,
                     double bottom) {
  const double threshold = 1 + comparison.smallest_change;
  Group group{.name = "band"};
  group.add(
      rectangle({scale.x(1 / threshold), columns.bars.top, scale.x(threshold), bottom}, palette::kTrack));
  group.add(Polyline{{{scale.x(1), columns.bars.top}, {scale.x(1), bottom}}, {palette::kLeader, 1}});
  return group;
}

}  // namespace

Colour change_colour(PointChange change) {
  // In the order of `PointChange`: what is worse, what is better, what is neither.
  if (change <= PointChange::slower) return palette::kFamilies[1];
  return change < PointChange::unclear ? palette::kFamilies[0] : palette::kLeader;
}

std::string change_sentence(const PointComparison& point) {
  if (!point.time) return fmt::format("{}: {}", point.label, to_string(point.change));
  return fmt::format("{}: {}, {} → {} ({})", point.label, to_string(point.change),
                     format::duration(point.time->from.median_s), format::duration(point.time->to.median_s),
                     format::change(point.time->ratio()));
}

std::vector<Group> change_panel(const Box& area, const RunComparison& comparison) {
  const ChangeColumns columns = change_columns(area);
  const double range = largest_ratio(comparison);
  const ChangeScale scale = {columns.bars, range};
  const auto& points = comparison.points;
  const double height = area.bottom - columns.bars.top;
  const auto capacity = static_cast<std::size_t>(height / panel::kSmallestRow) - 1;
  const std::size_t shown = std::min(points.size(), capacity);
  const double spacing = std::clamp(height / static_cast<double>(std::max<std::size_t>(shown + 1, 1)),
                                    panel::kSmallestRow, kLargestChangeRow);
  const double size = std::min(14.0, spacing * 0.8);
  const bool has_experiments = std::ranges::any_of(points, [&](const PointComparison& point) {
    return point.point.experiment != points.front().point.experiment;
  });
  std::vector<Group> groups = {change_header(area, columns, scale, range)};
  groups.push_back(
      unchanged_band(comparison, columns, scale, columns.bars.top + spacing * static_cast<double>(shown)));
  double y = columns.bars.top + spacing / 2;
  for (std::size_t i = 0; i < shown; ++i, y += spacing) {
    const std::string label = has_experiments
                                  ? fmt::format("{} · {}", points[i].label, points[i].point.experiment)
                                  : points[i].label;
    groups.push_back(change_row(points[i], label, columns, scale, y, size));
  }
  if (shown < points.size()) {
    Group& rest = groups.emplace_back(Group{.name = "panel-rest"});
    rest.add_text(fmt::format("and {} more", points.size() - shown), {columns.label, y + 0.36 * size},
                  {size, Weight::regular, palette::kMuted});
  }
  return groups;
}

}  // namespace rooflinectl
