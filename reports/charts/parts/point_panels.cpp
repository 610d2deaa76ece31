// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/plot.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

// The points as rows beside the chart: the ladder, and the memory levels.
namespace rooflinectl {
namespace {

double row_height(const Box& area, std::size_t count, double largest) {
  const double room = area.height() - panel::kHeaderHeight;
  return std::clamp(room / static_cast<double>(std::max<std::size_t>(count, 1)), panel::kSmallestRow,
                    largest);
}

// As many of `count` rows as there is room for; if that is too little, one less, for how many more there are.
std::vector<Box> rows_in(const Box& area, std::size_t count, double height) {
  const auto fitting = static_cast<std::size_t>((area.height() - panel::kHeaderHeight) / height + 1e-6);
  std::vector<Box> rows;
  for (std::size_t i = 0; i < (count <= fitting ? count : fitting - 1); ++i) {
    const double top = area.top + panel::kHeaderHeight + height * static_cast<double>(i);
    rows.push_back({area.left, top, area.right, top + height});
  }
  return rows;
}

Group remainder(const std::string& name, Pixel at, std::size_t left_out) {
  return {.name = name,
          .shapes = {Text{fmt::format("… and {} more in report.html", left_out),
                          at,
                          {11, Weight::regular, palette::kMuted}}}};
}

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
  columns.shown = kSumColumns;
  if (chart.is_of_program) columns.shown = kProgramColumns;
  double right = columns.bound - kLadderGap;
  for (std::size_t i = columns.shown.size(); i-- > 0;) {
    columns.texts[i] = right;
    const LadderColumn& column = columns.shown[i];
    right -= kLadderGap + widest_text(chart, column.text, styles.text, {column.header_width, kWidestText});
  }
  columns.percent = right;
  right -=
      kLadderGap + widest_text(chart, &ChartPoint::fraction, styles.percent, {kPercentWidth, kWidestText});
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
    if (!text.empty()) group.add_text(std::string(text), {x, y}, panel::kHeaderStyle, anchor);
  };
  add("% of", columns.percent, top, Anchor::end);
  add("roofline", columns.percent, bottom, Anchor::end);
  for (std::size_t i = 0; i < columns.shown.size(); ++i) {
    add(columns.shown[i].header_top, columns.texts[i], top, Anchor::end);
    add(columns.shown[i].header_bottom, columns.texts[i], bottom, Anchor::end);
  }
  add("bound by", columns.bound, bottom, Anchor::start);
  group.add(panel::rule(area));
  return group;
}

void draw_fraction(Group& group, const Box& row, const LadderColumns& columns, const ChartPoint& point) {
  const double half = std::min(7.0, row.height() * 0.3);
  const double middle = row.centre().y;
  const auto bar = [&](double fraction) {
    const double length = (columns.bar.high - columns.bar.low) * std::clamp(fraction, 0.0, 1.0);
    return Box{columns.bar.low, middle - half, columns.bar.low + length, middle + half};
  };
  group.add(rectangle(bar(1), palette::kTrack));
  if (point.fraction_of_roofline) {
    group.add(rectangle(bar(*point.fraction_of_roofline), family_colour(point.look)));
  }
}

Group ladder_row(const Box& row, const LadderColumns& columns, const LadderStyles& styles,
                 const ChartPoint& point, std::size_t index, std::size_t rank) {
  Group group{.name = "ladder-row", .point = index, .title = point.title};
  const double size = styles.label.size;
  const double middle = row.centre().y;
  const double baseline = middle + 0.36 * size;
  // A row without ink would not be there for the mouse.
  group.add(rectangle(row, rank % 2 == 0 ? palette::kPaper : palette::kAttainable));
  group.add(family_mark(point.look, {columns.mark, middle}, 0.4 * size, MarkFill::filled));
  // A name that is too long loses letters, never its asterisk.
  const std::string asterisk = point.is_flagged ? std::string(kAsterisk) : "";
  const double room = columns.label_width - text_width(asterisk, styles.label);
  group.add_text(fitted(name_text(point), styles.label, room) + asterisk, {columns.label, baseline},
                 styles.label);
  draw_fraction(group, row, columns, point);
  group.add_fitted(point.fraction, {columns.percent, baseline}, styles.percent, kWidestText, Anchor::end);
  for (std::size_t i = 0; i < columns.shown.size(); ++i) {
    group.add_fitted(point.*columns.shown[i].text, {columns.texts[i], baseline}, styles.text, kWidestText,
                     Anchor::end);
  }
  group.add_fitted(point.bound, {columns.bound, baseline}, styles.text, kWidestText);
  return group;
}

constexpr double kLargestLevelsRow = 28;
constexpr double kLevelsMarkWidth = 20;
constexpr double kLevelWidth = 52;
constexpr double kLimitWidth = 84;

