// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/text/written_number.h"
#include "reports/charts/model/size_sweep.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kPanelsPerRow = 3;
constexpr std::size_t kPanelsPerNarrowRow = 2;
constexpr double kSide = 24;
constexpr double kSweepTop = 128;
constexpr double kBottomRoom = kHeight - 846;
constexpr double kNarrowRowHeight = 330;
// Around the frame of a panel: tick labels, its name above it and the axis below.
constexpr double kTickRoom = 74;
constexpr double kNameRoom = 30;
constexpr double kAxisRoom = 46;
constexpr double kSizeLabelSpacing = 54;

std::size_t rows_of(std::size_t count, Extent extent) {
  const std::size_t per_row = extent == Extent::full ? kPanelsPerRow : kPanelsPerNarrowRow;
  return std::max<std::size_t>((count + per_row - 1) / per_row, 1);
}

/// More rows make a narrow picture higher, but in other pictures the panels smaller.
double height_of(std::size_t count, Extent extent) {
  if (extent == Extent::full) return kHeight;
  return kSweepTop + kNarrowRowHeight * static_cast<double>(rows_of(count, extent)) + kBottomRoom;
}

/// The frames of `count` panels, row by row.
std::vector<Box> frames(std::size_t count, Extent extent) {
  const std::size_t rows = rows_of(count, extent);
  const std::size_t columns = std::max<std::size_t>((count + rows - 1) / rows, 1);
  const double width = (width_of(extent) - 2 * kSide) / static_cast<double>(columns);
  const double height = (height_of(count, extent) - kBottomRoom - kSweepTop) / static_cast<double>(rows);
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / columns;
    const double left = kSide + width * static_cast<double>(i % columns);
    const double top = kSweepTop + height * static_cast<double>(row);
    boxes.push_back({left + kTickRoom, top + kNameRoom, left + width - 10, top + height - kAxisRoom});
  }
  return boxes;
}

/// Whether bandwidths differ so little that a decade would hide the differences: their axis then has round
/// numbers at equal distances and begins near the lowest.
bool is_close(const Range& values) {
  constexpr double kClose = 2;
  return values.high < kClose * values.low;
}

/// Around `values` with some room: whole decades or, for values close together, from one round number to
/// another.
Range axis_around(const Range& values) {
  if (!is_close(values)) {
    constexpr double kMarginAbove = 1.05;
    return {std::pow(10, std::floor(std::log10(values.low))),
            std::pow(10, std::ceil(std::log10(values.high * kMarginAbove)))};
  }
  constexpr double kMargin = 1.02;
  constexpr double kSteps = 6;
  const Range roomy = {values.low / kMargin, values.high * kMargin};
  const double step = round_step((roomy.high - roomy.low) / kSteps);
  return {std::floor(roomy.low / step) * step, std::ceil(roomy.high / step) * step};
}

/// The same for all panels: around every curve and the ceiling.
Window window_of(const SizeSweep& sweep) {
  Window window{kEmptyRange, {kEmptyRange.low, sweep.dram_read_bytes_per_s.value_or(0)}};
  for (const SweepPanel& panel : sweep.panels) {
    for (const SweepCurve& curve : panel.curves) {
      for (const SweepPoint& point : curve.points) window.extend_to({point.n, point.bytes_per_s});
    }
  }
  window.ai.low = std::max(window.ai.low, 1.0);
  window.ai.high = std::max(window.ai.high, 2 * window.ai.low);
  window.flop_per_s = axis_around(window.flop_per_s);
  return window;
}

/// Powers of two on the size axis, labelled as far apart as their labels need.
void draw_size_axis(Group& group, const Plot& plot) {
  const Box& frame = plot.frame();
  const Range& range = plot.window().ai;
  const int first = static_cast<int>(std::ceil(std::log2(range.low)));
  const int last = static_cast<int>(std::floor(std::log2(range.high)));
  int step = 1;
  while (step < last - first && frame.width() / (last - first) * step < kSizeLabelSpacing) step *= 2;
  for (int power = first; power <= last; ++power) {
    const double x = plot.x(std::exp2(power));
    const bool is_labelled = (power - first) % step == 0;
    add_vertical(group, frame, x, is_labelled, is_labelled ? typeset(fmt::format("2^{}", power)) : "",
                 frame.bottom + 18);
  }
}

/// Round numbers at equal distances on a close range, else decades, of which the whole ones are labelled.
std::vector<Tick> bandwidth_ticks(const Range& range, double pixels) {
  constexpr double kDecade = 9;  // 10, allowing for rounding
  if (range.high > kDecade * range.low) {
    std::vector<Tick> ticks = log_ticks(range, pixels);
    for (Tick& tick : ticks) tick.is_labelled = tick.is_decade;
    return ticks;
  }
  constexpr double kRounding = 1e-9;
  constexpr double kMostSteps = 8;
  const double step = round_step((range.high - range.low) / kMostSteps);
  std::vector<Tick> ticks;
  for (double i = std::ceil(range.low / step - kRounding); i * step <= range.high * (1 + kRounding); ++i) {
    ticks.push_back({i * step, true, true});
  }
  return ticks;
}

void draw_bandwidth_axis(Group& group, const Plot& plot) {
  const Box& frame = plot.frame();
  for (const Tick& tick : bandwidth_ticks(plot.window().flop_per_s, frame.height())) {
    add_horizontal(group, frame, plot.y(tick.value), tick.is_decade,
                   tick.is_labelled ? format::bandwidth(tick.value) : "");
  }
}

