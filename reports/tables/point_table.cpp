// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/roofline/point.h"
#include "core/text/written_number.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

// `Tensor Cores (bf16_tensor)`, `none near (l2_read)`
std::string roof_resource_text(const RooflinePoint& point) {
  if (!is_observed(point) || !point.roof) return std::string(format::kUnavailable);
  return fmt::format("{} ({})", roof_name(point), ceilings_text(point.roof->ceilings));
}

std::string flags_text(const RooflinePoint& point) {
  return fmt::format("{}", fmt::join(names_of(point.flags), " "));
}

std::string timed_mode_text(const RooflinePoint& point) {
  const auto mode = timed_mode(point);
  return std::string(mode ? to_string(*mode) : format::kUnavailable);
}

// The value of an axis that is a name.
std::string axis_text(const RooflinePoint& point, std::string_view name) {
  return std::string(point.measurement->point.axes.text(name).value_or(format::kUnavailable));
}

PointColumn column_of(const PointNumber& number, ColumnOf of, ColumnPlace place, std::string_view role) {
  return {.title = number.title,
          .place = place,
          .of = of,
          .name = number.name,
          .help = number.help,
          .role = role,
          .number = &number,
          .is_number = true};
}

PointColumn number(const PointNumber& number, ColumnOf of, std::string_view role = {}) {
  return column_of(number, of, ColumnPlace::everywhere, role);
}

PointColumn number_of_page(const PointNumber& number, ColumnOf of, std::string_view role = {}) {
  return column_of(number, of, ColumnPlace::page, role);
}

// In the order in which they are shown.
const std::vector<PointColumn>& point_columns() {
  using namespace point_number;
  using enum ColumnOf;
  static const std::vector<PointColumn> columns = {
      PointColumn{.title = "point", .text = [](const RooflinePoint& p) { return p.label; }, .role = "label"},
      PointColumn{.title = "family",
                  .place = ColumnPlace::page,
                  .of = variants,
                  .text = [](const RooflinePoint& p) { return p.family; },
                  .role = "family"},
      number(kElements, variants),
      number(kGpus, several_gpus),
      PointColumn{.title = "dtype",
                  .of = variants,
                  .text = [](const RooflinePoint& p) { return axis_text(p, axis::kDtype); }},
      PointColumn{.title = "cache",
                  .place = ColumnPlace::page,
                  .of = variants,
                  .text = [](const RooflinePoint& p) { return axis_text(p, axis::kCache); },
                  .help = "Cache state when a launch starts: cold or warm",
                  .role = "cache"},
      PointColumn{
          .title = "launch",
          .of = variants,
          .text = timed_mode_text,
          .name = "timed",
          .help = "How the time was taken. graph: launches in a CUDA graph; plain: one launch at a time"},
      number(kShare, program, "program"),
      number(kLaunches, program, "program"),
      number(kTime, all),
      number(kTotal, program, "program"),
      number_of_page(kMean, program, "program"),
      number_of_page(kP95, program, "program"),
      number(kSaving, program, "program"),
      number_of_page(kSavingPerStep, program, "program"),
      number(kUsefulBandwidth, variants),
      number(kUsefulIntensity, variants, "ai"),
      number(kExecutedRate, program, "program"),
      number(kDramBandwidth, program, "program"),
      number(kExecutedIntensity, all, "executed_ai"),
      number(kFractionOfRoofline, all, "fraction_of_roofline"),
      number_of_page(kFractionOfTheoretical, all),
      number(kEnergy, energy, "energy"),
      number(kPower, energy, "energy"),
      number(kWorkPerJoule, energy, "energy"),
      PointColumn{.title = "bound by",
                  .text = [](const RooflinePoint& p) { return std::string(bound_name(p)); },
                  .help = "The resource that limits the point",
                  .role = "bound"},
      PointColumn{.title = kBusiestUtilisation.title,
                  .help = kBusiestUtilisation.help,
                  .number = &kBusiestUtilisation},
      PointColumn{.title = "roof",
                  .of = program,
                  .text = roof_resource_text,
                  .help = "The resource that the counted work keeps busy longest, at its measured ceiling",
                  .role = "program"},
      PointColumn{.title = "operator",
                  .of = operators,
                  .text = operator_text,
                  .help = "PyTorch operator whose launches account for most of its time, and how many others "
                          "also launched it",
                  .role = "program"},
      PointColumn{.title = "flags", .text = flags_text},
      PointColumn{.title = "grid × block",
                  .place = ColumnPlace::page,
                  .of = program,
                  .text = shape_text,
                  .help = "Blocks, and threads of a block",
                  .role = "program"},
      PointColumn{.title = "type",
                  .place = ColumnPlace::page,
                  .of = program,
                  .text = executed_type,
                  .name = "type of the operations",
                  .help = "The floating-point pipe that its operations keep busy longest",
                  .role = "program"},
      number_of_page(kTensorShare, program, "program"),
      number_of_page(kOccupancy, program, "program"),
      number_of_page(kRegisters, program, "program"),
      PointColumn{.title = "NVTX ranges",
                  .place = ColumnPlace::page,
                  .of = program,
                  .text =
                      [](const RooflinePoint& p) {
                        return std::string(p.measurement->point.axes.text(axis::kPath).value_or(""));
                      },
                  .role = "program"},
  };
  return columns;
}

