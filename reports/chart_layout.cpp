// SPDX-License-Identifier: Apache-2.0
#include "reports/chart_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/format.h"
#include "reports/label_placement.h"
#include "reports/ladder_panel.h"
#include "reports/marks.h"
#include "reports/plot.h"

namespace rooflinectl {
namespace {

constexpr double kWidth = 1600;
constexpr double kHeight = 900;
constexpr double kMargin = 36;
constexpr double kPanelTop = 168;
constexpr double kPanelBottom = 796;
constexpr Box kOverviewBesideCloseUp = {86, kPanelTop, 552, kPanelBottom};
constexpr Box kOverviewAlone = {86, kPanelTop, 930, kPanelBottom};
constexpr Box kLadder = {952, kPanelTop - 42, kWidth - 22, kPanelBottom + 10};
// The close-up and the column of its names share what lies between.
constexpr double kCloseUpLeft = 624;
constexpr double kCloseUpLabelsRight = kLadder.left - 18;
constexpr double kLeaderWidth = 26;
constexpr double kLabelMarkWidth = 14;
constexpr Range kCloseUpLabelWidth = {60, 150};

constexpr double kMarkRadius = 6;
constexpr double kCrowdMarkRadius = 4;  // where the close-up shows the same point again, larger
constexpr TextStyle kLabelStyle = {14, Weight::semibold};
constexpr TextStyle kRoofLabelStyle = {11.5, Weight::regular, palette::kInk};
constexpr TextStyle kNoteStyle = {13, Weight::regular, palette::kMuted};
constexpr TextStyle kPanelTitleStyle = {15, Weight::semibold};

bool in_crowd(const ChartModel& chart, const ChartPoint& point) {
  if (!chart.crowd || !point.useful) return false;
  const auto [ai, rate] = *chart.crowd;
  return point.useful->ai >= ai.low && point.useful->ai <= ai.high && point.useful->flop_per_s >= rate.low &&
         point.useful->flop_per_s <= rate.high;
}

void add_text(Group& group, const std::string& content, Pixel at, const TextStyle& style, double width,
              Anchor anchor = Anchor::start) {
  group.shapes.emplace_back(Text{fitted(content, style, width), at, style, anchor});
}

Group header(const ChartModel& chart) {
  Group group{.name = "header"};
  add_text(group, chart.title, {kMargin, 46}, {26, Weight::semibold}, kWidth - 2 * kMargin);
  add_text(group, chart.subtitle, {kMargin, 74}, {15, Weight::regular, palette::kMuted},
           kWidth - 2 * kMargin);
  return group;
}

Group footer(const ChartModel& chart) {
  constexpr double kBaseline = 882;
  Group group{.name = "footer"};
  const double tool_width = text_width(chart.tool, kNoteStyle);
  add_text(group, chart.provenance, {kMargin, kBaseline}, kNoteStyle, kWidth - 3 * kMargin - tool_width);
  add_text(group, chart.tool, {kWidth - kMargin, kBaseline}, kNoteStyle, kWidth / 2, Anchor::end);
  return group;
}

// Appends sample and name to a row of them; what does not fit any more is left out.
class LegendRow {
 public:
  LegendRow(Group& group, double baseline) : group_(group), baseline_(baseline) {}

  /// `sample(x)` draws at most 30 pixels to the right of x.
  template <typename Sample>
  void add(const std::string& name, double sample_width, Sample sample) {
    const double end = x_ + sample_width + 6 + text_width(name, kNoteStyle);
    if (end > kWidth - kMargin) return;
    sample(Pixel{x_, baseline_ - 4.7});
    group_.shapes.emplace_back(Text{name, {x_ + sample_width + 6, baseline_}, kNoteStyle});
    x_ = end + 24;
  }

