// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/plot.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr double kLargestLadderRow = 40;
constexpr double kLargestText = 14;
constexpr double kLadderGap = 8;
constexpr double kWidestLadderLabel = 190;
constexpr double kWidestText = 96;  // only the absurd numbers of a broken file are wider
// Where labels and words are long, they matter more; the names of a program's kernels are cut anyway.
constexpr double kShortestBar = 2;
constexpr double kShortestBarOfProgram = 20;
constexpr double kLadderMarkWidth = 22;

// A column of text, right-aligned.
struct LadderColumn {
  std::string_view header_top;
  std::string_view header_bottom;
  double header_width = 0;
  std::string ChartPoint::*text = nullptr;
};

constexpr std::array kSumColumns = {
    LadderColumn{"", "time", 62, &ChartPoint::time},
    LadderColumn{"DRAM", "B/elem.", 42, &ChartPoint::dram_bytes_per_element},
    LadderColumn{"", "active", 43, &ChartPoint::warp_efficiency},
    LadderColumn{"warp efficiency", "non-pred.", 54, &ChartPoint::nonpred_warp_efficiency},
    LadderColumn{"redun-", "dancy", 40, &ChartPoint::redundancy},
};
constexpr std::array kProgramColumns = {
    LadderColumn{"share of", "GPU time", 56, &ChartPoint::share_text},
    LadderColumn{"", "launches", 52, &ChartPoint::launches},
    LadderColumn{"", "time", 62, &ChartPoint::time},
    LadderColumn{"could", "save", 62, &ChartPoint::recoverable},
};
constexpr std::size_t kMostColumns = std::max(kSumColumns.size(), kProgramColumns.size());

std::span<const LadderColumn> columns_to_show(const ChartModel& chart) {
  return chart.is_of_program ? std::span<const LadderColumn>(kProgramColumns)
                             : std::span<const LadderColumn>(kSumColumns);
}

constexpr double kPercentWidth = 48;
constexpr double kBoundHeaderWidth = 54;

// The texts of a row.
struct LadderStyles {
  TextStyle label;
  TextStyle percent;
  TextStyle text;
};

LadderStyles ladder_styles(double row_height) {
  const double label_size = std::min(kLargestText, row_height * 0.72);
  const double size = std::min(13.0, label_size);
  return {{label_size, Weight::semibold}, {size, Weight::semibold}, {size}};
}

// It is explained below the picture.
constexpr std::string_view kAsterisk = " *";

// A mark may have the place in the list for a name.
std::string name_text(const ChartPoint& point) {
  return point.rank > 0 ? fmt::format("{} {}", point.rank, point.label) : point.label;
}

std::string label_text(const ChartPoint& point) {
  return name_text(point) + (point.is_flagged ? std::string(kAsterisk) : "");
}

std::string percent_text(const ChartPoint& point) {
  return point.fraction;
}

// Where the columns lie, from left to right.
struct LadderColumns {
  double mark = 0;
  double label = 0;
  double label_width = 0;
  Range bar;
  double percent = 0;  // right edge
  std::span<const LadderColumn> shown;
  std::array<double, kMostColumns> texts = {};  // right edges of those
  double bound = 0;
};

// The width of a column, within `limits`. Whole pixels: the widest text must not be cut for a rounding error.
template <typename TextOf>
double widest_text(const ChartModel& chart, TextOf text_of, const TextStyle& style, const Range& limits) {
  double width = limits.low;
  for (const ChartPoint& point : chart.points) {
    width = std::max(width, std::ceil(text_width(std::invoke(text_of, point), style)));
  }
  return std::min(width, limits.high);
}

// From the right: numbers and words, which are shown whole, then the label, and what is left is the bar's.
LadderColumns ladder_columns(const Box& area, const ChartModel& chart, const LadderStyles& styles) {
  LadderColumns columns;
  columns.mark = area.left + kLadderMarkWidth / 2;
  columns.label = area.left + kLadderMarkWidth;
  columns.bound =
      area.right - widest_text(chart, &ChartPoint::bound, styles.text, {kBoundHeaderWidth, kWidestText});
  columns.shown = columns_to_show(chart);
  double right = columns.bound - kLadderGap;
  for (std::size_t i = columns.shown.size(); i-- > 0;) {
    columns.texts[i] = right;
    const LadderColumn& column = columns.shown[i];
    right -= kLadderGap + widest_text(chart, column.text, styles.text, {column.header_width, kWidestText});
  }
  columns.percent = right;
  right -= kLadderGap + widest_text(chart, percent_text, styles.percent, {kPercentWidth, kWidestText});
  columns.bar.high = right;
  const double shortest = chart.is_of_program ? kShortestBarOfProgram : kShortestBar;
  columns.label_width =
      widest_text(chart, label_text, styles.label,
                  {0, std::min(kWidestLadderLabel, right - shortest - kLadderGap - columns.label)});
  columns.bar.low = columns.label + columns.label_width + kLadderGap;
  return columns;
}