bool is_for(const PointColumn& column, const PointKinds& kinds) {
  switch (column.of) {
    case ColumnOf::all:
      return true;
    case ColumnOf::variants:
      return kinds.has_variants;
    case ColumnOf::energy:
      return kinds.has_energy;
    case ColumnOf::program:
      return kinds.has_program;
    case ColumnOf::operators:
      return kinds.has_operators;
    case ColumnOf::several_gpus:
      return kinds.has_several_gpus;
  }
  return true;
}

std::vector<PointColumn> columns_for(const PointKinds& kinds, bool is_page) {
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns()) {
    const bool is_shown = is_page || column.place == ColumnPlace::everywhere;
    if (is_shown && is_for(column, kinds)) columns.push_back(column);
  }
  return columns;
}

}  // namespace

PointKinds kinds_of(const ExperimentAnalysis& experiment) {
  PointKinds kinds = {.has_energy = has_energy(experiment)};
  for (const RooflinePoint& point : experiment.points) {
    (is_observed(point) ? kinds.has_program : kinds.has_variants) = true;
    if (point.launches && point.launches->operators != nullptr) kinds.has_operators = true;
    if (point.measurement->point.axes.find(axis::kGpus) != nullptr) kinds.has_several_gpus = true;
  }
  return kinds;
}

PointKinds kinds_of(const Analysis& analysis) {
  PointKinds all;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    const PointKinds kinds = kinds_of(experiment);
    all.has_variants |= kinds.has_variants;
    all.has_energy |= kinds.has_energy;
    all.has_program |= kinds.has_program;
    all.has_operators |= kinds.has_operators;
    all.has_several_gpus |= kinds.has_several_gpus;
  }
  // Tables without points have the columns of variants.
  all.has_variants |= !all.has_program;
  return all;
}

Table point_table(const ExperimentAnalysis& experiment, const std::vector<std::size_t>& shown) {
  Table table = {.title = "Points",
                 .dispensable = {"flags", "launch", "dtype", "AI useful", "n", "power", "AI exec.", "GB/s"}};
  table.rows.resize(shown.size());
  for (const PointColumn& column : columns_for(kinds_of(experiment), false)) {
    table.columns.push_back({std::string(column.title), column.is_number});
    for (std::size_t i = 0; i < shown.size(); ++i) {
      table.rows[i].push_back(column.cell(experiment.points[shown[i]]));
    }
  }
  return table;
}

std::vector<PointColumn> page_columns(const PointKinds& kinds) {
  return columns_for(kinds, true);
}

namespace {

// All that the points have; the values stand for nothing.
Axes axes_of_all(const std::vector<PointId>& points) {
  Axes all;
  for (const PointId& point : points) {
    for (const auto& [name, value] : point.axes) all.set(name, std::uint64_t{0});
  }
  return all;
}

std::string axis_cell(const PointId& point, std::string_view name) {
  if (const auto text = point.axes.text(name)) return std::string(*text);
  const auto number = point.axes.number(name);
  if (!number || (name == axis::kBlock && *number == 0)) return {};
  return name == axis::kSize ? elements_text(*number) : std::to_string(*number);
}

}  // namespace

std::string axis_table(const std::vector<PointId>& points, std::string_view indent) {
  if (points.empty()) return {};
  const Axes axes = axes_of_all(points);
  Table table = {.columns = {{"variant"}}};
  for (const auto& [name, value] : axes) table.columns.push_back({name});
  for (const PointId& point : points) {
    std::vector<std::string>& row = table.rows.emplace_back(1, point.subject);
    for (const auto& [name, value] : axes) row.push_back(axis_cell(point, name));
  }
  return text_table(table, kUnlimited, indent);
}

}  // namespace rooflinectl
