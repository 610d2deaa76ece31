// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text/kernel_names/kernel_names.h"
#include "core/text/printable.h"
#include "reports/charts/model/chart_model.h"
#include "reports/charts/parts/plot.h"
#include "reports/formats/formats.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kMostTerminalColumns = 100;
constexpr std::size_t kFewestColumns = 40;
constexpr std::size_t kScaleWidth = 7;  // of the numbers left of the plane
constexpr int kRows = 18;
constexpr char32_t kSlope = U'/';
constexpr char32_t kFlat = U'─';
constexpr char32_t kMark = U'●';

// The part of the plane that the points and the roofs over them need. A picture has room for fixed axes; a
// few rows of characters have not.
Window window_of(const ChartModel& chart) {
  Window window = {kEmptyRange, kEmptyRange};
  for (const ChartPoint& point : chart.points) {
    if (!point.useful) continue;
    window.extend_to({point.useful->ai / 6, point.useful->flop_per_s / 1.5});
    window.extend_to({point.useful->ai * 6, point.useful->flop_per_s * 1.5});
  }
  for (const PlanePoint& ridge : chart.ridges) {
    window.extend_to(ridge);
    window.extend_to({ridge.ai * 4, ridge.flop_per_s * 1.6});
  }
  return window;
}

// A plane of characters.
class Canvas {
 public:
  Canvas(const Window& window, int columns)
      : plot_({0, 0, static_cast<double>(columns - 1), kRows - 1.0}, window),
        rows_(kRows, std::u32string(static_cast<std::size_t>(columns), U' ')) {}

  int columns() const { return static_cast<int>(rows_.front().size()); }
  int column(double ai) const { return static_cast<int>(std::lround(plot_.x(ai))); }
  int row(double flop_per_s) const { return static_cast<int>(std::lround(plot_.y(flop_per_s))); }
  bool holds(int row, int column) const {
    return row >= 0 && row < kRows && column >= 0 && column < columns();
  }

  // The intensity in the middle of a column.
  double ai(int column) const {
    const Range& range = plot_.window().ai;
    return range.low * std::pow(range.high / range.low, static_cast<double>(column) / (columns() - 1));
  }

  void put(int row, int column, char32_t character) {
    if (holds(row, column)) at(row, column) = character;
  }

  void write(int row, int column, const std::u32string& text) {
    for (const char32_t character : text) put(row, column++, character);
  }

  // The columns from `column` on that have roofs at most.
  std::size_t room(int row, int column) const {
    int end = column;
    const auto is_free = [&](char32_t c) { return c == U' ' || c == kSlope || c == kFlat; };
    while (holds(row, end) && is_free(rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(end)]))
      ++end;
    return static_cast<std::size_t>(end - column);
  }

  bool is_blank(int row, int begin, int end) const {
    if (!holds(row, begin) || !holds(row, end - 1)) return false;
    const std::u32string& line = rows_[static_cast<std::size_t>(row)];
    return std::all_of(line.begin() + begin, line.begin() + end, [](char32_t c) { return c == U' '; });
  }

  std::string line(int row) const {
    std::u32string line = rows_[static_cast<std::size_t>(row)];
    line.erase(line.find_last_not_of(U' ') + 1);
    return encode_utf8(line);
  }

 private:
  char32_t& at(int row, int column) {
    return rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }

  Plot plot_;
  std::vector<std::u32string> rows_;
};

std::u32string roof_name(const ChartModel& chart, CeilingKind kind, double value) {
  for (const RoofLine& roof : chart.roofs) {
    const bool is_it = roof.kind == kind && std::abs(roof.value / value - 1) < 1e-9;
    if (is_it && roof.source == CeilingSource::measured) return decode_utf8(roof.text);
  }
  return {};
}

// Of the slope; there must be a ridge.
double bandwidth_of(const ChartModel& chart) {
  return chart.ridges.front().flop_per_s / chart.ridges.front().ai;
}

void draw_roofs(Canvas& canvas, const ChartModel& chart) {
  if (chart.ridges.empty()) return;
  const double bandwidth = bandwidth_of(chart);
  double highest = 0;
  for (const PlanePoint& ridge : chart.ridges) highest = std::max(highest, ridge.flop_per_s);
  for (int column = 0; column < canvas.columns(); ++column) {
    const double slope = bandwidth * canvas.ai(column);
    for (const PlanePoint& ridge : chart.ridges) {
      if (slope >= ridge.flop_per_s) canvas.put(canvas.row(ridge.flop_per_s), column, kFlat);
    }
    if (slope < highest) canvas.put(canvas.row(slope), column, kSlope);
  }
}

