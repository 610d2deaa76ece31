// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/sentences/sentences.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr Box kLevelsBesideDetail = {86, kPanelTop, 490, kPanelBottom};
constexpr Box kLevelsAlone = {86, kPanelTop, 1032, kPanelBottom};
constexpr Box kDetail = {562, kPanelTop, 1032, kPanelBottom};
constexpr Box kPanel = {1090, kPanelTop - 42, kWidth - 22, kPanelBottom + 10};

constexpr double kLevelMarkRadius = 5;
constexpr double kSmallLevelMarkRadius = 3;  // where the detail shows the same mark again, larger

// Marks of levels with the same intensity lie inside each other.
double radius_of(MemoryLevel level, double radius) {
  if (level == MemoryLevel::dram) return 0.8 * radius;
  return level == MemoryLevel::l1 ? 1.3 * radius : radius;
}

bool has_rate_in_detail(const ChartModel& chart, const ChartPoint& point) {
  return chart.detail && point.useful && chart.detail->flop_per_s.holds(point.useful->flop_per_s);
}

Group legend(const ChartModel& chart) {
  LegendRows rows;
  for (const Family& family : chart.families) rows.add_colour(family.name, family_colour(family.look));
  for (const MemoryLevel level : chart.levels) {
    rows.add(std::string(level_name(level)), 12, [&](Group& group, Pixel at) {
      group.add(shaped_mark(shape_of(level), palette::kInk, {at.x + 6, at.y},
                            radius_of(level, kLevelMarkRadius), MarkFill::outline));
    });
  }
  rows.add("filled: the busiest level", 12, [](Group& group, Pixel at) {
    group.add(Circle{{at.x + 6, at.y}, kLevelMarkRadius, palette::kInk, std::nullopt});
  });
  rows.add_roofs(chart);
  return rows.take();
}

// The ends of a point: its leftmost and its rightmost mark.
struct Span {
  Pixel left;
  Pixel right;
};

std::optional<Span> span_of(const Plot& plot, const ChartPoint& point) {
  std::optional<Span> span;
  for (const LevelMark& mark : point.levels) {
    if (!mark.at) continue;
    const Pixel at = plot.at(*mark.at);
    if (!span) span = Span{at, at};
    if (at.x < span->left.x) span->left = at;
    if (at.x > span->right.x) span->right = at;
  }
  return span;
}

void block_level_marks(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  const bool is_joined = are_joined(chart);
  for (const ChartPoint& point : chart.points) {
    for (const LevelMark& mark : point.levels) {
      if (!mark.at) continue;
      placer.block(square(plot.at(*mark.at), kLevelMarkRadius + 2));
    }
    if (!is_joined) continue;
    if (const auto span = span_of(plot, point)) placer.block(span->left, span->right);
  }
}

Group mark_group(const Plot& plot, const ChartPoint& point, const LevelMark& mark, std::size_t index,
                 double radius) {
  const MarkFill fill = mark.is_limiting ? MarkFill::filled : MarkFill::outline;
  return {.name = fmt::format("point level-{}", to_string(mark.level)),
          .point = index,
          .title = mark.title,
          .clip = plot.frame().grown(2 * radius),
          .shapes = {shaped_mark(shape_of(mark.level), family_colour(point.look), plot.at(*mark.at),
                                 radius_of(mark.level, radius), fill)}};
}

// The line under the marks of a point, if they are to be joined, then the marks, the filled one last.
std::vector<Group> point_groups(const Plot& plot, const ChartPoint& point, std::size_t index, double radius,
                                bool is_joined) {
  std::vector<Group> groups;
  if (const auto span = span_of(plot, point); span && is_joined) {
    groups.push_back({.name = "point",
                      .point = index,
                      .clip = plot.frame(),
                      .shapes = {Polyline{{span->left, span->right}, {family_colour(point.look), 1}}}});
  }
  for (const bool is_limiting : {false, true}) {
    for (const LevelMark& mark : point.levels) {
      if (mark.at && mark.is_limiting == is_limiting) {
        groups.push_back(mark_group(plot, point, mark, index, radius));
      }
    }
  }
  return groups;
}