 private:
  Group& group_;
  double baseline_;
  double x_ = kMargin;
};

Group legend(const ChartModel& chart) {
  Group group{.name = "legend"};
  LegendRow row(group, 104);
  for (std::size_t family = 0; family < chart.families.size(); ++family) {
    row.add(chart.families[family], 12, [&](Pixel at) {
      group.shapes.emplace_back(family_mark(family, {at.x + 6, at.y}, 5.5, MarkFill::filled));
    });
  }
  const bool has_executed = std::any_of(chart.points.begin(), chart.points.end(),
                                        [](const ChartPoint& point) { return point.executed.has_value(); });
  if (has_executed) {
    row.add("filled: useful work (declared), hollow: executed work (counted)", 34, [&](Pixel at) {
      const Stroke stroke = {palette::kInk, 1};
      group.shapes.emplace_back(Polyline{{{at.x + 6, at.y}, {at.x + 28, at.y}}, stroke});
      group.shapes.emplace_back(Circle{{at.x + 6, at.y}, 5, palette::kInk, std::nullopt});
      group.shapes.emplace_back(Circle{{at.x + 28, at.y}, 5, palette::kPaper, Stroke{palette::kInk, 1.6}});
    });
  }
  const auto line_sample = [&](Dash dash) {
    return [&group, dash](Pixel at) {
      group.shapes.emplace_back(Polyline{{at, {at.x + 30, at.y}}, {palette::kMemoryRoof, 1.6, dash}});
    };
  };
  if (!chart.roofs.empty()) {
    row.add("measured ceiling", 30, line_sample(Dash::solid));
    row.add("theoretical peak", 30, line_sample(Dash::dashed));
  }
  return group;
}

void block_roofs(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  for (const RoofLine& roof : chart.roofs) {
    const auto [from, to] = roof_segment(plot, chart.roofs, roof);
    placer.block(from, to);
  }
  for (const Ridge& ridge : chart.ridges) {
    const Pixel corner = plot.at({ridge.ai, ridge.flop_per_s});
    placer.block(corner, {corner.x, plot.frame().bottom});
    placer.block(Box{corner.x, corner.y, corner.x, corner.y}.grown(5));
  }
}

void block_marks(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  for (const ChartPoint& point : chart.points) {
    for (const auto& mark : {point.useful, point.executed}) {
      if (!mark) continue;
      const Pixel at = plot.at(*mark);
      placer.block(Box{at.x, at.y, at.x, at.y}.grown(kMarkRadius + 2));
    }
    if (point.executed) placer.block(plot.at(*point.useful), plot.at(*point.executed));
  }
}

void add_label(Group& group, const PlacedLabel& label) {
  if (label.leader) group.shapes.emplace_back(*label.leader);
  group.shapes.emplace_back(label.text);
}

// The names of the bandwidths stand above them in a staircase, each joined to its line: they are too close
// for a name on every line.
void label_bandwidths(Group& group, LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  constexpr double kStep = 3;
  constexpr double kLeader = 14;
  if (chart.roofs.empty() || chart.roofs.front().kind != CeilingKind::bandwidth) return;
  const RoofLine& fastest = chart.roofs.front();
  const Pixel top = roof_segment(plot, chart.roofs, fastest).to;
  double y = std::max(plot.frame().top, top.y) + 30;
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind != CeilingKind::bandwidth) continue;
    for (; y < plot.frame().bottom; y += kStep) {
      const double end = plot.bandwidth_x(fastest.value, y + 5) - kLeader;
      const Text text = {roof.text, {end, y + 4.7}, kRoofLabelStyle, Anchor::end};
      const double line_x = plot.bandwidth_x(roof.value, y);
      const Polyline leader = {{{end + 4, y}, {line_x, y}}, {palette::kMuted, 1}};
      if (placer.is_covered({end, y - 3, line_x + 3, y + 3}) || !placer.take(text, leader)) continue;
      group.shapes.emplace_back(text);
      group.shapes.emplace_back(leader);
      group.shapes.emplace_back(Circle{{line_x, y}, 2.5, palette::kMemoryRoof, std::nullopt});
      break;
    }
  }
}

// The name of a theoretical compute roof stands on its line, that of a measured one hangs under it (or the
// other way round where that place is taken), as far to the right as there is room.
bool label_on_line(Group& group, LabelPlacer& placer, const RoofLine& roof, const Range& x, double line_y) {
  constexpr double kStep = 8;
  const double above = line_y - 6;
  const double below = line_y + 15;
  const bool is_measured = roof.source == CeilingSource::measured;
  for (double end = x.high; end > x.low; end -= kStep) {
    for (const double baseline : {is_measured ? below : above, is_measured ? above : below}) {
      const Text text = {roof.text, {end, baseline}, kRoofLabelStyle, Anchor::end};
      if (!placer.take(text)) continue;
      group.shapes.emplace_back(text);
      return true;
    }
  }
  return false;
}

