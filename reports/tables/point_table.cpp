// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/energy.h"
#include "analysis/executed_roof.h"
#include "analysis/kernel_labels.h"
#include "analysis/point.h"
#include "analysis/quantities/quantities.h"
#include "core/model/ceiling_subjects.h"
#include "core/model/counters.h"
#include "core/model/quantity.h"
#include "core/text/kernel_name.h"
#include "reports/tables/operator_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using OptionalNumber = std::optional<double>;

std::string three_digits(double value) {
  return format::significant(value);
}

OptionalNumber time_s(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  return time ? OptionalNumber(time->median_s) : std::nullopt;
}

OptionalNumber n_elements(const RooflinePoint& point) {
  return size_of(point.measurement->point);
}

OptionalNumber gpus(const RooflinePoint& point) {
  return point.measurement->point.axes.number(axis::kGpus);
}

OptionalNumber limit_utilisation(const RooflinePoint& point) {
  const LevelUse* use = find_level(point, point.limiting_level);
  return use != nullptr ? use->utilisation : std::nullopt;
}

OptionalNumber share(const RooflinePoint& point) {
  return point.launches ? OptionalNumber(point.launches->share) : std::nullopt;
}

OptionalNumber total_s(const RooflinePoint& point) {
  return point.launches ? OptionalNumber(point.launches->total_s) : std::nullopt;
}

OptionalNumber recoverable_s(const RooflinePoint& point) {
  return point.launches ? point.launches->recoverable_s : std::nullopt;
}

OptionalNumber recoverable_per_step_s(const RooflinePoint& point) {
  return point.launches ? point.launches->recoverable_per_step_s : std::nullopt;
}

OptionalNumber launches(const RooflinePoint& point) {
  const auto& all = point.measurement->launches;
  return all ? OptionalNumber(static_cast<double>(all->count)) : std::nullopt;
}

OptionalNumber p95_s(const RooflinePoint& point) {
  const auto& all = point.measurement->launches;
  return all && all->traced > 0 ? OptionalNumber(all->p95_s) : std::nullopt;
}

OptionalNumber mean_s(const RooflinePoint& point) {
  return is_observed(point) && is_timed(*point.measurement)
             ? OptionalNumber(time_per_launch_s(*point.measurement))
             : std::nullopt;
}

// Of the time that a launch takes, what its operations on Tensor Cores need at the measured ceiling.
OptionalNumber tensor_share(const RooflinePoint& point) {
  const ResourceUse* use = find_use(point, Bound::tensor);
  const OptionalNumber mean = mean_s(point);
  return use != nullptr && use->time_s && mean ? OptionalNumber(*use->time_s / *mean) : std::nullopt;
}

OptionalNumber occupancy(const RooflinePoint& point) {
  return is_observed(point) ? value_of(point.measurement->counters, counter::kOccupancy) : std::nullopt;
}

OptionalNumber registers(const RooflinePoint& point) {
  const auto& resources = point.measurement->resources;
  return is_observed(point) && resources ? OptionalNumber(resources->registers_per_thread) : std::nullopt;
}

std::string whole(double number) {
  return fmt::format("{:.0f}", number);
}

// `~1.2 ms`: others ran meanwhile.
std::string saving_text(const RooflinePoint& point, const OptionalNumber& saved_s) {
  if (!saved_s) return std::string(format::kUnavailable);
  return fmt::format("{}{}", point.launches->is_overlapped ? "~" : "", format::duration(*saved_s));
}

// `Tensor Cores (bf16_tensor)`
std::string roof_resource_text(const RooflinePoint& point) {
  if (!is_observed(point) || !point.roof) return std::string(format::kUnavailable);
  return fmt::format("{} ({})", words_for(point.roof->resource).label, point.roof->ceiling);
}

std::string flags_text(const RooflinePoint& point) {
  return fmt::format("{}", fmt::join(names_of(point.flags), " "));
}

// `unavailable: …`
std::string missing_text(std::string_view reason) {
  return reason.empty() ? std::string(format::kUnavailable) : fmt::format("unavailable: {}", reason);
}

OptionalNumber joules(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  return energy ? OptionalNumber(energy->joules) : std::nullopt;
}