Group axes(const Plot& plot, Dtype dtype) {
  const Box& frame = plot.frame();
  Group group{.name = "axes"};
  draw_size_axis(group, plot);
  draw_bandwidth_axis(group, plot);
  group.add(rectangle(frame, std::nullopt, Stroke{palette::kLeader, 1}));
  group.add_text(std::string(to_string(dtype)), {frame.left, frame.top - 8}, kPanelTitleStyle);
  group.add_text("elements", {frame.centre().x, frame.bottom + 38}, {13}, Anchor::middle);
  return group;
}

/// The bandwidth at which `bytes_per_element` times the elements take as long as an empty launch, from edge
/// to edge.
Polyline launch_line(const Plot& plot, double launch_s, double bytes_per_element) {
  const Range& sizes = plot.window().ai;
  const auto at = [&](double n) { return Pixel{plot.x(n), plot.y(n * bytes_per_element / launch_s)}; };
  return {{at(sizes.low), at(sizes.high)}, {palette::kMuted, 1.2, Dash::dotted}};
}

/// What the device allows: DRAM, the launch, and the size of L2.
std::vector<Group> limits(const Plot& plot, const SizeSweep& sweep, Dtype dtype) {
  const Box& frame = plot.frame();
  const double bytes = static_cast<double>(size_bytes(dtype));
  Group lines{.name = "roofs", .clip = frame};
  Group names{.name = "labels"};
  if (sweep.dram_read_bytes_per_s) {
    const double y = plot.y(*sweep.dram_read_bytes_per_s);
    lines.add(Polyline{{{frame.left, y}, {frame.right, y}}, {palette::kMemoryRoof, 1.6}});
    // On the line, or above the panel where there is no room.
    const bool has_room = y - 6 - kNoteStyle.size > frame.top;
    const std::string name = "DRAM read " + format::bandwidth(*sweep.dram_read_bytes_per_s);
    names.add(has_room ? Text{name, {frame.left + 8, y - 6}, kNoteStyle}
                       : Text{name, {frame.right, frame.top - 8}, kNoteStyle, Anchor::end});
  }
  if (sweep.launch_s) lines.add(launch_line(plot, *sweep.launch_s, bytes));
  const double l2_elements = sweep.l2_bytes / bytes;
  if (l2_elements > plot.window().ai.low && l2_elements < plot.window().ai.high) {
    const double x = plot.x(l2_elements);
    lines.add(Polyline{{{x, frame.top}, {x, frame.bottom}}, {palette::kMuted, 1.2, Dash::dashed}});
    names.add_text("L2 " + format::memory_size(static_cast<std::uint64_t>(sweep.l2_bytes)),
                   {x + 6, frame.bottom - 10}, kNoteStyle);
  }
  return {lines, names};
}

/// The line, then each of its marks with its numbers. Warm is dashed and has hollow marks.
std::vector<Group> curve_groups(const Plot& plot, const SweepCurve& curve, const std::string& name) {
  const FamilyLook look = look_of(curve.version);
  const bool warm = curve.cache == CacheState::warm;
  const std::string title = fmt::format("{} {}", name, to_string(curve.cache));
  const Box clip = plot.frame().grown(6);
  Polyline line{{}, {family_colour(look), 2, warm ? Dash::dashed : Dash::solid}};
  for (const SweepPoint& point : curve.points) line.points.push_back(plot.at({point.n, point.bytes_per_s}));
  std::vector<Group> groups = {{.name = "curve", .title = title, .clip = clip, .shapes = {line}}};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SweepPoint& point = curve.points[i];
    groups.push_back(
        {.name = "curve-mark",
         .title = fmt::format("{}, {} elements: {}", title,
                              typeset(elements_text(static_cast<std::uint64_t>(point.n))),
                              format::bandwidth(point.bytes_per_s)),
         .clip = clip,
         .shapes = {family_mark(look, line.points[i], 3.2, warm ? MarkFill::hollow : MarkFill::filled)}});
  }
  return groups;
}

bool has_cache(const SizeSweep& sweep, CacheState cache) {
  return std::ranges::any_of(sweep.panels, [&](const SweepPanel& panel) {
    return std::ranges::any_of(panel.curves, [&](const SweepCurve& curve) { return curve.cache == cache; });
  });
}

/// What every curve needs comes first: there may be more versions than there is room for names.
Group legend(const SizeSweep& sweep, Extent extent) {
  LegendRows rows(extent);
  if (has_cache(sweep, CacheState::cold)) rows.add_line("cold", {palette::kInk, 2});
  if (has_cache(sweep, CacheState::warm)) rows.add_line("warm", {palette::kInk, 2, Dash::dashed});
  if (sweep.launch_s) {
    rows.add_line(fmt::format("launch-overhead limit ({})", format::duration(*sweep.launch_s)),
                  {palette::kMuted, 1.2, Dash::dotted});
  }
  for (std::size_t version = 0; version < sweep.versions.size(); ++version) {
    rows.add_curve(sweep.versions[version], look_of(version));
  }
  return rows.take();
}

}  // namespace

Scene size_sweep_scene(const ChartModel& chart, const SizeSweep& sweep, Extent extent) {
  Scene scene = blank(chart, extent);
  scene.groups = {header(chart, extent), legend(sweep, extent)};
  const Window window = window_of(sweep);
  const std::size_t count = std::min(sweep.panels.size(), kMostPanels);
  scene.height = height_of(count, extent);
  const std::vector<Box> boxes = frames(count, extent);
  for (std::size_t i = 0; i < count; ++i) {
    const SweepPanel& panel = sweep.panels[i];
    const Plot plot(boxes[i], window);
    scene.groups.push_back(axes(plot, panel.dtype));
    scene.add(limits(plot, sweep, panel.dtype));
    for (const SweepCurve& curve : panel.curves) {
      scene.add(curve_groups(plot, curve, sweep.versions[curve.version]));
    }
  }
  scene.groups.push_back(footer(chart, extent, scene.height));
  return scene;
}

}  // namespace rooflinectl