// From the right: a column per level, the limit; what is left goes to the label.
struct LevelsColumns {
  double label = 0;
  double limit = 0;
  std::vector<double> levels;  // right edges
};

LevelsColumns levels_columns(const Box& area, const ChartModel& chart) {
  LevelsColumns columns;
  const double first = area.right - kLevelWidth * static_cast<double>(chart.levels.size());
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    columns.levels.push_back(first + kLevelWidth * static_cast<double>(i + 1) - 4);
  }
  columns.limit = first - kLimitWidth;
  columns.label = area.left + kLevelsMarkWidth;
  return columns;
}

Group levels_header(const Box& area, const LevelsColumns& columns, const ChartModel& chart) {
  Group group{.name = "panel-header"};
  const double bottom = panel::header_baseline(area);
  const auto add = [&](std::string text, double x, double y, Anchor anchor) {
    group.add_text(std::move(text), {x, y}, panel::kHeaderStyle, anchor);
  };
  group.add_text("Levels", {area.left, bottom}, {15, Weight::semibold});
  add("busiest level", columns.limit, bottom, Anchor::start);
  add("% of measured ceiling", area.right - 4, bottom - 15, Anchor::end);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    add(std::string(level_name(chart.levels[i])), columns.levels[i], bottom, Anchor::end);
  }
  group.add(panel::rule(area));
  return group;
}

Group levels_row(const PanelRow& row, const LevelsColumns& columns, const ChartModel& chart, bool is_shaded) {
  const ChartPoint& point = chart.points[row.point];
  Group group{.name = "panel-row", .point = row.point, .title = point.title};
  const double size = std::min(14.0, row.box.height() * 0.72);
  const TextStyle strong = {size, Weight::semibold};
  const TextStyle normal = {std::min(13.0, size)};
  const TextStyle strong_number = {normal.size, Weight::semibold};
  const double middle = row.box.centre().y;
  const double baseline = middle + 0.36 * size;
  // A row without ink would be invisible to the mouse.
  group.add(rectangle(row.box, is_shaded ? palette::kAttainable : palette::kPaper));
  group.add(Circle{{row.box.left + 8, middle}, 0.36 * size, family_colour(point.look), std::nullopt});
  group.add_fitted(point.is_flagged ? point.label + " *" : point.label, {columns.label, baseline}, strong,
                   columns.limit - columns.label - 8);
  group.add_fitted(point.limit, {columns.limit, baseline}, normal, kLimitWidth - 8);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    const auto mark = std::ranges::find(point.levels, chart.levels[i], &LevelMark::level);
    const bool is_counted = mark != point.levels.end();
    const TextStyle& style = is_counted && mark->is_limiting ? strong_number : normal;
    group.add_fitted(is_counted ? mark->utilisation : format::kUnavailable, {columns.levels[i], baseline},
                     style, kLevelWidth - 8, Anchor::end);
  }
  return group;
}

}  // namespace

std::vector<Group> ladder_panel(const Box& area, const ChartModel& chart) {
  const std::vector<std::size_t> order = list_order(chart);
  const double height = row_height(area, order.size(), kLargestLadderRow);
  const std::vector<Box> rows = rows_in(area, order.size(), height);
  const LadderStyles styles = ladder_styles(height);
  const LadderColumns columns = ladder_columns(area, chart, styles);
  std::vector<Group> groups = {ladder_header(area, columns)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    groups.push_back(ladder_row(rows[i], columns, styles, chart.points[order[i]], order[i], i));
  }
  if (rows.size() < order.size()) {
    groups.push_back(remainder("ladder-remainder", {columns.label, rows.back().bottom + height - 4},
                               order.size() - rows.size()));
  }
  return groups;
}

std::vector<PanelRow> panel_rows(const Box& area, const ChartModel& chart) {
  std::vector<std::size_t> order(chart.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rate = [&](std::size_t i) {
    const auto& useful = chart.points[i].useful;
    return useful ? useful->flop_per_s : 0;
  };
  std::ranges::stable_sort(order, std::greater(), rate);
  std::vector<PanelRow> rows;
  for (const Box& box : rows_in(area, order.size(), row_height(area, order.size(), kLargestLevelsRow))) {
    rows.push_back({order[rows.size()], box});
  }
  return rows;
}

std::vector<Group> levels_panel(const Box& area, const ChartModel& chart, const std::vector<PanelRow>& rows) {
  const LevelsColumns columns = levels_columns(area, chart);
  std::vector<Group> groups = {levels_header(area, columns, chart)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    groups.push_back(levels_row(rows[i], columns, chart, i % 2 == 1));
  }
  if (rows.size() < chart.points.size()) {
    groups.push_back(
        remainder("panel-remainder", {columns.label, area.bottom - 4}, chart.points.size() - rows.size()));
  }
  return groups;
}

}  // namespace rooflinectl