OptionalNumber power_w(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  return energy ? OptionalNumber(energy->mean_power_w) : std::nullopt;
}

// Useful operations, or bytes where the work has none.
OptionalNumber work_per_joule(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  if (!energy) return std::nullopt;
  return energy->operations_per_joule ? energy->operations_per_joule : energy->bytes_per_joule;
}

std::string work_per_joule_text(const RooflinePoint& point) {
  const std::string unit = fmt::format("{}/J", point.flops_useful > 0 ? operations_of(point) : "B");
  return format::optional(work_per_joule(point), [&](double value) { return format::amount(value, unit); });
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

// In the order in which they stand.
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
                .value = n_elements,
                .name = "elements",
                .help = "Number of input elements"},
    PointColumn{.title = "GPUs",
                .of = ColumnOf::several_gpus,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(gpus(p), whole); },
                .value = gpus,
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
    PointColumn{.title = "share",
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(share(p), format::percent); },
                .value = share,
                .name = "share of GPU time",
                .help = "Time of all launches, over that of all kernels",
                .role = "program"},
    PointColumn{.title = "launches",
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(launches(p), whole); },
                .value = launches,
                .help = "How often the program launched it with this shape in these NVTX ranges",
                .role = "program"},
    PointColumn{.title = "time",
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(time_s(p), format::duration); },
                .value = time_s,
                .help = "Median time per launch, measured without counters"},
    PointColumn{.title = "total",
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(total_s(p), format::duration); },
                .value = total_s,
                .name = "total time",
                .help = "Sum of the times of the traced launches",
                .role = "program"},
    PointColumn{.title = "mean",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(mean_s(p), format::duration); },
                .value = mean_s,
                .name = "mean time",
                .help = "Total time over the traced launches",
                .role = "program"},
    PointColumn{.title = "p95",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(p95_s(p), format::duration); },
                .value = p95_s,
                .name = "95th percentile of the times",
                .help = "One launch in twenty took longer",
                .role = "program"},
    PointColumn{.title = "could save",
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return saving_text(p, recoverable_s(p)); },
                .value = recoverable_s,
                .name = "recoverable time",
                .help = "What all launches took beyond the roof; ~ where other kernels ran meanwhile",
                .role = "program"},
    PointColumn{.title = "a step",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return saving_text(p, recoverable_per_step_s(p)); },
                .value = recoverable_per_step_s,
                .name = "recoverable time of a step",
                .help = "What the launches of one step took beyond the roof, in the mean over all steps",
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
                .text = [](const RooflinePoint& p) { return rate_text(p, p.executed_flop_per_s); },
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
        .help = "Counted DRAM bytes over the median time",
        .role = "program"},
    PointColumn{.title = "AI exec.",
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(p.ai_executed, three_digits); },
                .value = [](const RooflinePoint& p) { return p.ai_executed; },
                .name = "executed intensity, per byte",
                .help = "Executed operations per counted byte of DRAM",
                .role = "executed_ai"},
    PointColumn{
        .title = "% of roofline",
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(p.fraction_of_roof, format::percent); },
        .value = [](const RooflinePoint& p) { return p.fraction_of_roof; },
        .help = "Performance relative to what the measured ceilings allow at the useful intensity",
        .role = "fraction_of_roof"},
    PointColumn{.title = "% of theoretical",
                .place = ColumnPlace::page,
                .is_number = true,
                .text =
                    [](const RooflinePoint& p) {
                      return format::optional(p.fraction_of_theoretical, format::percent);
                    },
                .value = [](const RooflinePoint& p) { return p.fraction_of_theoretical; },
                .help = "Performance relative to what the theoretical peaks allow"},
    PointColumn{.title = "energy",
                .of = ColumnOf::energy,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(joules(p), format::energy); },
                .value = joules,
                .help = "Energy per launch, from the meter of the whole board",
                .role = "energy"},
    PointColumn{.title = "power",
                .of = ColumnOf::energy,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(power_w(p), format::power); },
                .value = power_w,
                .help = "Mean power of the board during back-to-back launches",
                .role = "energy"},
    PointColumn{
        .title = "work/J",
        .of = ColumnOf::energy,
        .is_number = true,
        .text = work_per_joule_text,
        .value = work_per_joule,
        .name = "useful work per joule",
        .help = "Useful operations over the energy per launch; compulsory bytes if there are no operations",
        .role = "energy"},
    PointColumn{.title = "bound by",
                .text = [](const RooflinePoint& p) { return std::string(words_for(p.bound).label); },
                .help = "The resource that limits the point",
                .role = "bound"},
    PointColumn{.title = "busiest level",
                .text = limit_text,
                .value = limit_utilisation,
                .help = "The memory level with the highest utilisation of its measured ceiling"},
    PointColumn{.title = "roof",
                .of = ColumnOf::program,
                .text = roof_resource_text,
                .help = "The resource that the counted work needs longest, at its measured ceiling",
                .role = "program"},
    PointColumn{.title = "operator",
                .of = ColumnOf::operators,
                .text = operator_text,
                .help = "Operator of PyTorch that launched it, with most of its time; how many others did",
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
                .help = "The floating-point pipe that its operations need longest",
                .role = "program"},
    PointColumn{
        .title = "tensor",
        .place = ColumnPlace::page,
        .of = ColumnOf::program,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(tensor_share(p), format::percent); },
        .value = tensor_share,
        .name = "use of the Tensor Cores",
        .help = "Operations on Tensor Cores per second, of what was measured to be possible in their type",
        .role = "program"},
    PointColumn{
        .title = "occupancy",
        .place = ColumnPlace::page,
        .of = ColumnOf::program,
        .is_number = true,
        .text = [](const RooflinePoint& p) { return format::optional(occupancy(p), format::whole_percent); },
        .value = occupancy,
        .help = "Active warps of those that an SM can hold, while it has any",
        .role = "program"},
    PointColumn{.title = "registers",
                .place = ColumnPlace::page,
                .of = ColumnOf::program,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(registers(p), whole); },
                .value = registers,
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

