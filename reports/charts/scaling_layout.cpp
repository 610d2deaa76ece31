// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/scaling_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/text/typeset.h"
#include "reports/charts/marks.h"
#include "reports/charts/picture.h"
#include "reports/tables/scaling_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

/// More would hide each other.
constexpr std::size_t kMostCurves = 6;
constexpr Box kSpeedupFrame = {100, kPanelTop, 780, kPanelBottom - 40};
constexpr Box kShareFrame = {1080, kPanelTop, kWidth - kMargin - 70, kPanelBottom - 40};
constexpr TextStyle kTickStyle = {13, Weight::regular, palette::kMuted};
constexpr Colour kShareColour = palette::kFamilies[0];
constexpr Colour kRestColour = palette::kFamilies[1];

int most_gpus(const Scaling& scaling) {
  int most = 1;
  for (const ScalingCurve& curve : scaling.curves) most = std::max(most, curve.steps.back().gpus);
  return most;
}

/// At most `kMostCurves`, evenly from the first to the last.
std::vector<const ScalingCurve*> drawn_curves(const Scaling& scaling) {
  const std::size_t count = scaling.curves.size();
  const std::size_t drawn = std::min(count, kMostCurves);
  std::vector<const ScalingCurve*> curves;
  for (std::size_t i = 0; i < drawn; ++i) {
    curves.push_back(&scaling.curves[drawn == 1 ? 0 : i * (count - 1) / (drawn - 1)]);
  }
  return curves;
}

/// GPUs and speed-up, both logarithmic, with room for what is slower than one GPU.
Plot speedup_plot(const Scaling& scaling) {
  double lowest = 1;
  double highest = most_gpus(scaling);
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) {
      lowest = std::min(lowest, step.speedup);
      highest = std::max(highest, step.speedup);
    }
  }
  constexpr double kRoom = 1.08;
  return {kSpeedupFrame, {{1 / kRoom, most_gpus(scaling) * kRoom}, {lowest / kRoom, highest * kRoom}}};
}

void draw_gpus_axis(Group& group, const Plot& plot, const Scaling& scaling) {
  std::set<int> numbers;
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) numbers.insert(step.gpus);
  }
  const Box& frame = plot.frame();
  for (const int gpus : numbers) {
    const double x = plot.x(gpus);
    group.shapes.emplace_back(Polyline{{{x, frame.top}, {x, frame.bottom}}, {palette::kGrid, 1}});
    group.shapes.emplace_back(
        Text{fmt::format("{}", gpus), {x, frame.bottom + 18}, kTickStyle, Anchor::middle});
  }
  group.shapes.emplace_back(
      Text{"GPUs", {(frame.left + frame.right) / 2, frame.bottom + 38}, {13}, Anchor::middle});
}

void draw_speedup_axis(Group& group, const Plot& plot) {
  const Box& frame = plot.frame();
  const Range& range = plot.window().flop_per_s;
  const int first = static_cast<int>(std::ceil(std::log2(range.low)));
  const int last = static_cast<int>(std::floor(std::log2(range.high)));
  for (int power = first; power <= last; ++power) {
    const double y = plot.y(std::exp2(power));
    group.shapes.emplace_back(Polyline{{{frame.left, y}, {frame.right, y}}, {palette::kGrid, 1}});
    group.shapes.emplace_back(
        Text{fmt::format("{:g}×", std::exp2(power)), {frame.left - 6, y + 4.5}, kTickStyle, Anchor::end});
  }
}

Group speedup_axes(const Plot& plot, const Scaling& scaling) {
  Group group{.name = "axes"};
  draw_gpus_axis(group, plot, scaling);
  draw_speedup_axis(group, plot);
  group.shapes.emplace_back(rectangle(plot.frame(), std::nullopt, Stroke{palette::kLeader, 1}));
  group.shapes.emplace_back(panel_title(scaling_title(scaling.kind), plot.frame().left));
  group.shapes.emplace_back(
      Text{"speed-up", {plot.frame().right, plot.frame().top - 8}, kTickStyle, Anchor::end});
  return group;
}

Group ideal_line(const Plot& plot, int gpus) {
  return {
      .name = "roofs",
      .title = "ideal",
      .clip = plot.frame(),
      .shapes = {Polyline{{plot.at({1, 1}), plot.at({static_cast<double>(gpus), static_cast<double>(gpus)})},
                          {palette::kMuted, 1.2, Dash::dashed}}}};
}