// The name stands lower, to the right of a leader that drops from the line.
void label_below_line(Group& group, LabelPlacer& placer, const RoofLine& roof, const Range& x, double line_y,
                      double lowest) {
  constexpr double kStep = 3;
  for (double y = line_y + 24; y < lowest; y += kStep) {
    for (double leader_x = x.high; leader_x > x.low; leader_x -= kStep) {
      const Text text = {roof.text, {leader_x + 5, y + 4}, kRoofLabelStyle};
      const Polyline leader = {{{leader_x, line_y}, {leader_x, y + 4}}, {palette::kMuted, 1}};
      if (!placer.take(text, leader)) continue;
      group.shapes.emplace_back(leader);
      group.shapes.emplace_back(text);
      return;
    }
  }
}

void label_compute_roof(Group& group, LabelPlacer& placer, const Plot& plot, const ChartModel& chart,
                        const RoofLine& roof) {
  const auto [from, to] = roof_segment(plot, chart.roofs, roof);
  const Range x = {std::max(from.x, plot.frame().left), std::min(to.x, plot.frame().right) - 5};
  if (label_on_line(group, placer, roof, x, to.y)) return;
  label_below_line(group, placer, roof, x, to.y, plot.frame().bottom);
}

void label_ridges(Group& group, LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  for (const Ridge& ridge : chart.ridges) {
    const std::string content = fmt::format("ridge {}", format::significant(ridge.ai));
    const Text text = {content,
                       {plot.x(ridge.ai) - 5, plot.frame().bottom - 8},
                       {12, Weight::regular, palette::kMuted},
                       Anchor::start,
                       Direction::upwards};
    if (placer.take(text)) group.shapes.emplace_back(text);
  }
}

void label_point(Group& group, LabelPlacer& placer, const Plot& plot, const ChartPoint& point) {
  constexpr double kWidest = 200;
  const auto label =
      placer.place(fitted(point.label, kLabelStyle, kWidest), kLabelStyle, plot.at(*point.useful));
  if (label) add_label(group, *label);
}

// Outlines the part that the close-up shows.
void mark_crowd(Group& group, LabelPlacer& placer, const Plot& plot, const Window& crowd) {
  const Box box = {plot.x(crowd.ai.low), plot.y(crowd.flop_per_s.high), plot.x(crowd.ai.high),
                   plot.y(crowd.flop_per_s.low)};
  group.shapes.emplace_back(rectangle(box, std::nullopt, Stroke{palette::kMuted, 1, Dash::dotted}));
  placer.block(box.grown(2));
  const Text text = {"close-up", {box.right, box.bottom + 16}, kNoteStyle, Anchor::end};
  if (placer.take(text)) group.shapes.emplace_back(text);
}

void add_plane(Scene& scene, const Plot& plot, const ChartModel& chart) {
  if (!chart.ridges.empty()) scene.groups.push_back(attainable_group(plot, chart.ridges));
  scene.groups.push_back(axes_group(plot));
  scene.groups.push_back(roofs_group(plot, chart));
}

void add_overview(Scene& scene, const ChartModel& chart) {
  const Plot plot(chart.crowd ? kOverviewBesideCloseUp : kOverviewAlone, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_marks(placer, plot, chart);
  Group labels{.name = "labels"};
  if (chart.crowd) mark_crowd(labels, placer, plot, *chart.crowd);
  label_bandwidths(labels, placer, plot, chart);
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind == CeilingKind::compute) label_compute_roof(labels, placer, plot, chart, roof);
  }
  label_ridges(labels, placer, plot, chart);

  add_plane(scene, plot, chart);
  std::vector<Group> points;
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const ChartPoint& point = chart.points[i];
    if (!point.useful) continue;
    if (!in_crowd(chart, point)) label_point(labels, placer, plot, point);
    points.push_back(point_group(plot, point, i, in_crowd(chart, point) ? kCrowdMarkRadius : kMarkRadius));
  }
  scene.groups.push_back(std::move(labels));
  std::move(points.begin(), points.end(), std::back_inserter(scene.groups));
}

