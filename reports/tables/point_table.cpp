// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "analysis/roofline/energy.h"
#include "analysis/roofline/labels.h"
#include "analysis/roofline/point.h"
#include "core/text/written_number.h"
#include "reports/sentences/point_numbers.h"
#include "reports/sentences/point_text.h"
#include "reports/tables/operator_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string three_digits(double value) {
  return format::significant(value);
}

std::string whole(double number) {
  return fmt::format("{:.0f}", number);
}

// `~1.2 ms`: others ran meanwhile.
std::string saving_text(const RooflinePoint& point, const std::optional<double>& saved_s) {
  if (!saved_s) return std::string(format::kUnavailable);
  return fmt::format("{}{}", point.launches->is_overlapped && *saved_s > 0 ? "~" : "",
                     format::saving(*saved_s));
}

// `Tensor Cores (bf16_tensor)`, `none near (l2_read)`
std::string roof_resource_text(const RooflinePoint& point) {
  if (!is_observed(point) || !point.roof) return std::string(format::kUnavailable);
  return fmt::format("{} ({})", roof_name(point), ceilings_text(point.roof->ceilings));
}

std::string flags_text(const RooflinePoint& point) {
  return fmt::format("{}", fmt::join(names_of(point.flags), " "));
}

std::string work_per_joule_text(const RooflinePoint& point) {
  const std::string unit = fmt::format("{}/J", point.flops_useful > 0 ? operations_of(point) : "B");
  return format::optional(point_numbers::work_per_joule(point),
                          [&](double value) { return format::amount(value, unit); });
}

std::string timed_mode_text(const RooflinePoint& point) {
  const auto mode = timed_mode(point);
  return std::string(mode ? to_string(*mode) : format::kUnavailable);
}

std::string size_text(const RooflinePoint& point) {
  const auto n = size_of(point.measurement->point);
  return n ? elements_text(*n) : std::string(format::kUnavailable);
}

// The value of an axis that is a name.
std::string axis_text(const RooflinePoint& point, std::string_view name) {
  return std::string(point.measurement->point.axes.text(name).value_or(format::kUnavailable));
}