// What the time is the median of.
std::string samples_text(const TimeResult& time) {
  const std::string launches =
      time.launches_per_sample > 1 ? fmt::format(" of {} launches", time.launches_per_sample) : "";
  return fmt::format("{} … {}, {} samples{}", format::duration(time.ci_low_s),
                     format::duration(time.ci_high_s), time.samples_s.size(), launches);
}

// `24, of which 20 were traced and 3 counted`
std::string launches_text(const LaunchStatistics& launches) {
  return fmt::format("{}, of which {} were traced and {} counted", launches.count, launches.traced,
                     launches.counted);
}

// The kernels inside of a CUDA graph, the longest first.
std::string graph_text(const LaunchStatistics& launches) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  for (const GraphKernelUse& use : launches.graph_kernels) names.push_back(use.kernel);
  names = distinct_short_names(names);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    texts.push_back(fmt::format("{} {}", names[i], format::duration(launches.graph_kernels[i].total_s)));
  }
  if (names.size() > kMost) texts.push_back(fmt::format("and {} more kernels", names.size() - kMost));
  return fmt::format("{} nodes: {}", *launches.graph_nodes, fmt::join(texts, ", "));
}

// What each resource needs of the time, the busiest first.
void add_resources(const RooflinePoint& point, std::vector<Fact>& facts) {
  for (const ResourceUse& use : point.resources) {
    const bool is_level = use.resource == Bound::dram || use.resource == Bound::l2 ||
                          use.resource == Bound::l1 || use.resource == Bound::shared;
    const std::string name = fmt::format("{} utilisation", words_for(use.resource).label);
    if (!use.missing.empty()) {
      facts.push_back({name, missing_text(use.missing)});
    } else if (!is_level && use.time_s.value_or(0) > 0 && is_timed(*point.measurement)) {
      const double share = *use.time_s / time_per_launch_s(*point.measurement);
      facts.push_back({name, fmt::format("{} of {}", format::percent(share), use.ceiling)});
    }
  }
}

std::string launch_text(const Measurement& measurement) {
  const auto elements = measurement.point.axes.number(axis::kElements);
  if (measurement.launch.grid == 0) return "chosen by the library";
  return fmt::format("{} blocks of {} threads{}", measurement.launch.grid, measurement.launch.block,
                     elements ? fmt::format(", {} elements per thread", *elements) : "");
}

