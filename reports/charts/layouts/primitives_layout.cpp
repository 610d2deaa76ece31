// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr double kBottom = 846;
constexpr double kColumnGap = 40;
constexpr double kColumnWidth = (kWidth - 2 * kMargin - kColumnGap) / 2;
constexpr double kWidestName = kColumnWidth / 2;
constexpr double kIndent = 10;
constexpr double kPanelLeftGap = 14;
constexpr double kPanelGap = 36;
constexpr double kHighestLine = 22;

/// All implementations of the same operation.
struct Line {
  std::string name;
  std::vector<const PrimitiveResult*> results;
};

struct LineGroup {
  std::string name;
  std::vector<Line> lines;
  std::size_t height() const { return lines.size() + 1; }
};

bool has_latency_and_throughput(const PrimitiveResult& result) {
  return result.latency.median.value().value_or(0) > 0 &&
         cycles_per_element(result.throughput).value_or(0) > 0;
}

double latency_of(const PrimitiveResult& result) {
  return *result.latency.median.value();
}

double throughput_of(const PrimitiveResult& result) {
  return *cycles_per_element(result.throughput);
}

template <typename List>
auto& named(List& list, const std::string& name) {
  const auto found = std::ranges::find(list, name, [](const auto& item) { return item.name; });
  if (found != list.end()) return *found;
  list.push_back({name, {}});
  return list.back();
}

std::vector<LineGroup> families_of(const Run& run) {
  std::vector<LineGroup> families;
  for (const PrimitiveResult& result : run.primitives) {
    if (!has_latency_and_throughput(result)) continue;
    LineGroup& family = named(families, result.info.family);
    const std::string name = fmt::format("{}, {}", result.info.title, to_string(result.info.dtype));
    named(family.lines, name).results.push_back(&result);
  }
  return families;
}

/// The families in two columns of about the same height: the largest first, each into the shorter column.
std::array<std::vector<LineGroup>, 2> columns_of(std::vector<LineGroup> families) {
  std::ranges::stable_sort(families, std::greater(), &LineGroup::height);
  std::array<std::vector<LineGroup>, 2> columns;
  std::array<std::size_t, 2> heights{};
  for (LineGroup& family : families) {
    const std::size_t shorter = heights[1] < heights[0] ? 1 : 0;
    heights[shorter] += family.height();
    columns[shorter].push_back(std::move(family));
  }
  return columns;
}

std::size_t height_of(const std::vector<LineGroup>& column) {
  std::size_t height = 0;
  for (const LineGroup& family : column) height += family.height();
  return height;
}

/// Who implements them, in the order of their colours.
std::vector<std::string> makers(const Run& run) {
  std::vector<std::string> names;
  for (const PrimitiveResult& result : run.primitives) {
    if (std::ranges::find(names, result.info.by) == names.end()) names.push_back(result.info.by);
  }
  std::ranges::sort(names);
  const auto ours = std::ranges::find(names, "ours");
  if (ours != names.end()) std::rotate(names.begin(), ours, ours + 1);
  return names;
}

/// From 1, 2 or 5 times a power of ten to another.
Range around(const Run& run, double (*value)(const PrimitiveResult&)) {
  Range range = kEmptyRange;
  for (const PrimitiveResult& result : run.primitives) {
    if (has_latency_and_throughput(result)) range.extend_to(value(result));
  }
  if (range.low > range.high) return {1, 10};
  const auto decade = [](double number) { return std::pow(10, std::floor(std::log10(number))); };
  const double low = range.low * 0.9;
  const double high = range.high * 1.1;
  range.low = decade(low) * (low / decade(low) >= 5 ? 5 : low / decade(low) >= 2 ? 2 : 1);
  range.high = decade(high) * (high / decade(high) > 5 ? 10 : high / decade(high) > 2 ? 5 : 2);
  return range;
}

/// One logarithmic axis over some lines.
struct Panel {
  Box frame;
  Range range;
  double (*value)(const PrimitiveResult&);
  const char* title;

  double x(double number) const {
    return frame.left + frame.width() * std::log(number / range.low) / std::log(range.high / range.low);
  }
};

Group axes(const Panel& panel) {
  const Box& frame = panel.frame;
  Group group{.name = "axes"};
  for (const Tick& tick : log_ticks(panel.range, frame.width())) {
    add_vertical(group, frame, panel.x(tick.value), tick.is_decade,
                 tick.is_labelled ? format::significant(tick.value, 1) : "", frame.top - 6, kSmallTickStyle);
  }
  group.add(rectangle(frame, std::nullopt, Stroke{palette::kLeader, 1}));
  group.add_text(panel.title, {frame.left, frame.top - 24}, kPanelTitleStyle);
  return group;
}