// Where neither roofs nor marks are.
void name_roofs(Canvas& canvas, const ChartModel& chart) {
  if (chart.ridges.empty()) return;
  const double bandwidth = bandwidth_of(chart);
  const int end = canvas.columns();
  for (const PlanePoint& ridge : chart.ridges) {
    const std::u32string name = roof_name(chart, CeilingKind::compute, ridge.flop_per_s);
    const int begin = end - static_cast<int>(name.size());
    const int line = canvas.row(ridge.flop_per_s);
    for (const int row : {line - 1, line + 1}) {
      if (name.empty() || !canvas.is_blank(row, begin, end)) continue;
      canvas.write(row, begin, name);
      break;
    }
  }
  // Left of the slope, as high as there is room for it.
  const std::u32string name = roof_name(chart, CeilingKind::bandwidth, bandwidth);
  for (int column = static_cast<int>(name.size()) + 1; !name.empty() && column < end; ++column) {
    const int row = canvas.row(bandwidth * canvas.ai(column));
    const int begin = column - static_cast<int>(name.size()) - 2;
    if (!canvas.is_blank(row, begin, column - 1)) continue;
    canvas.write(row, begin, name);
    return;
  }
}

// Points by row and column, each with the names of those that lie there.
using MarkedPlaces = std::map<int, std::map<int, std::vector<std::string>>>;

MarkedPlaces draw_points(Canvas& canvas, const ChartModel& chart) {
  MarkedPlaces places;
  for (const ChartPoint& point : chart.points) {
    if (!point.useful) continue;
    std::vector<std::string>& names =
        places[canvas.row(point.useful->flop_per_s)][canvas.column(point.useful->ai)];
    if (point.is_labelled) names.push_back(point.label);
  }
  for (const auto& [row, columns] : places) {
    for (const auto& [column, names] : columns) canvas.put(row, column, kMark);
  }
  return places;
}

// As many names beside each mark as there is room for before what comes next; one may be shortened.
void name_points(Canvas& canvas, const MarkedPlaces& places) {
  constexpr std::size_t kLeastRoom = 12;
  for (const auto& [row, columns] : places) {
    for (const auto& [column, names] : columns) {
      const std::size_t room = canvas.room(row, column + 1);
      std::u32string text;
      for (const std::string& name : names) {
        const std::u32string more = decode_utf8(fmt::format("{}{}", text.empty() ? " " : ", ", name));
        if (text.size() + more.size() + 1 > room) break;
        text += more;
      }
      if (text.empty() && !names.empty() && room >= kLeastRoom) {
        text = decode_utf8(" " + kernel_names::cut_middle(names.front(), room - 2));
      }
      if (!text.empty()) canvas.write(row, column + 1, text + U' ');
    }
  }
}

// The numbers at the left: powers of ten, each at its row.
std::map<int, std::string> rate_scale(const Canvas& canvas, const Window& window) {
  std::map<int, std::string> scale;
  for (const Tick& tick : log_ticks(window.flop_per_s, 1000)) {
    if (tick.is_decade) scale[canvas.row(tick.value)] = format::rate_tick(tick.value);
  }
  return scale;
}

std::string intensity_scale(const Canvas& canvas, const Window& window) {
  std::string line;
  for (const Tick& tick : log_ticks(window.ai, 1000)) {
    if (!tick.is_decade) continue;
    const std::string text = format::significant(tick.value, 1);
    const auto column = static_cast<std::size_t>(std::max(canvas.column(tick.value), 0));
    if (column < line.size() + 1 && !line.empty()) continue;
    line += std::string(column - std::min(column, line.size()), ' ') + text;
  }
  return line;
}

}  // namespace

std::string terminal_roofline(const ExperimentReport& experiment, int columns) {
  const auto width = std::min(static_cast<std::size_t>(std::max(columns, 1)), kMostTerminalColumns);
  if (width < kFewestColumns) return {};
  const ChartModel& chart = experiment.chart;
  const bool has_points =
      std::ranges::any_of(chart.points, [](const ChartPoint& point) { return point.useful.has_value(); });
  if (!has_points) return {};

  const Window window = window_of(chart);
  Canvas canvas(window, static_cast<int>(width - kScaleWidth - 1));
  draw_roofs(canvas, chart);
  const MarkedPlaces places = draw_points(canvas, chart);
  name_roofs(canvas, chart);
  name_points(canvas, places);
  const auto scale = rate_scale(canvas, window);
  std::string text = sentence(
      fmt::format("{}: {}/s over {}/byte", experiment.analysis->name, chart.operations, chart.operations),
      width);
  for (int row = 0; row < kRows; ++row) {
    const auto tick = scale.find(row);
    text += sentence(
        fmt::format("{:>{}}│{}", tick == scale.end() ? "" : tick->second, kScaleWidth, canvas.line(row)),
        width);
  }
  text += fmt::format("{}└", std::string(kScaleWidth, ' '));
  for (int column = 0; column < canvas.columns(); ++column) text += "─";
  return fmt::format("{}\n{}{}\n", text, std::string(kScaleWidth + 1, ' '), intensity_scale(canvas, window));
}

}  // namespace rooflinectl
