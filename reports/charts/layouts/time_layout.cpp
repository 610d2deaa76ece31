// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr double kLeft = kMargin;
constexpr double kTableRight = kNarrowWidth - kMargin;
constexpr double kBarTop = 152;
constexpr double kBarHeight = 46;
constexpr double kTableTop = kBarTop + kBarHeight + 56;
constexpr double kRowHeight = 27;
constexpr double kFooterRoom = 44;
constexpr TextStyle kRowStyle = {14};
constexpr TextStyle kHeadStyle = {12, Weight::regular, palette::kMuted};

/// What a row and a part of the bar stand for.
struct Part {
  std::string name;
  FamilyLook look;
  TimeLimit time;
};

std::vector<Part> parts_of(const ProgramUse& program) {
  std::vector<Part> parts;
  for (const TimeLimit& limit : time_by_limit(program)) {
    parts.push_back({std::string(words_for(limit.bound).label), look_of(limit.bound), limit});
  }
  return parts;
}

/// A column of numbers ends at `right`, one of words begins at `left`.
struct Column {
  std::string_view title;
  double x;
  Anchor anchor;
};

constexpr double kNameLeft = kLeft + 24;
constexpr std::array kColumns = {
    Column{"limited by", kNameLeft, Anchor::start},
    Column{"share", 266, Anchor::end},
    Column{"time", 360, Anchor::end},
    Column{"could save", 460, Anchor::end},
    Column{"launch groups", 590, Anchor::end},
    Column{"longest", 612, Anchor::start},
};

std::array<std::string, kColumns.size()> cells_of(const Part& part) {
  return {part.name,
          format::percent(part.time.share),
          format::duration(part.time.total_s),
          format::saving(part.time.recoverable_s),
          fmt::format("{}", part.time.groups.size()),
          part.time.groups.front()->label};
}

std::string title_of(const Part& part) {
  return fmt::format("{}: {} of GPU time, {}", part.name, format::percent(part.time.share),
                     format::duration(part.time.total_s));
}

Group bar_part(const Part& part, std::size_t index, double left, double right) {
  constexpr double kSmallestRoom = 20;
  Group group{.name = fmt::format("time-part time-{}", index), .title = title_of(part)};
  const Box box = {left, kBarTop, right, kBarTop + kBarHeight};
  group.shapes.emplace_back(rectangle(box, family_colour(part.look), Stroke{palette::kPaper, 1.5}));
  if (box.width() < kSmallestRoom) return group;
  // The mark of its row: told apart without colours too.
  const Pixel centre = {(left + right) / 2, kBarTop + kBarHeight / 2};
  group.shapes.emplace_back(shaped_mark(part.look.shape, palette::kPaper, centre, 6, MarkFill::filled));
  const Text share = {
      format::whole_percent(part.time.share), {centre.x, kBarTop - 8}, kNoteStyle, Anchor::middle};
  if (bounds(share).width() + 4 < box.width()) group.shapes.emplace_back(share);
  return group;
}

Group row(const Part& part, double top) {
  Group group{.name = "time-row", .title = title_of(part)};
  const double middle = top + kRowHeight / 2;
  const double baseline = middle + 0.36 * kRowStyle.size;
  group.shapes.emplace_back(family_mark(part.look, {kLeft + 8, middle}, 6, MarkFill::filled));
  const auto cells = cells_of(part);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& column = kColumns.at(i);
    const bool is_last = i + 1 == kColumns.size();
    group.shapes.emplace_back(
        Text{is_last ? fitted(cells.at(i), kRowStyle, kTableRight - column.x) : cells.at(i),
             {column.x, baseline},
             kRowStyle,
             column.anchor});
  }
  return group;
}

Group time_table_head() {
  Group group{.name = "panel-header"};
  for (const Column& column : kColumns) {
    group.shapes.emplace_back(
        Text{std::string(column.title), {column.x, kTableTop - 12}, kHeadStyle, column.anchor});
  }
  group.shapes.emplace_back(
      Polyline{{{kLeft, kTableTop - 4}, {kTableRight, kTableTop - 4}}, {palette::kLeader, 1}});
  return group;
}

/// How long kernels ran, and how much of the time anything did.
std::string busy_text(const ProgramUse& program) {
  const bool has_steps = program.step != nullptr;
  std::string text = fmt::format("{} of kernels{}", format::duration(program.kernel_s),
                                 has_steps ? " in the whole run" : "");
  if (const auto busy = program.busy_share()) {
    text += fmt::format(", GPU busy {} of {}", format::percent(*busy),
                        has_steps ? "a step" : format::duration(program.watched_s()));
  }
  return text;
}

}  // namespace

Scene time_scene(const ChartModel& program_chart, const ProgramUse& program) {
  ChartModel chart = program_chart;
  chart.flags.clear();
  const std::vector<Part> parts = parts_of(program);
  const double height = kTableTop + kRowHeight * static_cast<double>(parts.size()) + kFooterRoom;
  Scene scene = blank(chart, Extent::narrow);
  scene.height = height;
  scene.description = fmt::format("GPU time by bottleneck. {}. {}.", chart.subtitle, chart.provenance);
  for (const Part& part : parts) scene.description += fmt::format(" {}.", title_of(part));
  scene.groups = {header(chart, Extent::narrow)};
  Group titles{.name = "panel-titles"};
  const std::string headline = fmt::format("GPU time by bottleneck: {}", busy_text(program));
  titles.shapes.emplace_back(
      Text{fitted(headline, kPanelTitleStyle, kTableRight - kLeft), {kLeft, kBarTop - 36}, kPanelTitleStyle});
  scene.groups.push_back(std::move(titles));
  double left = kLeft;
  double top = kTableTop;
  std::vector<Group> rows = {time_table_head()};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double right = left + (kTableRight - kLeft) * parts[i].time.share;
    scene.groups.push_back(bar_part(parts[i], i, left, right));
    rows.push_back(row(parts[i], top));
    left = right;
    top += kRowHeight;
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(scene.groups));
  scene.groups.push_back(footer(chart, Extent::narrow, height));
  return scene;
}

}  // namespace rooflinectl
