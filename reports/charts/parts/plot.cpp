// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/parts/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr TextStyle kAxisStyle = {13, Weight::regular, palette::kInk};
// A decade this long has room for labels at 2 and 5; labels of decades are at least this far apart.
constexpr double kRoomyDecade = 150;
constexpr double kLabelSpacing = 46;

double fraction(const Range& range, double value) {
  return std::log(value / range.low) / std::log(range.high / range.low);
}

// Minor lines first: the decades lie over them.
void draw_grid(Group& group, const Plot& plot, const std::vector<Tick>& x_ticks,
               const std::vector<Tick>& y_ticks) {
  for (const bool is_decade : {false, true}) {
    for (const Tick& tick : x_ticks) {
      if (tick.is_decade == is_decade)
        add_vertical(group, plot.frame(), plot.x(tick.value), is_decade, "", 0);
    }
    for (const Tick& tick : y_ticks) {
      if (tick.is_decade == is_decade) add_horizontal(group, plot.frame(), plot.y(tick.value), is_decade, "");
    }
  }
}

void draw_tick_labels(Group& group, const Plot& plot, const std::vector<Tick>& x_ticks,
                      const std::vector<Tick>& y_ticks) {
  const Box& frame = plot.frame();
  for (const Tick& tick : x_ticks) {
    if (!tick.is_labelled) continue;
    group.add_text(format::significant(tick.value, 1), {plot.x(tick.value), frame.bottom + 18}, kTickStyle,
                   Anchor::middle);
  }
  for (const Tick& tick : y_ticks) {
    if (!tick.is_labelled) continue;
    group.add_text(format::rate_tick(tick.value), {frame.left - 7, plot.y(tick.value) + 4.5}, kTickStyle,
                   Anchor::end);
  }
}

void draw_axis_titles(Group& group, const Box& frame, const std::string& operations) {
  const Pixel middle = frame.centre();
  group.add_text(fmt::format("Arithmetic intensity ({}/byte)", operations), {middle.x, frame.bottom + 40},
                 kAxisStyle, Anchor::middle);
  group.add_text(fmt::format("Performance ({}/s)", operations), {frame.left - 50, middle.y}, kAxisStyle,
                 Anchor::middle, Direction::upwards);
}

double highest(const std::vector<RoofLine>& roofs, CeilingKind kind, double otherwise) {
  double value = 0;
  for (const RoofLine& roof : roofs) {
    if (roof.kind == kind) value = std::max(value, roof.value);
  }
  return value > 0 ? value : otherwise;
}

}  // namespace

double Plot::x(double ai) const {
  return frame_.left + fraction(window_.ai, ai) * frame_.width();
}

double Plot::y(double flop_per_s) const {
  return frame_.bottom - fraction(window_.flop_per_s, flop_per_s) * frame_.height();
}

double Plot::bandwidth_x(double bytes_per_s, double pixel_y) const {
  const Range& rates = window_.flop_per_s;
  const double flop_per_s =
      rates.low * std::pow(rates.high / rates.low, (frame_.bottom - pixel_y) / frame_.height());
  return x(flop_per_s / bytes_per_s);
}

std::vector<Tick> log_ticks(const Range& range, double pixels) {
  constexpr double kRounding = 1e-9;
  const double decades = std::log10(range.high / range.low);
  const double powers =
      std::floor(std::log10(range.high) + kRounding) - std::ceil(std::log10(range.low) - kRounding) + 1;
  // One label alone gives no scale.
  const bool labels_between = pixels / decades >= kRoomyDecade || powers < 2;
  const int every = std::max(1, static_cast<int>(std::ceil(kLabelSpacing * decades / pixels)));
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10, exponent);
      if (value < range.low * (1 - kRounding) || value > range.high * (1 + kRounding)) continue;
      const bool is_labelled =
          digit == 1 ? exponent % every == 0 : labels_between && (digit == 2 || digit == 5);
      ticks.push_back({value, digit == 1, is_labelled});
    }
  }
  return ticks;
}

double round_step(double least) {
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1, 2, 5}) {
    if (digit * decade >= least) return digit * decade;
  }
  return 10 * decade;
}

