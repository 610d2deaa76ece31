// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "analysis/program/recoverable.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/sentences/sentences.h"
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

/// What a row and a part of the bar stand for: kernels, or the time in which the GPU just waits.
struct Part {
  std::string name;
  FamilyLook look;
  MarkFill fill = MarkFill::filled;
  double share = 0;                               ///< of a step, or of all time if there are no steps
  double saved = 0;                               ///< likewise
  std::vector<const RooflinePoint*> groups = {};  ///< the one that took longest first
};

std::vector<Part> parts_of(const ProgramUse& program) {
  const double waiting = program.waiting_share();
  std::vector<Part> parts;
  for (const TimeLimit& limit : time_by_limit(program)) {
    Part part = {.name = std::string(legend_name(limit.bound)),
                 .look = look_of(limit.bound),
                 .share = time_share(program, limit.in_steps_s),
                 .groups = limit.groups};
    if (limit.bound == Bound::communication) part.share = std::max(0.0, part.share - waiting);
    for (const RooflinePoint* group : limit.groups) part.saved += saving_share(program, *group->launches);
    parts.push_back(std::move(part));
  }
  const double idle = 1 - program.busy_share().value_or(1) - waiting;
  if (waiting > 0) {
    parts.push_back({"waiting in collectives", look_of(Bound::communication), MarkFill::hollow, waiting});
  }
  if (idle > 0) parts.push_back({"GPU idle", look_of(Bound::unknown), MarkFill::hollow, idle});
  return parts;
}

/// A column of numbers ends at `right`, one of words begins at `left`.
struct Column {
  std::string title;
  double x;
  Anchor anchor;
};

constexpr double kNameLeft = kLeft + 24;
constexpr std::size_t kColumnCount = 6;

std::array<Column, kColumnCount> time_columns(const LossBasis& basis) {
  return {Column{"limited by", kNameLeft, Anchor::start},
          Column{basis.is_step ? "of a step" : "of the time", 266, Anchor::end},
          Column{basis.is_step ? "time/step" : "time", 360, Anchor::end},
          Column{basis.is_step ? "could save/step" : "could save", 470, Anchor::end},
          Column{"launch groups", 590, Anchor::end},
          Column{"longest", 612, Anchor::start}};
}

std::array<std::string, kColumnCount> cells_of(const Part& part, const LossBasis& basis) {
  const bool has_groups = !part.groups.empty();
  return {part.name,
          format::percent(part.share),
          format::duration(part.share * basis.time_s),
          has_groups ? format::saving(part.saved * basis.time_s) : "",
          has_groups ? fmt::format("{}", part.groups.size()) : "",
          has_groups ? part.groups.front()->label : ""};
}

std::string title_of(const Part& part, const LossBasis& basis) {
  return fmt::format("{}: {} of {}, {}", part.name, format::percent(part.share),
                     basis.is_step ? "a step" : "the time", format::duration(part.share * basis.time_s));
}

Group bar_part(const Part& part, const LossBasis& basis, std::size_t index, double left, double right) {
  constexpr double kSmallestRoom = 20;
  constexpr double kEdge = 1.5;
  Group group{.name = fmt::format("time-part time-{}", index), .title = title_of(part, basis)};
  const Box box = {left, kBarTop, right, kBarTop + kBarHeight};
  const bool is_filled = part.fill == MarkFill::filled;
  const Colour colour = family_colour(part.look);
  if (is_filled) {
    group.add(rectangle(box, colour, Stroke{palette::kPaper, kEdge}));
  } else {
    const Box inside = {left + kEdge, box.top + kEdge, right - kEdge, box.bottom - kEdge};
    group.add(rectangle(inside, palette::kPaper, Stroke{colour, kEdge}));
  }
  if (box.width() < kSmallestRoom) return group;
  // The mark of its row: told apart without colours too.
  const Pixel centre = {(left + right) / 2, kBarTop + kBarHeight / 2};
  group.add(shaped_mark(part.look.shape, is_filled ? palette::kPaper : colour, centre, 6, part.fill));
  const Text share = {format::whole_percent(part.share), {centre.x, kBarTop - 8}, kNoteStyle, Anchor::middle};
  if (bounds(share).width() + 4 < box.width()) group.add(share);
  return group;
}

Group row(const Part& part, const LossBasis& basis, double top) {
  Group group{.name = "time-row", .title = title_of(part, basis)};
  const double middle = top + kRowHeight / 2;
  const double baseline = middle + 0.36 * kRowStyle.size;
  group.add(family_mark(part.look, {kLeft + 8, middle}, 6, part.fill));
  const auto cells = cells_of(part, basis);
  const auto columns = time_columns(basis);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns.at(i);
    const bool is_last = i + 1 == columns.size();
    if (cells.at(i).empty()) continue;
    group.add_text(is_last ? fitted(cells.at(i), kRowStyle, kTableRight - column.x) : cells.at(i),
                   {column.x, baseline}, kRowStyle, column.anchor);
  }
  return group;
}

Group time_table_head(const LossBasis& basis) {
  Group group{.name = "panel-header"};
  for (const Column& column : time_columns(basis)) {
    group.add_text(column.title, {column.x, kTableTop - 12}, kHeadStyle, column.anchor);
  }
  group.add(Polyline{{{kLeft, kTableTop - 4}, {kTableRight, kTableTop - 4}}, {palette::kLeader, 1}});
  return group;
}

}  // namespace

Scene time_scene(const ChartModel& program_chart, const ProgramUse& program) {
  ChartModel chart = program_chart;
  chart.flags.clear();
  const std::vector<Part> parts = parts_of(program);
  const LossBasis basis = loss_basis(program);
  const double height = kTableTop + kRowHeight * static_cast<double>(parts.size()) + kFooterRoom;
  Scene scene = blank(chart, Extent::narrow);
  scene.height = height;
  const std::string duration = format::duration(basis.time_s);
  const std::string whole_time =
      basis.is_step ? fmt::format("each {} step", duration) : fmt::format("the time ({})", duration);
  const std::string headline = fmt::format("Where {} goes, kernels by bottleneck", whole_time);
  scene.description = fmt::format("{}. {}. {}.", headline, chart.subtitle, chart.provenance);
  for (const Part& part : parts) scene.description += fmt::format(" {}.", title_of(part, basis));
  scene.groups = {header(chart, Extent::narrow)};
  Group& titles = scene.groups.emplace_back(Group{.name = "panel-titles"});
  titles.add_fitted(headline, {kLeft, kBarTop - 36}, kPanelTitleStyle, kTableRight - kLeft);
  double whole = 0;
  for (const Part& part : parts) whole += part.share;
  double left = kLeft;
  double top = kTableTop;
  std::vector<Group> rows = {time_table_head(basis)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double right = left + (kTableRight - kLeft) * parts[i].share / whole;
    scene.groups.push_back(bar_part(parts[i], basis, i, left, right));
    rows.push_back(row(parts[i], basis, top));
    left = right;
    top += kRowHeight;
  }
  scene.add(std::move(rows));
  scene.groups.push_back(footer(chart, Extent::narrow, height));
  return scene;
}

}  // namespace rooflinectl
