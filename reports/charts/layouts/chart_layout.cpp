// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/draw/label_placement.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr Box kOverviewBesideDetail = {86, kPanelTop, 552, kPanelBottom};
constexpr Box kOverviewAlone = {86, kPanelTop, 914, kPanelBottom};
// Kernels without a place on the plane stand in a strip beside it.
constexpr Box kStrip = {86, kPanelTop, 170, kPanelBottom};
constexpr double kBesideStripLeft = 256;
constexpr Box kLadder = {952, kPanelTop - 42, kWidth - 22, kPanelBottom + 10};
// The detail and the column of its names share the space between.
constexpr double kDetailLeft = 624;
constexpr double kDetailLabelsRight = kLadder.left - 18;
constexpr double kLeaderWidth = 26;
constexpr double kLabelMarkWidth = 14;
constexpr Range kDetailLabelWidth = {60, 150};

constexpr double kMarkRadius = 6;
constexpr double kSmallMarkRadius = 4;  // where the detail shows the same point again, larger

bool in_detail(const ChartModel& chart, const ChartPoint& point) {
  return chart.detail && point.useful && chart.detail->holds(*point.useful);
}

Group legend(const ChartModel& chart, Extent extent) {
  LegendRows rows(extent);
  for (const Family& family : chart.families) {
    rows.add_mark(family.name, family.look, 5.5);
  }
  const bool has_executed =
      std::ranges::any_of(chart.points, [](const ChartPoint& point) { return point.executed.has_value(); });
  if (has_executed) {
    rows.add("filled: useful work (declared), hollow: executed work (counted)", 34,
             [](Group& group, Pixel at) {
               const Stroke stroke = {palette::kInk, 1};
               group.add(Polyline{{{at.x + 6, at.y}, {at.x + 28, at.y}}, stroke});
               group.add(Circle{{at.x + 6, at.y}, 5, palette::kInk, std::nullopt});
               group.add(Circle{{at.x + 28, at.y}, 5, palette::kPaper, Stroke{palette::kInk, 1.6}});
             });
  }
  if (chart.is_of_program) {
    rows.add("executed work (counted); area: share of GPU time", 34, [](Group& group, Pixel at) {
      group.add(Circle{{at.x + 5, at.y}, 3, palette::kInk, std::nullopt});
      group.add(Circle{{at.x + 20, at.y}, 8, palette::kInk, std::nullopt});
    });
  }
  const bool has_link_roof = std::ranges::any_of(
      chart.points, [](const ChartPoint& point) { return point.link_flop_per_s.has_value(); });
  if (has_link_roof) {
    rows.add("NVLink roof of the point below: bandwidth × its FLOP per byte received", 24,
             [](Group& group, Pixel at) { group.add(link_roof_mark(at.y, at.x + 12)); });
  }
  rows.add_roofs(chart);
  return rows.take();
}

void block_marks(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  const bool is_joined = are_joined(chart);
  for (const ChartPoint& point : chart.points) {
    for (const auto& mark : {point.useful, point.executed}) {
      if (!mark) continue;
      placer.block(square(plot.at(*mark), mark_radius(point, kMarkRadius) + 2));
    }
    if (point.executed && is_joined) placer.block(plot.at(*point.useful), plot.at(*point.executed));
  }
}

Box overview_frame(const ChartModel& chart) {
  if (chart.detail) return kOverviewBesideDetail;
  Box frame = kOverviewAlone;
  if (has_bandwidth_strip(chart)) frame.left = kBesideStripLeft;
  return frame;
}

// The name. A place in the list precedes it, or stands alone where there is no room for more.
void label_point(Group& group, LabelPlacer& placer, const ChartPoint& point, Pixel mark) {
  const std::string rank = point.rank > 0 ? fmt::format("{}", point.rank) : "";
  const std::string name = rank.empty() ? point.label : fmt::format("{} {}", rank, point.label);
  if (!label_mark(group, placer, name, mark) && !rank.empty()) label_mark(group, placer, rank, mark);
}

