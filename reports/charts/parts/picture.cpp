// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/parts/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/written_number.h"

namespace rooflinectl::picture {
namespace {

std::string description(const ChartModel& chart) {
  std::string text = fmt::format("Roofline chart. {}. {}.", chart.subtitle, chart.provenance);
  for (const ChartPoint& point : chart.points) text += " " + point.title + ".";
  return text;
}

// `style`, smaller where `content` would not fit into `width`, but not below `smallest`.
TextStyle fitting(const std::string& content, TextStyle style, double smallest, double width) {
  const double needed = text_width(typeset(content), style);
  if (needed > width) style.size = std::max(smallest, std::floor(2 * style.size * width / needed) / 2);
  return style;
}

}  // namespace

double width_of(Extent extent) {
  return extent == Extent::full ? kWidth : kNarrowWidth;
}

Scene blank(const ChartModel& chart, Extent extent) {
  return {width_of(extent), kHeight, typeset(chart.title), typeset(description(chart)), {}};
}

Group header(const ChartModel& chart, Extent extent) {
  const double width = width_of(extent) - 2 * kMargin;
  Group group{.name = "header"};
  const TextStyle title = {26, Weight::semibold};
  const TextStyle subtitle = {15, Weight::regular, palette::kMuted};
  group.add_fitted(chart.title, {kMargin, 46}, fitting(chart.title, title, 18, width), width);
  group.add_fitted(chart.subtitle, {kMargin, 74}, fitting(chart.subtitle, subtitle, 11, width), width);
  return group;
}

Group footer(const ChartModel& chart, Extent extent, double height) {
  const double baseline = height - 18;
  Group group{.name = "footer"};
  const double width = width_of(extent) - 2 * kMargin;
  if (!chart.flags.empty()) {
    group.add_fitted("* " + chart.flags, {kMargin, baseline - 20}, kNoteStyle, width);
  }
  const bool has_tool = extent == Extent::full;
  const double tool_width = has_tool ? kMargin + text_width(chart.tool, kNoteStyle) : 0;
  group.add_fitted(chart.provenance, {kMargin, baseline}, kNoteStyle, width - tool_width);
  if (!has_tool) return group;
  group.add_fitted(chart.tool, {kWidth - kMargin, baseline}, kNoteStyle, kWidth / 2, Anchor::end);
  return group;
}

Text panel_title(const std::string& name, double left) {
  return {name, {left, kPanelTop - 16}, kPanelTitleStyle};
}

void add_plane(Scene& scene, const Plot& plot, const ChartModel& chart) {
  if (!chart.ridges.empty()) scene.groups.push_back(attainable_group(plot, chart.ridges));
  scene.groups.push_back(axes_group(plot, chart.operations));
  scene.add(roof_groups(plot, chart));
}

void outline_detail(Group& group, LabelPlacer& placer, const Plot& plot, const Window& detail) {
  const Box box = {plot.x(detail.ai.low), plot.y(detail.flop_per_s.high), plot.x(detail.ai.high),
                   plot.y(detail.flop_per_s.low)};
  group.add(rectangle(box, std::nullopt, Stroke{palette::kMuted, 1, Dash::dotted}));
  placer.block(box.grown(2));
  const Text text = {"detail", {box.right, box.bottom + 16}, kNoteStyle, Anchor::end};
  if (placer.take(text)) group.add(text);
}

bool label_mark(Group& group, LabelPlacer& placer, const std::string& name, Pixel mark) {
  constexpr double kWidest = 216;
  const auto label = placer.place(fitted(name, kLabelStyle, kWidest), kLabelStyle, mark);
  if (!label) return false;
  if (label->leader) group.add(*label->leader);
  group.add(label->text);
  return true;
}

void LegendRows::add(const std::string& name, double width, const Sample& sample) {
  if (name.empty()) return;  // a family without a name
  constexpr double kLastBaseline = 124;
  constexpr double kSpacing = 20;
  constexpr double kWidestName = 500;
  const std::string text = fitted(name, kNoteStyle, kWidestName);
  const double text_left = width + 6;
  const double entry_width = text_left + text_width(text, kNoteStyle);
  if (next_.x + entry_width > width_ - kMargin) next_ = {kMargin, next_.y + kSpacing};
  if (next_.y > kLastBaseline) return;
  sample(group_, {next_.x, next_.y - 4.7});
  group_.add_text(text, {next_.x + text_left, next_.y}, kNoteStyle);
  next_.x += entry_width + 24;
}

void LegendRows::add_line(const std::string& name, const Stroke& stroke, double length) {
  add(name, length, [&](Group& group, Pixel at) {
    group.add(Polyline{{at, {at.x + length, at.y}}, stroke});
  });
}

void LegendRows::add_colour(const std::string& name, Colour colour) {
  add_line(name, {colour, 5}, 16);
}

void LegendRows::add_mark(const std::string& name, const FamilyLook& look, double radius) {
  add(name, 12, [&](Group& group, Pixel at) {
    group.add(family_mark(look, {at.x + 6, at.y}, radius, MarkFill::filled));
  });
}

void LegendRows::add_curve(const std::string& name, const FamilyLook& look) {
  constexpr double kLength = 26;
  add(name, kLength, [&](Group& group, Pixel at) {
    group.add(Polyline{{at, {at.x + kLength, at.y}}, {family_colour(look), 2}});
    group.add(family_mark(look, {at.x + kLength / 2, at.y}, 4, MarkFill::filled));
  });
}

void LegendRows::add_roofs(const ChartModel& chart) {
  for (std::size_t kind = 0; kind < kRoofKinds.size(); ++kind) {
    if (std::ranges::find(chart.roofs, kind, &RoofLine::family) == chart.roofs.end()) continue;
    add_colour(std::string(kRoofKinds.at(kind)), palette::kFamilies.at(kind));
  }
  const auto is_drawn = [&](CeilingSource source) {
    return std::ranges::find(chart.roofs, source, &RoofLine::source) != chart.roofs.end();
  };
  if (is_drawn(CeilingSource::measured)) add_line("measured ceiling", {palette::kMemoryRoof, 1.6});
  if (is_drawn(CeilingSource::theoretical)) {
    add_line("theoretical peak", {palette::kMemoryRoof, 1.6, Dash::dashed});
  }
}

}  // namespace rooflinectl::picture