/// The marks of a line stand a little above and below each other, so that equal ones are seen.
Group marks(const Panel& panel, const Line& line, double y, double pitch,
            const std::vector<std::string>& names) {
  Group group{.name = "primitive", .title = line.name};
  const double radius = std::min(3.6, pitch * 0.2);
  for (const PrimitiveResult* result : line.results) {
    const auto maker = static_cast<std::size_t>(std::ranges::find(names, result->info.by) - names.begin());
    const double offset =
        line.results.size() == 1
            ? 0
            : (static_cast<double>(maker) - 0.5 * static_cast<double>(names.size() - 1)) * 1.3 * radius;
    const double value = panel.value(*result);
    group.title += fmt::format(" {} {}", result->info.by, format::significant(value));
    group.add(family_mark(look_of(maker), {panel.x(value), y + offset}, radius, MarkFill::filled));
  }
  return group;
}

Group legend(const std::vector<std::string>& names) {
  LegendRows rows;
  for (std::size_t i = 0; i < names.size(); ++i) rows.add_mark(names[i], look_of(i), 4.5);
  return rows.take();
}

/// What the lines of both columns have in common.
struct Lines {
  double pitch = 0;
  TextStyle name;
  double name_width = 0;
};

/// As high as there is room for `count` of them on top of each other, with as much room for names as they
/// need.
Lines lines_of(const std::vector<LineGroup>& families, std::size_t count) {
  Lines lines;
  lines.pitch =
      std::min(kHighestLine, (kBottom - kPanelTop) / static_cast<double>(std::max<std::size_t>(count, 1)));
  lines.name.size = std::min(13.0, lines.pitch * 0.7);
  for (const LineGroup& family : families) {
    for (const Line& line : family.lines) {
      lines.name_width = std::max(lines.name_width, std::ceil(text_width(line.name, lines.name)));
    }
  }
  lines.name_width = std::min(lines.name_width, kWidestName);
  return lines;
}

/// A column of families at `left`, two panels over all of its lines.
void draw_column(Scene& scene, const Run& run, const std::vector<LineGroup>& column, double left,
                 const Lines& lines) {
  const auto& [pitch, style, name_width] = lines;
  const double right = left + kColumnWidth;
  const double bottom = kPanelTop + pitch * static_cast<double>(height_of(column));
  const double first = left + kIndent + name_width + kPanelLeftGap;
  const double panel_width = (right - first - kPanelGap) / 2;
  const std::array panels = {Panel{{first, kPanelTop, first + panel_width, bottom},
                                   around(run, latency_of),
                                   latency_of,
                                   "Latency, cycles"},
                             Panel{{first + panel_width + kPanelGap, kPanelTop, right, bottom},
                                   around(run, throughput_of),
                                   throughput_of,
                                   "SM cycles per element"}};
  for (const Panel& panel : panels) scene.groups.push_back(axes(panel));
  const std::vector<std::string> names = makers(run);
  double y = kPanelTop + pitch / 2;
  for (const LineGroup& family : column) {
    std::string heading = family.name;
    std::ranges::replace(heading, '_', ' ');
    Group texts{.name = "labels"};
    texts.add_text(heading, {left, y + 0.36 * style.size}, {style.size, Weight::semibold});
    for (const Line& line : family.lines) {
      y += pitch;
      texts.add_fitted(line.name, {left + kIndent, y + 0.36 * style.size}, style, name_width);
      for (const Panel& panel : panels) {
        texts.add(Polyline{{{panel.frame.left, y}, {panel.frame.right, y}}, {palette::kGridMinor, 1}});
        scene.groups.push_back(marks(panel, line, y, pitch, names));
      }
    }
    // Behind the marks.
    scene.groups.insert(scene.groups.begin(), std::move(texts));
    y += pitch;
  }
}

}  // namespace

Scene primitives_scene(const Run& run) {
  ChartModel chart = ceilings_model(run);
  chart.title = "Cost of exchanging values between threads";
  chart.provenance = fmt::format(
      "{}; latency: from one operation to the next that needs its result; throughput: with as many "
      "operations as an SM holds",
      to_string(run.source));
  Scene scene = blank(chart);
  scene.description = "Latency and throughput of primitives. " + chart.subtitle;
  const std::vector<LineGroup> families = families_of(run);
  const auto columns = columns_of(families);
  const Lines lines = lines_of(families, std::max(height_of(columns[0]), height_of(columns[1])));
  double left = kMargin;
  for (const std::vector<LineGroup>& column : columns) {
    if (!column.empty()) draw_column(scene, run, column, left, lines);
    left += kColumnWidth + kColumnGap;
  }
  scene.groups.insert(scene.groups.begin(), {header(chart), legend(makers(run))});
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