void add_overview(Scene& scene, const ChartModel& chart) {
  const Plot plot(overview_frame(chart), chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_marks(placer, plot, chart);
  Group labels{.name = "labels"};
  if (chart.detail) outline_detail(labels, placer, plot, *chart.detail);
  auto roof_names = roof_labels(placer, plot, chart);

  add_plane(scene, plot, chart);
  scene.add(std::move(roof_names));
  const bool is_joined = are_joined(chart);
  std::vector<Group> points;
  // In a program, large marks first: they would cover the small ones.
  for (const std::size_t i : list_order(chart)) {
    const ChartPoint& point = chart.points[i];
    if (!point.useful) continue;
    if (point.is_labelled && !in_detail(chart, point)) {
      label_point(labels, placer, point, plot.at(*point.useful));
    }
    points.push_back(point_group(plot, point, i,
                                 mark_radius(point, in_detail(chart, point) ? kSmallMarkRadius : kMarkRadius),
                                 is_joined));
  }
  scene.groups.push_back(std::move(labels));
  scene.add(std::move(points));
}

// Where the detail lies, and where the names of its points do.
struct Detail {
  Box frame;
  Box labels;
};

// The points that the detail shows, the fastest first.
std::vector<std::size_t> detail_members(const ChartModel& chart) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    if (in_detail(chart, chart.points[i])) members.push_back(i);
  }
  const auto rate = [&](std::size_t i) { return chart.points[i].useful->flop_per_s; };
  std::ranges::stable_sort(members, std::greater(), rate);
  return members;
}

Detail detail_boxes(const ChartModel& chart, const std::vector<std::size_t>& members) {
  double widest = kDetailLabelWidth.low;
  for (const std::size_t i : members)
    widest = std::max(widest, text_width(chart.points[i].label, kLabelStyle));
  // Whole pixels: the widest label must not be cut because of a rounding error.
  const double left =
      kDetailLabelsRight - kLabelMarkWidth - std::ceil(std::min(widest, kDetailLabelWidth.high));
  return {{kDetailLeft, kPanelTop, left - kLeaderWidth, kPanelBottom},
          {left, kPanelTop, kDetailLabelsRight, kPanelBottom}};
}

Group detail_label(const Box& column, const ChartPoint& point, std::size_t index, Pixel mark, double y,
                   double size) {
  const TextStyle style = {size, Weight::semibold};
  const double text_left = column.left + kLabelMarkWidth;
  Group group{.name = "label", .point = index, .title = point.title};
  group.add(Polyline{{mark, {column.left - 12, y}, {column.left - 2, y}}, {palette::kLeader, 1}});
  group.add(family_mark(point.look, {column.left + 4, y}, 0.36 * size, MarkFill::filled));
  group.add_fitted(point.label, {text_left, y + 0.36 * size}, style, column.right - text_left);
  return group;
}

// The names stand in a column beside the detail, in the order of their useful marks.
std::vector<Group> detail_labels(const ChartModel& chart, const Plot& plot, const Box& column,
                                 std::vector<std::size_t> members) {
  constexpr double kRoomySpacing = 21;
  constexpr double kTightestSpacing = 13;
  const auto capacity = static_cast<std::size_t>(column.height() / kTightestSpacing);
  members.resize(std::min(members.size(), capacity));
  const double spacing =
      std::clamp(column.height() / static_cast<double>(members.size()), kTightestSpacing, kRoomySpacing);
  std::vector<double> wanted;
  for (const std::size_t i : members) wanted.push_back(plot.y(chart.points[i].useful->flop_per_s));
  const std::vector<double> places =
      spread(wanted, spacing, column.top + spacing / 2, column.bottom - spacing / 2);
  const double size = std::min(kLabelStyle.size, spacing * 0.85);
  std::vector<Group> groups;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const std::size_t i = members[rank];
    const ChartPoint& point = chart.points[i];
    groups.push_back(detail_label(column, point, i, plot.at(*point.useful), places[rank], size));
  }
  return groups;
}

void block_leaders(LabelPlacer& placer, const std::vector<Group>& labels) {
  for (const Group& label : labels) {
    for (const Shape& shape : label.shapes) {
      if (const auto* leader = std::get_if<Polyline>(&shape)) placer.block(*leader);
    }
  }
}