std::string roof_text(const RooflinePoint& point) {
  const Roof& roof = *point.roof;
  if (is_observed(point) || roof.resource == Bound::nvlink) {
    return fmt::format("{} a launch by {} ({})", format::duration(roof.time_s),
                       words_for(roof.resource).label, roof.ceiling);
  }
  const std::string ceilings = roof.compute_ceiling.empty()
                                   ? roof.memory_ceiling
                                   : fmt::format("{}, {}", roof.memory_ceiling, roof.compute_ceiling);
  return roof.flop_per_s > 0 ? fmt::format("{} ({})", rate_text(point, roof.flop_per_s), ceilings)
                             : fmt::format("{} ({})", format::bandwidth(roof.memory_bytes_per_s), ceilings);
}

// `issue slots (79.2 % of the time)`, or `unknown: …`
std::string bound_fact(const RooflinePoint& point) {
  const std::string_view label = words_for(point.bound).label;
  if (point.bound == Bound::unknown) {
    return point.verdict.unjudged.empty()
               ? std::string(label)
               : fmt::format("{}: {}", label, fmt::join(point.verdict.unjudged, "; "));
  }
  for (const ResourceShare& share : point.verdict.shares) {
    if (share.resource == point.bound) {
      return fmt::format("{} ({} of the time)", label, format::percent(share.share));
    }
  }
  return std::string(label);
}

// `98.1 % of dram_read`
Fact level_fact(const LevelUse& use) {
  const std::string of = use.ceiling.empty() ? "" : fmt::format(" of {}", use.ceiling);
  return {fmt::format("{} utilisation", level_name(use.level)),
          format::optional(use.utilisation, format::percent) + of};
}

}  // namespace

std::string_view operations_of(const RooflinePoint& point) {
  return is_integer(point.precision) ? format::kOps : format::kFlops;
}

std::string rate_text(const RooflinePoint& point, const std::optional<double>& per_s) {
  return format::optional(per_s, [&](double value) { return format::rate(value, operations_of(point)); });
}

std::string_view level_name(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return "DRAM";
    case MemoryLevel::l2:
      return "L2";
    case MemoryLevel::l1:
      return "L1";
    case MemoryLevel::shared:
      return "shared";
  }
  return "?";
}

std::string limit_text(const RooflinePoint& point) {
  const LevelUse* use = find_level(point, point.limiting_level);
  return use != nullptr ? fmt::format("{} {}", level_name(use->level),
                                      format::optional(use->utilisation, format::whole_percent))
                        : std::string(format::kUnavailable);
}

std::vector<std::string> implausible_texts(const std::vector<RooflinePoint>& points) {
  std::vector<std::string> texts;
  for (const RooflinePoint& point : points) {
    for (const std::string& finding : point.implausible) {
      texts.push_back(fmt::format("{}: {}", point.label, finding));
    }
  }
  return texts;
}

std::string quantity_text(double value, const Quantity& quantity) {
  return quantity.unit == Unit::ratio ? format::percent(value) : format::significant(value);
}

std::string executed_type(const RooflinePoint& point) {
  const ResourceUse* pipe = main_pipe(point.resources);
  if (pipe == nullptr) return std::string(format::kUnavailable);
  // Ceilings are named after their type: `bf16_tensor`, `f32_fma + f32_add`.
  const std::string_view type = std::string_view(pipe->ceiling).substr(0, pipe->ceiling.find('_'));
  return fmt::format("{}{}", subject_name(type), pipe->resource == Bound::tensor ? " Tensor" : "");
}

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

std::vector<PointColumn> point_columns(const PointKinds& kinds) {
  return columns_for(kinds, false);
}

std::vector<PointColumn> page_columns(const PointKinds& kinds) {
  return columns_for(kinds, true);
}

std::optional<double> main_rate(const RooflinePoint& point) {
  return is_observed(point) ? point.executed_flop_per_s : point.flop_per_s;
}

std::string shape_text(const RooflinePoint& point) {
  const Axes& axes = point.measurement->point.axes;
  const auto text = [&](std::string_view name) {
    const Axes::Value* value = axes.find(name);
    if (value == nullptr) return std::string();
    return std::visit([](const auto& content) { return fmt::format("{}", content); }, *value);
  };
  const std::string grid = text(axis::kGrid);
  return grid.empty() ? std::string(format::kUnavailable) : fmt::format("{} × {}", grid, text(axis::kBlock));
}