// From the rightmost mark of each row's point out of the plane to the row.
std::vector<Group> leaders(const Plot& plot, const ChartModel& chart, const std::vector<PanelRow>& rows) {
  std::vector<Group> groups;
  for (const PanelRow& row : rows) {
    const ChartPoint& point = chart.points[row.point];
    const auto span = span_of(plot, point);
    if (!span || (chart.detail && !has_rate_in_detail(chart, point))) continue;
    const double y = row.box.centre().y;
    const Pixel exit = {plot.frame().right + 6, span->right.y};
    const Polyline line = {{span->right, exit, {row.box.left - 14, y}, {row.box.left - 2, y}},
                           {palette::kLeader, 1}};
    groups.push_back({.name = "label", .point = row.point, .shapes = {line}});
  }
  return groups;
}

void block(LabelPlacer& placer, const std::vector<Group>& lines) {
  for (const Group& group : lines) placer.block(std::get<Polyline>(group.shapes.front()));
}

void add_overview(Scene& scene, const ChartModel& chart, const std::vector<PanelRow>& rows) {
  const Plot plot(chart.detail ? kLevelsBesideDetail : kLevelsAlone, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_level_marks(placer, plot, chart);
  const std::vector<Group> lines = chart.detail ? std::vector<Group>{} : leaders(plot, chart, rows);
  block(placer, lines);
  Group labels{.name = "labels"};
  if (chart.detail) outline_detail(labels, placer, plot, *chart.detail);
  auto roof_names = roof_labels(placer, plot, chart);
  for (const ChartPoint& point : chart.points) {
    const auto span = span_of(plot, point);
    if (span && point.is_labelled && chart.detail && !has_rate_in_detail(chart, point))
      label_mark(labels, placer, point.label, span->right);
  }

  add_plane(scene, plot, chart);
  scene.add(std::move(roof_names));
  scene.groups.push_back(std::move(labels));
  scene.add(lines);
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const double radius =
        has_rate_in_detail(chart, chart.points[i]) ? kSmallLevelMarkRadius : kLevelMarkRadius;
    scene.add(point_groups(plot, chart.points[i], i, radius, are_joined(chart)));
  }
}

void add_detail(Scene& scene, const ChartModel& chart, const std::vector<PanelRow>& rows) {
  const Plot plot(kDetail, *chart.detail);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_level_marks(placer, plot, chart);
  const std::vector<Group> lines = leaders(plot, chart, rows);
  block(placer, lines);
  auto roof_names = bandwidth_labels(placer, plot, chart);

  add_plane(scene, plot, chart);
  scene.add(std::move(roof_names));
  scene.add(lines);
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    if (has_rate_in_detail(chart, chart.points[i])) {
      scene.add(point_groups(plot, chart.points[i], i, kLevelMarkRadius, are_joined(chart)));
    }
  }
}

Group panel_titles(const ChartModel& chart) {
  Group group{.name = "panel-titles"};
  group.add(panel_title("Roofline, a mark per memory level", kLevelsAlone.left));
  if (chart.detail) group.add(panel_title("Detail", kDetail.left));
  return group;
}

}  // namespace

Scene levels_scene(const ChartModel& chart) {
  Scene scene = blank(chart);
  scene.groups = {header(chart), legend(chart), panel_titles(chart)};
  const std::vector<PanelRow> rows = panel_rows(kPanel, chart);
  add_overview(scene, chart, rows);
  if (chart.detail) add_detail(scene, chart, rows);
  scene.add(levels_panel(kPanel, chart, rows));
  scene.groups.push_back(footer(chart));
  remove_covered_marks(scene);
  return scene;
}

}  // namespace rooflinectl
