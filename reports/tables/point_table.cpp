// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/roofline/point.h"
#include "core/text/written_number.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

// `Tensor Cores (bf16_tensor)`, `none near (l2_read)`
std::string roof_resource_text(const RooflinePoint& point) {
  if (!is_observed(point) || !point.roof) return format::kUnavailable;
  return fmt::format("{} ({})", roof_name(point), ceilings_text(point.roof->ceilings));
}

std::string flags_text(const RooflinePoint& point) {
  return format::joined(names_of(point.flags), " ");
}

std::string timed_mode_text(const RooflinePoint& point) {
  const auto mode = timed_mode(point);
  return std::string(mode ? to_string(*mode) : format::kUnavailable);
}

// The value of an axis that is a name.
std::string axis_text(const RooflinePoint& point, std::string_view name) {
  return std::string(point.measurement->point.axes.text(name).value_or(format::kUnavailable));
}

constexpr bool PointKinds::*kAll = nullptr;
constexpr auto kVariants = &PointKinds::has_variants;
constexpr auto kOfEnergy = &PointKinds::has_energy;
constexpr auto kProgram = &PointKinds::has_program;
constexpr auto kSeveralGpus = &PointKinds::has_several_gpus;
constexpr auto kOperators = &PointKinds::has_operators;

PointColumn number(const PointNumber& number, bool PointKinds::*needs, std::string_view role = {}) {
  return {.title = number.title,
          .needs = needs,
          .name = number.name,
          .help = number.help,
          .role = role,
          .number = &number,
          .is_number = true};
}

PointColumn number_of_page(const PointNumber& shown, bool PointKinds::*needs, std::string_view role = {}) {
  PointColumn column = number(shown, needs, role);
  column.is_of_page = true;
  return column;
}

// In the order in which they are shown.
const std::vector<PointColumn>& point_columns() {
  using namespace point_number;
  static const std::vector<PointColumn> columns = {
      PointColumn{.title = "point", .text = [](const RooflinePoint& p) { return p.label; }, .role = "label"},
      PointColumn{.title = "family",
                  .is_of_page = true,
                  .needs = kVariants,
                  .text = [](const RooflinePoint& p) { return p.family; },
                  .role = "family"},
      number(kElements, kVariants),
      number(kGpus, kSeveralGpus),
      PointColumn{.title = "dtype",
                  .needs = kVariants,
                  .text = [](const RooflinePoint& p) { return axis_text(p, axis::kDtype); }},
      PointColumn{.title = "cache",
                  .is_of_page = true,
                  .needs = kVariants,
                  .text = [](const RooflinePoint& p) { return axis_text(p, axis::kCache); },
                  .help = "Cache state when a launch starts: cold or warm",
                  .role = "cache"},
      PointColumn{
          .title = "launch",
          .needs = kVariants,
          .text = timed_mode_text,
          .name = "timed",
          .help = "How the time was taken. graph: launches in a CUDA graph; plain: one launch at a time"},
      number(kShare, kProgram, "program"),
      number(kLaunches, kProgram, "program"),
      number(kTime, kAll),
      number(kTotal, kProgram, "program"),
      number_of_page(kMean, kProgram, "program"),
      number_of_page(kP95, kProgram, "program"),
      number(kSaving, kProgram, "program"),
      number_of_page(kSavingPerStep, kProgram, "program"),
      number(kUsefulBandwidth, kVariants),
      number(kUsefulIntensity, kVariants, "ai"),
      number(kExecutedRate, kProgram, "program"),
      number(kDramBandwidth, kProgram, "program"),
      number(kExecutedIntensity, kAll, "executed_ai"),
      number(kFractionOfRoofline, kAll, "fraction_of_roofline"),
      number_of_page(kFractionOfTheoretical, kAll),
      number(kEnergy, kOfEnergy, "energy"),
      number(kPower, kOfEnergy, "energy"),
      number(kWorkPerJoule, kOfEnergy, "energy"),
      PointColumn{.title = "bound by",
                  .text = [](const RooflinePoint& p) { return std::string(bound_name(p)); },
                  .help = "The resource that limits the point",
                  .role = "bound"},
      PointColumn{.title = kBusiestUtilisation.title,
                  .help = kBusiestUtilisation.help,
                  .number = &kBusiestUtilisation},
      PointColumn{.title = "roof",
                  .needs = kProgram,
                  .text = roof_resource_text,
                  .help = "The resource that the counted work keeps busy longest, at its measured ceiling",
                  .role = "program"},
      PointColumn{.title = "operator",
                  .needs = kOperators,
                  .text = operator_text,
                  .help = "PyTorch operator whose launches account for most of its time, and how many others "
                          "also launched it",
                  .role = "program"},
      PointColumn{.title = "flags", .text = flags_text},
      PointColumn{.title = "grid × block",
                  .is_of_page = true,
                  .needs = kProgram,
                  .text = shape_text,
                  .help = "Blocks, and threads of a block",
                  .role = "program"},
      PointColumn{.title = "type",
                  .is_of_page = true,
                  .needs = kProgram,
                  .text = executed_type,
                  .name = "type of the operations",
                  .help = "The floating-point pipe that its operations keep busy longest",
                  .role = "program"},
      number_of_page(kTensorShare, kProgram, "program"),
      number_of_page(kOccupancy, kProgram, "program"),
      number_of_page(kRegisters, kProgram, "program"),
      PointColumn{.title = "NVTX ranges",
                  .is_of_page = true,
                  .needs = kProgram,
                  .text =
                      [](const RooflinePoint& p) {
                        return std::string(p.measurement->point.axes.text(axis::kPath).value_or(""));
                      },
                  .role = "program"},
  };
  return columns;
}

std::vector<PointColumn> columns_for(const PointKinds& kinds, bool is_page) {
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns()) {
    const bool is_needed = column.needs == nullptr || kinds.*column.needs;
    if (is_needed && (is_page || !column.is_of_page)) columns.push_back(column);
  }
  return columns;
}

void add_kinds(PointKinds& kinds, const ExperimentAnalysis& experiment) {
  kinds.has_energy |= has_energy(experiment);
  for (const RooflinePoint& point : experiment.points) {
    (is_observed(point) ? kinds.has_program : kinds.has_variants) = true;
    if (point.launches && point.launches->operators != nullptr) kinds.has_operators = true;
    if (point.measurement->point.axes.find(axis::kGpus) != nullptr) kinds.has_several_gpus = true;
  }
}

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

PointKinds kinds_of(const ExperimentAnalysis& experiment) {
  PointKinds kinds;
  add_kinds(kinds, experiment);
  return kinds;
}

PointKinds kinds_of(const Analysis& analysis) {
  PointKinds kinds;
  for (const ExperimentAnalysis& experiment : analysis.experiments) add_kinds(kinds, experiment);
  // Tables without points have the columns of variants.
  kinds.has_variants |= !kinds.has_program;
  return kinds;
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

std::string axis_table(const std::vector<PointId>& points, std::string_view indent) {
  if (points.empty()) return {};
  const Axes axes = axes_of_all(points);
  Table table = {.columns = {column::text("variant")}};
  for (const auto& [name, value] : axes) table.columns.push_back(column::text(name));
  for (const PointId& point : points) {
    std::vector<std::string>& row = table.rows.emplace_back(1, point.subject);
    for (const auto& [name, value] : axes) row.push_back(axis_cell(point, name));
  }
  return text_table(table, kUnlimited, indent);
}

}  // namespace rooflinectl
