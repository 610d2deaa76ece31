// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/charts/parts/panels.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr double kLargestLevelsRow = 28;
constexpr double kLevelsMarkWidth = 20;
constexpr double kLevelWidth = 52;
constexpr double kLimitWidth = 84;

// From the right: a column per level, the limit; what is left goes to the label.
struct LevelsColumns {
  double label = 0;
  double limit = 0;
  std::vector<double> levels;  // right edges
};

LevelsColumns levels_columns(const Box& area, const ChartModel& chart) {
  LevelsColumns columns;
  const double first = area.right - kLevelWidth * static_cast<double>(chart.levels.size());
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    columns.levels.push_back(first + kLevelWidth * static_cast<double>(i + 1) - 4);
  }
  columns.limit = first - kLimitWidth;
  columns.label = area.left + kLevelsMarkWidth;
  return columns;
}

Group levels_header(const Box& area, const LevelsColumns& columns, const ChartModel& chart) {
  Group group{.name = "panel-header"};
  const double bottom = panel::header_baseline(area);
  const auto add = [&](std::string text, double x, double y, Anchor anchor) {
    group.shapes.emplace_back(Text{std::move(text), {x, y}, panel::kHeaderStyle, anchor});
  };
  group.shapes.emplace_back(Text{"Levels", {area.left, bottom}, {15, Weight::semibold}});
  add("busiest level", columns.limit, bottom, Anchor::start);
  add("% of measured ceiling", area.right - 4, bottom - 15, Anchor::end);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    add(std::string(level_name(chart.levels[i])), columns.levels[i], bottom, Anchor::end);
  }
  group.shapes.emplace_back(panel::rule(area));
  return group;
}

const LevelMark* mark_at(const ChartPoint& point, MemoryLevel level) {
  const auto found = std::find_if(point.levels.begin(), point.levels.end(),
                                  [&](const LevelMark& mark) { return mark.level == level; });
  return found == point.levels.end() ? nullptr : &*found;
}

Group levels_row(const PanelRow& row, const LevelsColumns& columns, const ChartModel& chart, bool is_shaded) {
  const ChartPoint& point = chart.points[row.point];
  Group group{.name = "panel-row", .point = row.point, .title = point.title};
  const double size = std::min(14.0, row.box.height() * 0.72);
  const TextStyle strong = {size, Weight::semibold};
  const TextStyle normal = {std::min(13.0, size)};
  const double middle = (row.box.top + row.box.bottom) / 2;
  const double baseline = middle + 0.36 * size;
  // A row without ink would be invisible to the mouse.
  group.shapes.emplace_back(rectangle(row.box, is_shaded ? palette::kAttainable : palette::kPaper));
  group.shapes.emplace_back(
      Circle{{row.box.left + 8, middle}, 0.36 * size, family_colour(point.look), std::nullopt});
  const auto add = [&](const std::string& text, double x, const TextStyle& style, double width,
                       Anchor anchor) {
    group.shapes.emplace_back(Text{fitted(text, style, width), {x, baseline}, style, anchor});
  };
  add(point.is_flagged ? point.label + " *" : point.label, columns.label, strong,
      columns.limit - columns.label - 8, Anchor::start);
  add(point.limit, columns.limit, normal, kLimitWidth - 8, Anchor::start);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    const LevelMark* mark = mark_at(point, chart.levels[i]);
    const bool is_limiting = mark != nullptr && mark->is_limiting;
    const TextStyle style = {normal.size, is_limiting ? Weight::semibold : Weight::regular};
    add(mark != nullptr ? mark->utilisation : std::string(format::kUnavailable), columns.levels[i], style,
        kLevelWidth - 8, Anchor::end);
  }
  return group;
}

Group levels_remainder(const Box& area, std::size_t left_out) {
  const std::string text = fmt::format("… and {} more in report.html", left_out);
  return {
      .name = "panel-remainder",
      .shapes = {Text{
          text, {area.left + kLevelsMarkWidth, area.bottom - 4}, {11, Weight::regular, palette::kMuted}}}};
}

}  // namespace

std::vector<PanelRow> panel_rows(const Box& area, const ChartModel& chart) {
  std::vector<std::size_t> order(chart.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rate = [&](std::size_t i) {
    const auto& useful = chart.points[i].useful;
    return useful ? useful->flop_per_s : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rate(a) > rate(b); });
  const double top = area.top + panel::kHeaderHeight;
  const double room = area.bottom - top;
  const double height = std::clamp(room / static_cast<double>(std::max<std::size_t>(order.size(), 1)),
                                   panel::kSmallestRow, kLargestLevelsRow);
  const auto fitting = static_cast<std::size_t>(room / height + 1e-6);
  if (order.size() > fitting) order.resize(fitting - 1);
  std::vector<PanelRow> rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double row_top = top + height * static_cast<double>(i);
    rows.push_back({order[i], {area.left, row_top, area.right, row_top + height}});
  }
  return rows;
}

std::vector<Group> levels_panel(const Box& area, const ChartModel& chart, const std::vector<PanelRow>& rows) {
  const LevelsColumns columns = levels_columns(area, chart);
  std::vector<Group> groups = {levels_header(area, columns, chart)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    groups.push_back(levels_row(rows[i], columns, chart, i % 2 == 1));
  }
  if (rows.size() < chart.points.size()) {
    groups.push_back(levels_remainder(area, chart.points.size() - rows.size()));
  }
  return groups;
}

}  // namespace rooflinectl
