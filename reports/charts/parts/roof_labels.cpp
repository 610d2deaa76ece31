// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/charts/parts/plot.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr TextStyle kRoofLabelStyle = {11.5, Weight::regular, palette::kInk};

// Names of bandwidths one below the other, beside the one with `outermost` bytes per second, each joined to
// its line: the lines are too close for a name on every one.
class Staircase {
 public:
  Staircase(const Plot& plot, double outermost, Anchor anchor)
      : plot_(plot), outermost_(outermost), anchor_(anchor) {}

  // Adds the name on the next free step; false if there is none.
  bool take_step(Group& group, LabelPlacer& placer, const RoofLine& roof, double top) {
    constexpr double kRise = 3;
    constexpr double kFirst = 30;
    for (double y = std::max(y_, top + kFirst); y < plot_.frame().bottom; y += kRise) {
      if (!take(group, placer, roof, y)) continue;
      y_ = y;
      return true;
    }
    return false;
  }

 private:
  bool take(Group& group, LabelPlacer& placer, const RoofLine& roof, double y) const {
    constexpr double kLeader = 14;
    const double side = anchor_ == Anchor::end ? -1 : 1;
    // Where the outermost line is nearest to the text: at its lower or upper edge.
    const double name_x = plot_.bandwidth_x(outermost_, y - side * 5) + side * kLeader;
    const Text text = {roof.text, {name_x, y + 4.7}, kRoofLabelStyle, anchor_};
    const double line_x = plot_.bandwidth_x(roof.value, y);
    const Polyline leader = {{{name_x - side * 4, y}, {line_x, y}}, {palette::kMuted, 1}};
    const auto [left, right] = std::minmax(name_x, line_x);
    if (!plot_.frame().contains(Pixel{line_x, y})) return false;
    if (placer.is_covered({left - 3, y - 3, right + 3, y + 3}) || !placer.take(text, leader)) return false;
    group.add(text);
    group.add(leader);
    group.add(Circle{{line_x, y}, 2.5, palette::kMemoryRoof, std::nullopt});
    return true;
  }

  const Plot& plot_;
  double outermost_;
  Anchor anchor_;
  double y_ = 0;
};

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
      group.add(text);
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
      group.add(leader);
      group.add(text);
      return;
    }
  }
}

Group ridge_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  Group group{.name = "labels"};
  for (const PlanePoint& ridge : chart.ridges) {
    const std::string content = fmt::format("ridge {}", format::significant(ridge.ai));
    const Text text = {content,
                       {plot.x(ridge.ai) - 5, plot.frame().bottom - 8},
                       {12, Weight::regular, palette::kMuted},
                       Anchor::start,
                       Direction::upwards};
    if (placer.take(text)) group.add(text);
  }
  return group;
}

// The names of the compute roofs, on or near their lines.
std::vector<Group> compute_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  std::vector<Group> groups;
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind != CeilingKind::compute) continue;
    const auto [from, to] = roof_segment(plot, chart.roofs, roof);
    const Range x = {std::max(from.x, plot.frame().left), std::min(to.x, plot.frame().right) - 5};
    Group group{.name = roof_class("labels", roof)};
    if (!label_on_line(group, placer, roof, x, to.y)) {
      label_below_line(group, placer, roof, x, to.y, plot.frame().bottom);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

void block_roofs(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  for (const RoofLine& roof : chart.roofs) {
    const auto [from, to] = roof_segment(plot, chart.roofs, roof);
    placer.block(from, to);
    // No leader may run along a level line, as if it were one.
    if (roof.kind == CeilingKind::compute) placer.block(Box{from.x, from.y, to.x, to.y}.grown(1));
  }
  for (const PlanePoint& ridge : chart.ridges) {
    const Pixel corner = plot.at(ridge);
    placer.block(corner, {corner.x, plot.frame().bottom});
    placer.block(square(corner, 5));
  }
}

std::vector<Group> bandwidth_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  const auto bandwidths_end = std::ranges::find_if(
      chart.roofs, [](const RoofLine& roof) { return roof.kind != CeilingKind::bandwidth; });
  const std::vector<RoofLine> bandwidths(chart.roofs.begin(), bandwidths_end);
  if (bandwidths.empty()) return {};
  Staircase above(plot, bandwidths.front().value, Anchor::end);
  Staircase below(plot, bandwidths.back().value, Anchor::start);
  const double top = std::max(plot.frame().top, roof_segment(plot, chart.roofs, bandwidths.front()).to.y);
  std::vector<Group> groups;
  for (const RoofLine& roof : bandwidths) {
    Group group{.name = roof_class("labels", roof)};
    if (above.take_step(group, placer, roof, top) || below.take_step(group, placer, roof, top)) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

std::vector<Group> roof_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart) {
  // Compute first: there are more places for the names of bandwidths.
  std::vector<Group> groups = compute_labels(placer, plot, chart);
  std::ranges::move(bandwidth_labels(placer, plot, chart), std::back_inserter(groups));
  groups.push_back(ridge_labels(placer, plot, chart));
  return groups;
}

}  // namespace rooflinectl