// Where the close-up lies and where the names of its points.
struct CloseUp {
  Box frame;
  Box labels;
};

// The points that the close-up shows, the fastest first.
std::vector<std::size_t> crowd_members(const ChartModel& chart) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    if (in_crowd(chart, chart.points[i])) members.push_back(i);
  }
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    return chart.points[a].useful->flop_per_s > chart.points[b].useful->flop_per_s;
  });
  return members;
}

CloseUp close_up_boxes(const ChartModel& chart, const std::vector<std::size_t>& members) {
  double widest = kCloseUpLabelWidth.low;
  for (const std::size_t i : members)
    widest = std::max(widest, text_width(chart.points[i].label, kLabelStyle));
  // Whole pixels: the widest label must not be cut for a rounding error.
  const double left =
      kCloseUpLabelsRight - kLabelMarkWidth - std::ceil(std::min(widest, kCloseUpLabelWidth.high));
  return {{kCloseUpLeft, kPanelTop, left - kLeaderWidth, kPanelBottom},
          {left, kPanelTop, kCloseUpLabelsRight, kPanelBottom}};
}

Group crowd_label(const Box& column, const ChartPoint& point, std::size_t index, Pixel mark, double y,
                  double size) {
  const TextStyle style = {size, Weight::semibold};
  const double text_left = column.left + kLabelMarkWidth;
  Group group{.name = "label", .point = index, .title = point.title};
  group.shapes.emplace_back(
      Polyline{{mark, {column.left - 12, y}, {column.left - 2, y}}, {palette::kLeader, 1}});
  group.shapes.emplace_back(family_mark(point.family, {column.left + 4, y}, 0.36 * size, MarkFill::filled));
  group.shapes.emplace_back(
      Text{fitted(point.label, style, column.right - text_left), {text_left, y + 0.36 * size}, style});
  return group;
}

// The names stand in a column beside the close-up, in the order of their useful marks.
std::vector<Group> crowd_labels(const ChartModel& chart, const Plot& plot, const Box& column,
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
    groups.push_back(crowd_label(column, point, i, plot.at(*point.useful), places[rank], size));
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

void add_close_up(Scene& scene, const ChartModel& chart) {
  const std::vector<std::size_t> members = crowd_members(chart);
  const CloseUp boxes = close_up_boxes(chart, members);
  const Plot plot(boxes.frame, *chart.crowd);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  block_marks(placer, plot, chart);
  auto labels = crowd_labels(chart, plot, boxes.labels, members);
  block_leaders(placer, labels);
  Group roof_labels{.name = "labels"};
  label_bandwidths(roof_labels, placer, plot, chart);

  add_plane(scene, plot, chart);
  scene.groups.push_back(std::move(roof_labels));
  // Leaders lie under the marks.
  std::move(labels.begin(), labels.end(), std::back_inserter(scene.groups));
  for (const std::size_t i : members)
    scene.groups.push_back(point_group(plot, chart.points[i], i, kMarkRadius));
}

Group panel_titles(const ChartModel& chart) {
  constexpr double kBaseline = kPanelTop - 16;
  Group group{.name = "panel-titles"};
  group.shapes.emplace_back(Text{"Roofline", {kOverviewAlone.left, kBaseline}, kPanelTitleStyle});
  if (chart.crowd)
    group.shapes.emplace_back(
        Text{"Close-up of the dotted box", {kCloseUpLeft, kBaseline}, kPanelTitleStyle});
  group.shapes.emplace_back(Text{"Ladder", {kLadder.left, kBaseline}, kPanelTitleStyle});
  return group;
}

std::string description(const ChartModel& chart) {
  std::string text = fmt::format("Roofline chart. {}. {}.", chart.subtitle, chart.provenance);
  for (const ChartPoint& point : chart.points) text += " " + point.title + ".";
  return text;
}

}  // namespace

Scene chart_scene(const ChartModel& chart) {
  Scene scene{kWidth, kHeight, chart.title, description(chart), {}};
  scene.groups = {header(chart), legend(chart), panel_titles(chart)};
  add_overview(scene, chart);
  if (chart.crowd) add_close_up(scene, chart);
  auto ladder = ladder_panel(kLadder, chart);
  std::move(ladder.begin(), ladder.end(), std::back_inserter(scene.groups));
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
