// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "reports/charts/parts/plot.h"

namespace rooflinectl {
namespace {

// A regular polygon, or a star-free shape close enough to the others' area to look the same size.
struct Outline {
  int corners = 0;      // 0: a circle
  double rotation = 0;  // of the first corner, in turns; 0 points up
  double scale = 1;     // of the radius
};

constexpr std::array kOutlines = {Outline{0, 0, 1},   Outline{4, 0.125, 1.25}, Outline{3, 0, 1.35},
                                  Outline{4, 0, 1.3}, Outline{3, 0.5, 1.35},   Outline{5, 0, 1.15}};
constexpr std::array<std::string_view, kOutlines.size()> kMarkNames = {
    "circle", "square", "triangle-up", "diamond", "triangle-down", "pentagon"};
static_assert(kOutlines.size() >= kMemoryLevels.size());

std::vector<Pixel> corners_of(const Outline& outline, Pixel centre, double radius) {
  std::vector<Pixel> corners;
  for (int i = 0; i < outline.corners; ++i) {
    const double turns = outline.rotation + static_cast<double>(i) / outline.corners;
    const double angle = 2 * std::numbers::pi * turns;
    corners.push_back({centre.x + outline.scale * radius * std::sin(angle),
                       centre.y - outline.scale * radius * std::cos(angle)});
  }
  return corners;
}

void draw_interval(Group& group, const Plot& plot, const ChartPoint& point, double radius) {
  const double x = plot.x(point.useful->ai);
  const double top = plot.y(point.useful_flop_per_s->high);
  const double bottom = plot.y(point.useful_flop_per_s->low);
  if (bottom - top <= 2 * radius) return;
  const Stroke stroke = {family_colour(point.look), 1.5};
  group.add(Polyline{{{x, top}, {x, bottom}}, stroke});
  for (const double y : {top, bottom}) {
    group.add(Polyline{{{x - radius / 2, y}, {x + radius / 2, y}}, stroke});
  }
}

/// Above the mark, as far as NVLink lets it rise.
void draw_link_roof(Group& group, const Plot& plot, const ChartPoint& point) {
  const Pixel mark = plot.at(*point.useful);
  const double y = plot.y(*point.link_flop_per_s);
  group.add(Polyline{{mark, {mark.x, y}}, {palette::kMuted, 1, Dash::dotted}});
  group.add(link_roof_mark(y, mark.x));
}

}  // namespace

Shape link_roof_mark(double y, double middle) {
  constexpr double kHalfWidth = 11;
  return Polyline{{{middle - kHalfWidth, y}, {middle + kHalfWidth, y}}, {palette::kMemoryRoof, 2.2}};
}

std::span<const std::string_view> shape_names() {
  return kMarkNames;
}

std::size_t shape_of(MemoryLevel level) {
  return static_cast<std::size_t>(level);
}

Shape shaped_mark(std::size_t shape, Colour colour, Pixel centre, double radius, MarkFill fill) {
  const Outline& outline = kOutlines.at(shape);
  const auto inside = fill == MarkFill::filled   ? std::optional(colour)
                      : fill == MarkFill::hollow ? std::optional(palette::kPaper)
                                                 : std::nullopt;
  // Filled marks have an outline in the colour of the paper, so that marks on top of each other can be
  // counted.
  const Stroke stroke = fill == MarkFill::filled ? Stroke{palette::kPaper, 1} : Stroke{colour, 1.8};
  if (outline.corners == 0) return Circle{centre, radius, inside, stroke};
  return Polygon{corners_of(outline, centre, radius), inside, stroke};
}

Shape family_mark(const FamilyLook& look, Pixel centre, double radius, MarkFill fill) {
  return shaped_mark(look.shape, family_colour(look), centre, radius, fill);
}

double mark_radius(const ChartPoint& point, double otherwise) {
  constexpr double kOfAll = 34;
  constexpr Range kRadius = {2.5, 18};
  return point.share ? std::clamp(kOfAll * std::sqrt(*point.share), kRadius.low, kRadius.high) : otherwise;
}

bool are_joined(const ChartModel& chart) {
  constexpr std::size_t kMost = 300;
  return chart.points.size() <= kMost;
}

Group point_group(const Plot& plot, const ChartPoint& point, std::size_t index, double radius,
                  bool is_joined) {
  // A mark on the edge is whole, but a line to a mark elsewhere ends at the frame.
  const bool leaves = point.executed && !plot.shows(*point.executed);
  Group group{.name = "point",
              .point = index,
              .title = point.title,
              .clip = leaves ? plot.frame() : plot.frame().grown(radius)};
  const Pixel useful = plot.at(*point.useful);
  if (point.executed) {
    const Pixel executed = plot.at(*point.executed);
    if (is_joined) group.add(Polyline{{useful, executed}, {family_colour(point.look), 1}});
    group.add(family_mark(point.look, executed, radius - 0.9, MarkFill::hollow));
  }
  if (point.link_flop_per_s) draw_link_roof(group, plot, point);
  if (point.useful_flop_per_s) draw_interval(group, plot, point, radius);
  group.add(family_mark(point.look, useful, radius, MarkFill::filled));
  return group;
}

}  // namespace rooflinectl