// In the order in which they are shown.
constexpr std::array kPointColumns = {
    PointColumn{.title = "point", .text = [](const RooflinePoint& p) { return p.label; }, .role = "label"},
    PointColumn{.title = "family",
                .place = ColumnPlace::page,
                .of = ColumnOf::variants,
                .text = [](const RooflinePoint& p) { return p.family; },
                .role = "family"},
    PointColumn{.title = "n",
                .of = ColumnOf::variants,
                .is_number = true,
                .text = size_text,
                .value = point_numbers::n_elements,
                .name = "elements",
                .help = "Number of input elements"},
    PointColumn{
        .title = "GPUs",
        .of = ColumnOf::several_gpus,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(point_numbers::gpus(p), whole); },
        .value = point_numbers::gpus,
        .help = "GPUs that share the elements; rates are those of one of them"},
    PointColumn{.title = "dtype",
                .of = ColumnOf::variants,
                .text = [](const RooflinePoint& p) { return axis_text(p, axis::kDtype); }},
    PointColumn{.title = "cache",
                .place = ColumnPlace::page,
                .of = ColumnOf::variants,
                .text = [](const RooflinePoint& p) { return axis_text(p, axis::kCache); },
                .help = "Cache state when a launch starts: cold or warm",
                .role = "cache"},
    PointColumn{
        .title = "launch",
        .of = ColumnOf::variants,
        .text = timed_mode_text,
        .name = "timed",
        .help = "How the time was taken. graph: launches in a CUDA graph; plain: one launch at a time"},
    PointColumn{
        .title = "share",
        .of = ColumnOf::program,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(point_numbers::share(p), format::percent); },
        .value = point_numbers::share,
        .name = "share of GPU time",
        .help = "Time of all launches, over that of all kernels",
        .role = "program"},
    PointColumn{
        .title = "launches",
        .of = ColumnOf::program,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(point_numbers::launches(p), whole); },
        .value = point_numbers::launches,
        .help = "How often the program launched it with this grid and block in these NVTX ranges",
        .role = "program"},
    PointColumn{.title = "time",
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::time_s(p), format::duration);
                    },
                .value = point_numbers::time_s,
                .help = "Median time per launch, measured without counters"},
    PointColumn{.title = "total",
                .of = ColumnOf::program,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::total_s(p), format::duration);
                    },
                .value = point_numbers::total_s,
                .name = "total time",
                .help = "Sum of the times of the traced launches",
                .role = "program"},
    PointColumn{.title = "mean",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::mean_s(p), format::duration);
                    },
                .value = point_numbers::mean_s,
                .name = "mean time",
                .help = "Total time over the traced launches",
                .role = "program"},
    PointColumn{.title = "p95",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::p95_s(p), format::duration);
                    },
                .value = point_numbers::p95_s,
                .name = "95th percentile of the times",
                .help = "One launch in twenty took longer",
                .role = "program"},
    PointColumn{
        .title = "could save",
        .of = ColumnOf::program,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return saving_text(p, point_numbers::recoverable_s(p)); },
        .value = point_numbers::recoverable_s,
        .name = "possible saving",
        .help = "What all launches took beyond the roof; ~ where other kernels ran meanwhile",
        .role = "program"},
    PointColumn{
        .title = "per step",
        .place = ColumnPlace::page,
        .of = ColumnOf::program,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return saving_text(p, point_numbers::recoverable_per_step_s(p)); },
        .value = point_numbers::recoverable_per_step_s,
        .name = "possible saving in a step",
        .help = "What the launches of one step took beyond the roof, averaged over all steps",
        .role = "program"},
    PointColumn{
        .title = "GB/s",
        .of = ColumnOf::variants,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(p.useful_bytes_per_s, format::gigabytes); },
        .value = [](const RooflinePoint& p) { return p.useful_bytes_per_s; },
        .name = "effective bandwidth, GB/s",
        .help = "Compulsory bytes over time"},
    PointColumn{.title = "AI useful",
                .of = ColumnOf::variants,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(p.ai_useful, three_digits); },
                .value = [](const RooflinePoint& p) { return p.ai_useful; },
                .name = "useful intensity, per byte",
                .help = "Arithmetic intensity: operations of the algorithm per compulsory byte of DRAM",
                .role = "ai"},
    PointColumn{.title = "FLOP/s",
                .of = ColumnOf::program,
                .is_number = true,
                .text = executed_rate_text,
                .value = [](const RooflinePoint& p) { return p.executed_flop_per_s; },
                .name = "executed performance",
                .help = "Executed operations of all types, Tensor Cores included, over the time of a launch",
                .role = "program"},
    PointColumn{
        .title = "DRAM",
        .of = ColumnOf::program,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(p.dram_bytes_per_s, format::bandwidth); },
        .value = [](const RooflinePoint& p) { return p.dram_bytes_per_s; },
        .name = "DRAM bandwidth",
        .help = "Counted DRAM bytes over the mean time of a launch",
        .role = "program"},
    PointColumn{.title = "AI exec.",
                .is_number = true,
                .text = executed_ai_text,
                .value = [](const RooflinePoint& p) { return p.ai_executed; },
                .name = "executed intensity, per byte",
                .help = "Executed operations per counted byte of DRAM",
                .role = "executed_ai"},
    PointColumn{.title = "% of roofline",
                .is_number = true,
                .text = fraction_text,
                .value = [](const RooflinePoint& p) { return p.fraction_of_roofline; },
                .help = "Performance relative to what the measured ceilings allow at the useful intensity",
                .role = "fraction_of_roofline"},
    PointColumn{.title = "% of theoretical",
                .place = ColumnPlace::page,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(p.fraction_of_theoretical, format::percent);
                    },
                .value = [](const RooflinePoint& p) { return p.fraction_of_theoretical; },
                .help = "Performance relative to what the theoretical peaks allow"},
    PointColumn{
        .title = "energy",
        .of = ColumnOf::energy,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(point_numbers::joules(p), format::energy); },
        .value = point_numbers::joules,
        .help = "Energy per launch, from the energy counter of the whole board",
        .role = "energy"},
    PointColumn{
        .title = "power",
        .of = ColumnOf::energy,
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(point_numbers::power_w(p), format::power); },
        .value = point_numbers::power_w,
        .help = "Mean power of the board during back-to-back launches",
        .role = "energy"},
    PointColumn{
        .title = "work/J",
        .of = ColumnOf::energy,
        .is_number = true,
        .text = work_per_joule_text,
        .value = point_numbers::work_per_joule,
        .name = "useful work per joule",
        .help = "Useful operations over the energy per launch; compulsory bytes if there are no operations",
        .role = "energy"},
    PointColumn{.title = "bound by",
                .text = [](const RooflinePoint& p) { return std::string(words_for(p.bound).label); },
                .help = "The resource that limits the point",
                .role = "bound"},
    PointColumn{.title = "busiest level",
                .text = limit_text,
                .value = point_numbers::limit_utilisation,
                .help = "The memory level with the highest utilisation of its measured ceiling"},
    PointColumn{.title = "roof",
                .of = ColumnOf::program,
                .text = roof_resource_text,
                .help = "The resource that the counted work keeps busy longest, at its measured ceiling",
                .role = "program"},
    PointColumn{.title = "operator",
                .of = ColumnOf::operators,
                .text = operator_text,
                .help = "PyTorch operator whose launches account for most of its time, and how many others "
                        "also launched it",
                .role = "program"},
    PointColumn{.title = "flags", .text = flags_text},
    PointColumn{.title = "grid × block",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .text = shape_text,
                .help = "Blocks, and threads of a block",
                .role = "program"},
    PointColumn{.title = "type",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .text = executed_type,
                .name = "type of the operations",
                .help = "The floating-point pipe that its operations keep busy longest",
                .role = "program"},
    PointColumn{.title = "tensor",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::tensor_share(p), format::percent);
                    },
                .value = point_numbers::tensor_share,
                .name = "use of the Tensor Cores",
                .help = "Tensor Core operations per second, as a share of the measured ceiling of their type",
                .role = "program"},
    PointColumn{.title = "occupancy",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(point_numbers::occupancy(p), format::whole_percent);
                    },
                .value = point_numbers::occupancy,
                .help = "Active warps as a share of those that an SM can hold, while it has any",
                .role = "program"},
    PointColumn{
        .title = "registers",
        .place = ColumnPlace::page,
        .of = ColumnOf::program,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(point_numbers::registers(p), whole); },
        .value = point_numbers::registers,
        .name = "registers per thread",
        .role = "program"},
    PointColumn{.title = "NVTX ranges",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .text =
                    [](const RooflinePoint& p) {
                      return std::string(p.measurement->point.axes.text(axis::kPath).value_or(""));
                    },
                .role = "program"},
};

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
  for (const PointColumn& column : kPointColumns) {
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
      table.rows[i].push_back(column.text(experiment.points[shown[i]]));
    }
  }
  return table;
}

std::vector<PointColumn> page_columns(const PointKinds& kinds) {
  return columns_for(kinds, true);
}

}  // namespace rooflinectl