std::vector<std::string> energy_reasons(const ExperimentAnalysis& experiment) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const RooflinePoint& point : experiment.points) {
    const auto& energy = point.measurement->energy;
    if (energy && !energy->joules.available()) labels[energy->joules.reason()].push_back(point.label);
  }
  std::vector<std::string> texts;
  for (const auto& [reason, points] : labels) {
    texts.push_back(points.size() == experiment.points.size()
                        ? fmt::format("energy unavailable: {}", reason)
                        : fmt::format("energy unavailable for {}: {}", fmt::join(points, ", "), reason));
  }
  return texts;
}

std::optional<LaunchMode> timed_mode(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  if (!time) return std::nullopt;
  return launch_mode(*time);
}

std::string counter_change_text(const CounterChange& change) {
  return fmt::format("{} {} → {}", change.quantity->name, quantity_text(change.from, *change.quantity),
                     quantity_text(change.to, *change.quantity));
}

std::string step_text(const LadderStep& step, std::size_t most_changes) {
  const std::size_t shown = std::min(most_changes, step.counter_changes.size());
  std::string text =
      fmt::format("{} → {}: {}", step.from->label, step.to->label, format::speedup(step.speedup));
  for (std::size_t i = 0; i < shown; ++i) {
    text += ", " + counter_change_text(step.counter_changes[i]);
  }
  if (shown < step.counter_changes.size())
    text += fmt::format(", and {} more", step.counter_changes.size() - shown);
  return text;
}

std::vector<Fact> point_facts(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  const PointId& id = measurement.point;
  const bool is_of_program = is_observed(point);
  std::vector<Fact> facts = {
      {is_of_program ? "kernel" : "variant", id.subject},
      {"status", measurement.cause.empty()
                     ? std::string(to_string(measurement.status))
                     : fmt::format("{}: {}", to_string(measurement.status), measurement.cause)},
  };
  if (!is_of_program) facts.push_back({"launch", launch_text(measurement)});
  const auto add = [&](std::string name, const OptionalNumber& value, auto show) {
    facts.push_back({std::move(name), format::optional(value, show)});
  };
  if (measurement.time) facts.push_back({"95 % interval", samples_text(*measurement.time)});
  if (is_of_program) {
    facts.push_back({"launches", launches_text(*measurement.launches)});
    if (measurement.launches->graph_nodes) facts.push_back({"inside", graph_text(*measurement.launches)});
    if (measurement.rank) facts.push_back({"rank", fmt::format("{}", *measurement.rank)});
    if (measurement.process) facts.push_back({"process", fmt::format("{}", *measurement.process)});
  } else {
    facts.push_back({"useful performance", rate_text(point, point.flop_per_s)});
  }
  facts.push_back({"executed performance", point.executed_missing.empty()
                                               ? rate_text(point, point.executed_flop_per_s)
                                               : missing_text(point.executed_missing)});
  if (!is_of_program) add("redundancy", point.redundancy, format::factor);
  add("DRAM bandwidth", point.dram_bytes_per_s, format::bandwidth);
  facts.push_back({"roof", point.roof ? roof_text(point) : missing_text(point.roof_missing)});
  facts.push_back({"bound by", bound_fact(point)});
  for (const LevelUse& use : point.levels) facts.push_back(level_fact(use));
  add_resources(point, facts);
  for (const auto& [quantity, value] : point.quantities) {
    facts.push_back({std::string(quantity->name), quantity_text(value, *quantity)});
  }
  if (measurement.energy && !measurement.energy->joules.available()) {
    facts.push_back({"energy", fmt::format("unavailable: {}", measurement.energy->joules.reason())});
  }
  if (measurement.verification) {
    facts.push_back({"verification", measurement.verification->passed ? "passed" : "failed"});
  }
  for (const std::string& evidence : point.evidence) facts.push_back({"evidence", evidence});
  for (const std::string& finding : point.implausible) facts.push_back({"implausible", finding});
  return facts;
}

}  // namespace rooflinectl
