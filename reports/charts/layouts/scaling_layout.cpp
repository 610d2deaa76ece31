// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/text/written_number.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

/// More curves would hide each other, and their names would not fit into the legend.
constexpr std::size_t kMostCurves = 12;
constexpr Box kSpeedupFrame = {100, kPanelTop, 780, kPanelBottom - 40};
constexpr Box kShareFrame = {1080, kPanelTop, kWidth - kMargin - 70, kPanelBottom - 40};

/// What the time of a point consists of, in the order of its bar.
struct TimePart {
  std::string_view name;
  Colour colour;
  std::optional<double> (*seconds)(const ScalingStep&);
};

constexpr std::array kTimeParts = {
    TimePart{"memory or compute, at its ceiling", palette::kFamilies[0],
             [](const ScalingStep& step) { return step.roof_s(); }},
    TimePart{"beyond it, on one GPU alone", palette::kFamilies[3],
             [](const ScalingStep& step) -> std::optional<double> {
               if (!step.share_s || !step.roof_s()) return step.share_s;
               return *step.share_s - *step.roof_s();
             }},
    TimePart{"link", palette::kFamilies[2], [](const ScalingStep& step) { return step.link_s; }},
};
/// What is left of the time.
constexpr std::string_view kRest = "start, waiting";
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
  const double most = most_gpus(scaling);
  Range speedups = {1, most};
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) speedups.extend_to(step.speedup);
  }
  constexpr double kRoom = 1.08;
  return {kSpeedupFrame, {{1 / kRoom, most * kRoom}, {speedups.low / kRoom, speedups.high * kRoom}}};
}

void draw_gpus_axis(Group& group, const Plot& plot, const Scaling& scaling) {
  std::set<int> numbers;
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) numbers.insert(step.gpus);
  }
  const Box& frame = plot.frame();
  for (const int gpus : numbers) {
    add_vertical(group, frame, plot.x(gpus), true, fmt::format("{}", gpus), frame.bottom + 18);
  }
  group.add_text("GPUs", {frame.centre().x, frame.bottom + 38}, {13}, Anchor::middle);
}

void draw_speedup_axis(Group& group, const Plot& plot) {
  const Box& frame = plot.frame();
  const Range& range = plot.window().flop_per_s;
  const int first = static_cast<int>(std::ceil(std::log2(range.low)));
  const int last = static_cast<int>(std::floor(std::log2(range.high)));
  for (int power = first; power <= last; ++power) {
    const double speedup = std::exp2(power);
    add_horizontal(group, frame, plot.y(speedup), true, fmt::format("{:g}×", speedup));
  }
}

Group speedup_axes(const Plot& plot, const Scaling& scaling) {
  Group group{.name = "axes"};
  draw_gpus_axis(group, plot, scaling);
  draw_speedup_axis(group, plot);
  group.add(rectangle(plot.frame(), std::nullopt, Stroke{palette::kLeader, 1}));
  group.add(panel_title(scaling_title(scaling.kind), plot.frame().left));
  group.add_text("speed-up", {plot.frame().right, plot.frame().top - 8}, kTickStyle, Anchor::end);
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

/// The speed-up that the links allow, in the colour of the curve.
Group reachable_line(const Plot& plot, const ScalingCurve& curve, Colour colour) {
  Polyline line{{plot.at({1, 1})}, {colour, 1.2, Dash::dotted}};
  for (const ScalingStep& step : curve.steps) {
    if (!step.reachable_speedup) continue;
    line.points.push_back(plot.at({static_cast<double>(step.gpus), *step.reachable_speedup}));
  }
  Group group{.name = "roofs", .title = fmt::format("{}: what the links allow", typeset(curve.label))};
  group.clip = plot.frame();
  if (line.points.size() > 1) group.add(line);
  return group;
}

/// The line, then each of its marks with its numbers.
void add_curve(Scene& scene, const Plot& plot, const ScalingCurve& curve, std::size_t number) {
  const FamilyLook look = look_of(number);
  Polyline line{{}, {family_colour(look), 2}};
  for (const ScalingStep& step : curve.steps) {
    line.points.push_back(plot.at({static_cast<double>(step.gpus), step.speedup}));
  }
  scene.groups.push_back(reachable_line(plot, curve, family_colour(look)));
  scene.groups.push_back({.name = "curve", .title = curve.label, .shapes = {line}});
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    const ScalingStep& step = curve.steps[i];
    std::string title = fmt::format("{}, {}: {}, speed-up {}", typeset(curve.label),
                                    format::counted(static_cast<std::size_t>(step.gpus), "GPU"),
                                    format::duration(step.time_s), format::factor(step.speedup));
    if (step.reachable_speedup) {
      title += fmt::format("; the links allow {}", format::factor(*step.reachable_speedup));
    }
    scene.groups.push_back({.name = "curve-mark",
                            .title = std::move(title),
                            .shapes = {family_mark(look, line.points[i], 4, MarkFill::filled)}});
  }
}