Stroke roof_stroke(const RoofLine& roof) {
  const bool is_measured = roof.source == CeilingSource::measured;
  const Colour plain = is_measured ? palette::kMemoryRoof : palette::kMuted;
  return {roof.family ? palette::kFamilies.at(*roof.family) : plain, is_measured ? 1.6 : 1.2,
          is_measured ? Dash::solid : Dash::dashed};
}

void add_vertical(Group& group, const Box& frame, double x, bool main, const std::string& label,
                  double label_y, const TextStyle& style) {
  group.add(Polyline{{{x, frame.top}, {x, frame.bottom}}, {main ? palette::kGrid : palette::kGridMinor, 1}});
  if (!label.empty()) group.add_text(label, {x, label_y}, style, Anchor::middle);
}

void add_horizontal(Group& group, const Box& frame, double y, bool main, const std::string& label,
                    double distance) {
  group.add(Polyline{{{frame.left, y}, {frame.right, y}}, {main ? palette::kGrid : palette::kGridMinor, 1}});
  if (!label.empty()) group.add_text(label, {frame.left - distance, y + 4.5}, kTickStyle, Anchor::end);
}

Group axes_group(const Plot& plot, const std::string& operations) {
  const auto x_ticks = log_ticks(plot.window().ai, plot.frame().width());
  const auto y_ticks = log_ticks(plot.window().flop_per_s, plot.frame().height());
  Group group{.name = "axes"};
  draw_grid(group, plot, x_ticks, y_ticks);
  group.add(rectangle(plot.frame(), std::nullopt, Stroke{palette::kLeader, 1}));
  draw_tick_labels(group, plot, x_ticks, y_ticks);
  draw_axis_titles(group, plot.frame(), operations);
  return group;
}

RoofSegment roof_segment(const Plot& plot, const std::vector<RoofLine>& roofs, const RoofLine& roof) {
  const Window& window = plot.window();
  if (roof.kind == CeilingKind::bandwidth) {
    const double end = highest(roofs, CeilingKind::compute, roof.value * window.ai.high);
    const double begin = std::min(roof.value * window.ai.low, end);
    return {plot.at({begin / roof.value, begin}), plot.at({ridge_ai(roof.value, end), end})};
  }
  const double begin =
      ridge_ai(highest(roofs, CeilingKind::bandwidth, roof.value / window.ai.low), roof.value);
  return {plot.at({begin, roof.value}), plot.at({std::max(begin, window.ai.high), roof.value})};
}

Group attainable_group(const Plot& plot, const std::vector<PlanePoint>& ridges) {
  const PlanePoint top = *std::ranges::max_element(ridges, {}, &PlanePoint::flop_per_s);
  const double ai_low = std::min(plot.window().ai.low, top.ai);
  const double ai_high = std::max(plot.window().ai.high, top.ai);
  const double bottom = plot.frame().bottom;
  Polygon area = {{{plot.x(ai_low), bottom},
                   {plot.x(ai_low), plot.y(top.flop_per_s / top.ai * ai_low)},
                   plot.at(top),
                   {plot.x(ai_high), plot.y(top.flop_per_s)},
                   {plot.x(ai_high), bottom}},
                  palette::kAttainable,
                  std::nullopt};
  return {.name = "attainable", .clip = plot.frame(), .shapes = {std::move(area)}};
}

std::string roof_class(std::string_view name, const RoofLine& roof) {
  return fmt::format("{} {}-{}", name, roof.kind == CeilingKind::bandwidth ? "level" : "precision",
                     roof.subject);
}

std::vector<Group> roof_groups(const Plot& plot, const ChartModel& chart) {
  std::vector<Group> groups;
  for (const RoofLine& roof : chart.roofs) {
    const auto [from, to] = roof_segment(plot, chart.roofs, roof);
    groups.push_back({.name = roof_class("roofs", roof),
                      .clip = plot.frame(),
                      .shapes = {Polyline{{from, to}, roof_stroke(roof)}}});
  }
  Group& group = groups.emplace_back(Group{.name = "ridges", .clip = plot.frame()});
  for (const PlanePoint& ridge : chart.ridges) {
    const Pixel corner = plot.at(ridge);
    group.add(Polyline{{corner, {corner.x, plot.frame().bottom}}, {palette::kMuted, 1, Dash::dotted}});
    group.add(Circle{corner, 3.5, palette::kPaper, Stroke{palette::kMemoryRoof, 1.6}});
  }
  return groups;
}

}  // namespace rooflinectl