Group ladder_header(const Box& area, const LadderColumns& columns) {
  Group group{.name = "ladder-header"};
  const double bottom = panel::header_baseline(area);
  const double top = bottom - 15;
  const auto add = [&](std::string_view text, double x, double y, Anchor anchor) {
    if (!text.empty())
      group.shapes.emplace_back(Text{std::string(text), {x, y}, panel::kHeaderStyle, anchor});
  };
  add("% of", columns.percent, top, Anchor::end);
  add("roofline", columns.percent, bottom, Anchor::end);
  for (std::size_t i = 0; i < columns.shown.size(); ++i) {
    add(columns.shown[i].header_top, columns.texts[i], top, Anchor::end);
    add(columns.shown[i].header_bottom, columns.texts[i], bottom, Anchor::end);
  }
  add("bound by", columns.bound, bottom, Anchor::start);
  group.shapes.emplace_back(panel::rule(area));
  return group;
}

void draw_fraction(Group& group, const Box& row, const LadderColumns& columns, const ChartPoint& point) {
  const double half = std::min(7.0, row.height() * 0.3);
  const double middle = (row.top + row.bottom) / 2;
  const auto bar = [&](double fraction) {
    const double length = (columns.bar.high - columns.bar.low) * std::clamp(fraction, 0.0, 1.0);
    return Box{columns.bar.low, middle - half, columns.bar.low + length, middle + half};
  };
  group.shapes.emplace_back(rectangle(bar(1), palette::kTrack));
  if (point.fraction_of_roofline) {
    group.shapes.emplace_back(rectangle(bar(*point.fraction_of_roofline), family_colour(point.look)));
  }
}

Group ladder_row(const Box& row, const LadderColumns& columns, const LadderStyles& styles,
                 const ChartPoint& point, std::size_t index, std::size_t rank) {
  Group group{.name = "ladder-row", .point = index, .title = point.title};
  const double size = styles.label.size;
  const double middle = (row.top + row.bottom) / 2;
  const double baseline = middle + 0.36 * size;
  // A row without ink would not be there for the mouse.
  group.shapes.emplace_back(rectangle(row, rank % 2 == 0 ? palette::kPaper : palette::kAttainable));
  group.shapes.emplace_back(family_mark(point.look, {columns.mark, middle}, 0.4 * size, MarkFill::filled));
  const auto add = [&](const std::string& text, double x, const TextStyle& style, double width,
                       Anchor anchor) {
    group.shapes.emplace_back(Text{fitted(text, style, width), {x, baseline}, style, anchor});
  };
  // A name that is too long loses letters, never its asterisk.
  const std::string asterisk = point.is_flagged ? std::string(kAsterisk) : "";
  const double room = columns.label_width - text_width(asterisk, styles.label);
  group.shapes.emplace_back(Text{fitted(name_text(point), styles.label, room) + asterisk,
                                 {columns.label, baseline},
                                 styles.label,
                                 Anchor::start});
  draw_fraction(group, row, columns, point);
  add(percent_text(point), columns.percent, styles.percent, kWidestText, Anchor::end);
  for (std::size_t i = 0; i < columns.shown.size(); ++i) {
    add(point.*columns.shown[i].text, columns.texts[i], styles.text, kWidestText, Anchor::end);
  }
  add(point.bound, columns.bound, styles.text, kWidestText, Anchor::start);
  return group;
}

Group ladder_remainder(const Box& row, std::size_t left_out) {
  const std::string text = fmt::format("… and {} more in report.html", left_out);
  return {.name = "ladder-remainder",
          .shapes = {Text{
              text, {row.left + kLadderMarkWidth, row.bottom - 4}, {11, Weight::regular, palette::kMuted}}}};
}

}  // namespace

std::vector<Group> ladder_panel(const Box& area, const ChartModel& chart) {
  const std::vector<std::size_t> order = list_order(chart);
  const double rows_top = area.top + panel::kHeaderHeight;
  const double room = area.bottom - rows_top;
  const auto count = static_cast<double>(std::max<std::size_t>(chart.points.size(), 1));
  const double height = std::clamp(room / count, panel::kSmallestRow, kLargestLadderRow);
  const LadderStyles styles = ladder_styles(height);
  const LadderColumns columns = ladder_columns(area, chart, styles);
  std::vector<Group> groups = {ladder_header(area, columns)};
  const auto row_at = [&](std::size_t i) {
    const double top = rows_top + height * static_cast<double>(i);
    return Box{area.left, top, area.right, top + height};
  };
  const auto fitting = static_cast<std::size_t>(room / height + 1e-6);
  const std::size_t shown = chart.points.size() <= fitting ? chart.points.size() : fitting - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    groups.push_back(ladder_row(row_at(i), columns, styles, chart.points[order[i]], order[i], i));
  }
  if (shown < chart.points.size())
    groups.push_back(ladder_remainder(row_at(shown), chart.points.size() - shown));
  return groups;
}

}  // namespace rooflinectl