void add_detail(Scene& scene, const ChartModel& chart) {
  const std::vector<std::size_t> members = detail_members(chart);
  const Detail boxes = detail_boxes(chart, members);
  const Plot plot(boxes.frame, *chart.detail);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_marks(placer, plot, chart);
  auto labels = detail_labels(chart, plot, boxes.labels, members);
  block_leaders(placer, labels);
  auto roof_names = bandwidth_labels(placer, plot, chart);

  add_plane(scene, plot, chart);
  scene.add(std::move(roof_names));
  // Leaders lie under the marks.
  scene.add(std::move(labels));
  for (const std::size_t i : members)
    scene.groups.push_back(point_group(plot, chart.points[i], i, kMarkRadius, are_joined(chart)));
}

Group panel_titles(const ChartModel& chart, Extent extent) {
  Group group{.name = "panel-titles"};
  group.add(panel_title("Roofline", overview_frame(chart).left));
  if (chart.detail) group.add(panel_title("Detail", kDetailLeft));
  if (extent == Extent::full) group.add(panel_title(chart.list_title, kLadder.left));
  return group;
}

constexpr double kNamesGap = 50;
constexpr double kNamesWidth = 238;
constexpr double kNamesRight = 22;

// The names are in a column next to the plane, each joined to the end of its line.
std::vector<Group> names_of_compute(const Plot& plot, const ChartModel& chart) {
  const Box& plane = plot.frame();
  const double names_left = plane.right + kNamesGap;
  constexpr double kRoomySpacing = 20;
  std::vector<const RoofLine*> roofs;  // the fastest first: from top to bottom
  std::vector<double> wanted;
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind != CeilingKind::compute) continue;
    roofs.push_back(&roof);
    wanted.push_back(plot.y(roof.value));
  }
  const double spacing =
      std::min(kRoomySpacing, plane.height() / static_cast<double>(std::max<std::size_t>(roofs.size(), 1)));
  const std::vector<double> places = spread(wanted, spacing, plane.top, plane.bottom);
  const TextStyle style = {std::min(13.0, spacing * 0.8)};
  std::vector<Group> groups;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    const Polyline leader = {
        {{plane.right, wanted[i]}, {names_left - 16, places[i]}, {names_left - 4, places[i]}},
        {roof_stroke(*roofs[i]).colour, 1, roof_stroke(*roofs[i]).dash}};
    const Text text = {
        fitted(roofs[i]->text, style, kNamesWidth), {names_left, places[i] + 0.36 * style.size}, style};
    groups.push_back({.name = roof_class("labels", *roofs[i]), .shapes = {leader, text}});
  }
  return groups;
}

}  // namespace

Scene ceilings_scene(const ChartModel& chart, Extent extent) {
  Scene scene = blank(chart, extent);
  LegendRows kinds(extent);
  kinds.add_roofs(chart);
  scene.groups = {header(chart, extent), kinds.take()};
  const double right = width_of(extent) - kNamesRight - kNamesWidth - kNamesGap;
  const Plot plot({86, kPanelTop, right, kPanelBottom}, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  auto bandwidths = bandwidth_labels(placer, plot, chart);
  auto compute = names_of_compute(plot, chart);
  add_plane(scene, plot, chart);
  scene.add(std::move(bandwidths));
  scene.add(std::move(compute));
  scene.groups.push_back(footer(chart, extent));
  return scene;
}

Scene chart_scene(const ChartModel& chart, Extent extent) {
  Scene scene = blank(chart, extent);
  scene.groups = {header(chart, extent), legend(chart, extent), panel_titles(chart, extent)};
  add_overview(scene, chart);
  if (chart.detail) add_detail(scene, chart);
  if (has_bandwidth_strip(chart)) {
    scene.add(bandwidth_strip(kStrip, chart));
  }
  if (extent == Extent::full) {
    scene.add(ladder_panel(kLadder, chart));
  }
  scene.groups.push_back(footer(chart, extent));
  remove_covered_marks(scene);
  return scene;
}

}  // namespace rooflinectl
