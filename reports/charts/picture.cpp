// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text/typeset.h"

namespace rooflinectl::picture {
namespace {

std::string description(const ChartModel& chart) {
  std::string text = fmt::format("Roofline chart. {}. {}.", chart.subtitle, chart.provenance);
  for (const ChartPoint& point : chart.points) text += " " + point.title + ".";
  return text;
}

void add_text(Group& group, const std::string& content, Pixel at, const TextStyle& style, double width,
              Anchor anchor = Anchor::start) {
  group.shapes.emplace_back(Text{fitted(content, style, width), at, style, anchor});
}

}  // namespace

Scene blank(const ChartModel& chart) {
  return {kWidth, kHeight, typeset(chart.title), typeset(description(chart)), {}};
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
  if (!chart.flags.empty()) {
    add_text(group, "* " + chart.flags, {kMargin, kBaseline - 20}, kNoteStyle, kWidth - 2 * kMargin);
  }
  add_text(group, chart.provenance, {kMargin, kBaseline}, kNoteStyle, kWidth - 3 * kMargin - tool_width);
  add_text(group, chart.tool, {kWidth - kMargin, kBaseline}, kNoteStyle, kWidth / 2, Anchor::end);
  return group;
}

Text panel_title(const std::string& name, double left) {
  return {name, {left, kPanelTop - 16}, kPanelTitleStyle};
}

void add_plane(Scene& scene, const Plot& plot, const ChartModel& chart) {
  if (!chart.ridges.empty()) scene.groups.push_back(attainable_group(plot, chart.ridges));
  scene.groups.push_back(axes_group(plot, chart.operations));
  auto roofs = roof_groups(plot, chart);
  std::move(roofs.begin(), roofs.end(), std::back_inserter(scene.groups));
}

void outline_detail(Group& group, LabelPlacer& placer, const Plot& plot, const Window& detail) {
  const Box box = {plot.x(detail.ai.low), plot.y(detail.flop_per_s.high), plot.x(detail.ai.high),
                   plot.y(detail.flop_per_s.low)};
  group.shapes.emplace_back(rectangle(box, std::nullopt, Stroke{palette::kMuted, 1, Dash::dotted}));
  placer.block(box.grown(2));
  const Text text = {"detail", {box.right, box.bottom + 16}, kNoteStyle, Anchor::end};
  if (placer.take(text)) group.shapes.emplace_back(text);
}

void label_mark(Group& group, LabelPlacer& placer, const std::string& name, Pixel mark) {
  constexpr double kWidest = 200;
  const auto label = placer.place(fitted(name, kLabelStyle, kWidest), kLabelStyle, mark);
  if (!label) return;
  if (label->leader) group.shapes.emplace_back(*label->leader);
  group.shapes.emplace_back(label->text);
}

void LegendRows::add(const std::string& name, double width, const Sample& sample) {
  constexpr double kLastBaseline = 124;
  constexpr double kSpacing = 20;
  constexpr double kWidestName = 500;
  const std::string text = fitted(name, kNoteStyle, kWidestName);
  const double text_left = width + 6;
  const double entry_width = text_left + text_width(text, kNoteStyle);
  if (next_.x + entry_width > kWidth - kMargin) next_ = {kMargin, next_.y + kSpacing};
  if (next_.y > kLastBaseline) return;
  sample(group_, {next_.x, next_.y - 4.7});
  group_.shapes.emplace_back(Text{text, {next_.x + text_left, next_.y}, kNoteStyle});
  next_.x += entry_width + 24;
}

void LegendRows::add_roofs(const ChartModel& chart) {
  const auto add_line = [&](CeilingSource source, const char* name, Dash dash) {
    const bool is_drawn = std::any_of(chart.roofs.begin(), chart.roofs.end(),
                                      [&](const RoofLine& roof) { return roof.source == source; });
    if (!is_drawn) return;
    add(name, 30, [dash](Group& group, Pixel at) {
      group.shapes.emplace_back(Polyline{{at, {at.x + 30, at.y}}, {palette::kMemoryRoof, 1.6, dash}});
    });
  };
  add_line(CeilingSource::measured, "measured ceiling", Dash::solid);
  add_line(CeilingSource::theoretical, "theoretical peak", Dash::dashed);
}

}  // namespace rooflinectl::picture