/// The line, then each of its marks with its numbers.
void add_curve(Scene& scene, const Plot& plot, const ScalingCurve& curve, std::size_t number) {
  const FamilyLook look = look_of(number);
  Polyline line{{}, {family_colour(look), 2}};
  for (const ScalingStep& step : curve.steps) {
    line.points.push_back(plot.at({static_cast<double>(step.gpus), step.speedup}));
  }
  scene.groups.push_back({.name = "curve", .title = curve.label, .shapes = {line}});
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    const ScalingStep& step = curve.steps[i];
    scene.groups.push_back({.name = "curve-mark",
                            .title = fmt::format("{}, {}: {}, {} of one GPU", typeset(curve.label),
                                                 format::counted(static_cast<std::size_t>(step.gpus), "GPU"),
                                                 format::duration(step.time_s), format::factor(step.speedup)),
                            .shapes = {family_mark(look, line.points[i], 4, MarkFill::filled)}});
  }
}

/// A bar for each curve, at its most GPUs: what their own shares take, and the rest.
Group share_bars(const std::vector<const ScalingCurve*>& curves, int gpus) {
  const Box& frame = kShareFrame;
  Group group{.name = "bars"};
  group.shapes.emplace_back(panel_title(
      fmt::format("Time at {}", format::counted(static_cast<std::size_t>(gpus), "GPU")), frame.left));
  const double height = frame.height() / static_cast<double>(std::max<std::size_t>(curves.size(), 1));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ScalingStep& step = curves[i]->steps.back();
    const double top = frame.top + height * static_cast<double>(i) + height * 0.2;
    const double bottom = top + height * 0.6;
    const double middle = (top + bottom) / 2 + 4.5;
    group.shapes.emplace_back(
        Text{fitted(typeset(curves[i]->label), kTickStyle, frame.left - kSpeedupFrame.right - 40),
             {frame.left - 8, middle},
             kTickStyle,
             Anchor::end});
    group.shapes.emplace_back(
        Text{format::duration(step.time_s), {frame.right + 8, middle}, kTickStyle, Anchor::start});
    if (!step.share_s) {
      group.shapes.emplace_back(rectangle({frame.left, top, frame.right, bottom}, palette::kTrack));
      continue;
    }
    const double split = frame.left + frame.width() * std::min(1.0, *step.share_s / step.time_s);
    group.shapes.emplace_back(rectangle({frame.left, top, split, bottom}, kShareColour));
    group.shapes.emplace_back(rectangle({split, top, frame.right, bottom}, kRestColour));
  }
  return group;
}

Group legend(const std::vector<const ScalingCurve*>& curves) {
  LegendRows rows;
  rows.add("ideal", 30, [](Group& group, Pixel at) {
    group.shapes.emplace_back(Polyline{{at, {at.x + 30, at.y}}, {palette::kMuted, 1.2, Dash::dashed}});
  });
  for (std::size_t i = 0; i < curves.size(); ++i) {
    rows.add(typeset(curves[i]->label), 26, [&](Group& group, Pixel at) {
      group.shapes.emplace_back(Polyline{{at, {at.x + 26, at.y}}, {family_colour(look_of(i)), 2}});
      group.shapes.emplace_back(family_mark(look_of(i), {at.x + 13, at.y}, 4, MarkFill::filled));
    });
  }
  const auto add_colour = [&](const std::string& name, Colour colour) {
    rows.add(name, 16, [=](Group& group, Pixel at) {
      group.shapes.emplace_back(rectangle({at.x, at.y - 6, at.x + 14, at.y + 6}, colour));
    });
  };
  add_colour("share of a GPU alone (DRAM)", kShareColour);
  add_colour("start, links, waiting", kRestColour);
  return rows.take();
}

}  // namespace

Scene scaling_scene(const ChartModel& chart, const Scaling& scaling) {
  Scene scene = blank(chart);
  const std::vector<const ScalingCurve*> curves = drawn_curves(scaling);
  const Plot plot = speedup_plot(scaling);
  scene.groups = {header(chart), legend(curves), speedup_axes(plot, scaling),
                  ideal_line(plot, most_gpus(scaling))};
  for (std::size_t i = 0; i < curves.size(); ++i) add_curve(scene, plot, *curves[i], i);
  scene.groups.push_back(share_bars(curves, most_gpus(scaling)));
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