/// The time of a step, from `bar.left` on: its parts as far as they are known, then the rest.
void draw_parts(Group& group, const ScalingStep& step, const Box& bar) {
  double done_s = 0;
  const auto draw = [&](double seconds, Colour colour) {
    const double end_s = std::clamp(done_s + seconds, done_s, step.time_s);
    const auto x = [&](double time_s) { return bar.left + bar.width() * time_s / step.time_s; };
    group.add(rectangle({x(done_s), bar.top, x(end_s), bar.bottom}, colour));
    done_s = end_s;
  };
  for (const TimePart& part : kTimeParts) {
    if (const auto seconds = part.seconds(step); seconds && *seconds > 0) draw(*seconds, part.colour);
  }
  draw(step.time_s - done_s, done_s > 0 ? kRestColour : palette::kTrack);
}

/// A bar for each curve, at its most GPUs.
Group time_bars(const std::vector<const ScalingCurve*>& curves, int gpus) {
  const Box& frame = kShareFrame;
  Group group{.name = "bars"};
  group.add(panel_title(fmt::format("Time at {}", format::counted(static_cast<std::size_t>(gpus), "GPU")),
                        frame.left));
  const double height = frame.height() / static_cast<double>(std::max<std::size_t>(curves.size(), 1));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ScalingStep& step = curves[i]->steps.back();
    const double top = frame.top + height * static_cast<double>(i) + height * 0.2;
    const double bottom = top + height * 0.6;
    const double middle = (top + bottom) / 2 + 4.5;
    group.add_fitted(typeset(curves[i]->label), {frame.left - 8, middle}, kTickStyle,
                     frame.left - kSpeedupFrame.right - 40, Anchor::end);
    group.add_text(format::duration(step.time_s), {frame.right + 8, middle}, kTickStyle);
    draw_parts(group, step, {frame.left, top, frame.right, bottom});
  }
  return group;
}

/// Below the panels: what the picture lacks, and why.
Group omissions(const Scaling& scaling, std::size_t drawn) {
  std::vector<std::string> notes;
  if (drawn < scaling.curves.size()) {
    notes.push_back(fmt::format("{} of {} curves; the table has all", drawn, scaling.curves.size()));
  }
  if (!scaling.link_missing.empty()) {
    notes.push_back(fmt::format("no roof of the links: {}", scaling.link_missing));
  }
  Group group{.name = "notes"};
  group.add_fitted(format::joined(notes, "; "), {kSpeedupFrame.left, kPanelBottom + 24}, kNoteStyle,
                   kWidth - 2 * kMargin);
  return group;
}

Group legend(const std::vector<const ScalingCurve*>& curves, bool has_link_roof) {
  LegendRows rows;
  rows.add_line("ideal", {palette::kMuted, 1.2, Dash::dashed});
  if (has_link_roof) rows.add_line("what the links allow", {palette::kMuted, 1.2, Dash::dotted});
  for (std::size_t i = 0; i < curves.size(); ++i) rows.add_curve(typeset(curves[i]->label), look_of(i));
  return rows.take();
}

/// What the colours of the bars mean, below them.
Group part_names(const Scaling& scaling) {
  Group group{.name = "legend"};
  double left = kSpeedupFrame.right + 100;
  const auto add_part = [&](std::string_view name, Colour colour) {
    const double y = kShareFrame.bottom + 34;
    group.add(rectangle({left, y - 11, left + 12, y + 1}, colour));
    group.add_text(std::string(name), {left + 17, y}, kNoteStyle);
    left += 17 + text_width(std::string(name), kNoteStyle) + 18;
  };
  const auto is_known = [&](const TimePart& part) {
    return std::ranges::any_of(scaling.curves, [&](const ScalingCurve& curve) {
      return part.seconds(curve.steps.back()).has_value();
    });
  };
  for (const TimePart& part : kTimeParts) {
    if (is_known(part)) add_part(part.name, part.colour);
  }
  add_part(kRest, kRestColour);
  return group;
}

}  // namespace

Scene scaling_scene(const ChartModel& chart, const Scaling& scaling) {
  Scene scene = blank(chart);
  const std::vector<const ScalingCurve*> curves = drawn_curves(scaling);
  const Plot plot = speedup_plot(scaling);
  scene.groups = {header(chart), legend(curves, scaling.link_missing.empty()), speedup_axes(plot, scaling),
                  ideal_line(plot, most_gpus(scaling))};
  for (std::size_t i = 0; i < curves.size(); ++i) add_curve(scene, plot, *curves[i], i);
  scene.groups.push_back(time_bars(curves, most_gpus(scaling)));
  scene.groups.push_back(part_names(scaling));
  scene.groups.push_back(omissions(scaling, curves.size()));
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
