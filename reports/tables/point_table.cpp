// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>

#include "analysis/energy.h"
#include "analysis/quantities/quantities.h"
#include "core/model/quantity.h"
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

OptionalNumber limit_utilisation(const RooflinePoint& point) {
  const LevelUse* use = find_level(point, point.limiting_level);
  return use != nullptr ? use->utilisation : std::nullopt;
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
constexpr std::array kColumns = {
    PointColumn{.title = "point", .text = [](const RooflinePoint& p) { return p.label; }, .role = "label"},
    PointColumn{.title = "family",
                .place = ColumnPlace::page,
                .text = [](const RooflinePoint& p) { return p.family; },
                .role = "family"},
    PointColumn{.title = "n",
                .is_number = true,
                .text = size_text,
                .value = n_elements,
                .name = "elements",
                .help = "Number of input elements"},
    PointColumn{.title = "dtype", .text = [](const RooflinePoint& p) { return axis_text(p, axis::kDtype); }},
    PointColumn{.title = "cache",
                .place = ColumnPlace::page,
                .text = [](const RooflinePoint& p) { return axis_text(p, axis::kCache); },
                .help = "Cache state when a launch starts: cold or warm",
                .role = "cache"},
    PointColumn{
        .title = "launch",
        .text = timed_mode_text,
        .name = "timed",
        .help = "How the time was taken. graph: launches in a CUDA graph; plain: one launch at a time"},
    PointColumn{.title = "time",
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(time_s(p), format::duration); },
                .value = time_s,
                .help = "Median time per launch, measured without counters"},
    PointColumn{
        .title = "GB/s",
        .is_number = true,
        .text =
            [](const RooflinePoint& p) { return format::optional(p.useful_bytes_per_s, format::gigabytes); },
        .value = [](const RooflinePoint& p) { return p.useful_bytes_per_s; },
        .name = "effective bandwidth, GB/s",
        .help = "Compulsory bytes over time"},
    PointColumn{.title = "AI useful",
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(p.ai_useful, three_digits); },
                .value = [](const RooflinePoint& p) { return p.ai_useful; },
                .name = "useful intensity, per byte",
                .help = "Arithmetic intensity: operations of the algorithm per compulsory byte of DRAM",
                .role = "ai"},
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
                .place = ColumnPlace::with_energy,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(joules(p), format::energy); },
                .value = joules,
                .help = "Energy per launch, from the meter of the whole board",
                .role = "energy"},
    PointColumn{.title = "power",
                .place = ColumnPlace::with_energy,
                .is_number = true,
                .text = [](const RooflinePoint& p) { return format::optional(power_w(p), format::power); },
                .value = power_w,
                .help = "Mean power of the board during back-to-back launches",
                .role = "energy"},
    PointColumn{
        .title = "work/J",
        .place = ColumnPlace::with_energy,
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
    PointColumn{.title = "flags", .text = flags_text},
};

std::vector<PointColumn> columns_at(std::initializer_list<ColumnPlace> places) {
  std::vector<PointColumn> columns;
  for (const PointColumn& column : kColumns) {
    if (std::find(places.begin(), places.end(), column.place) != places.end()) columns.push_back(column);
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

std::string launch_text(const Measurement& measurement) {
  const auto elements = measurement.point.axes.number(axis::kElements);
  if (measurement.launch.grid == 0) return "chosen by the library";
  return fmt::format("{} blocks of {} threads{}", measurement.launch.grid, measurement.launch.block,
                     elements ? fmt::format(", {} elements per thread", *elements) : "");
}

std::string roof_text(const RooflinePoint& point) {
  const Roof& roof = *point.roof;
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

std::span<const PointColumn> point_columns(bool with_energy) {
  static const auto without = columns_at({ColumnPlace::everywhere});
  static const auto with = columns_at({ColumnPlace::everywhere, ColumnPlace::with_energy});
  return with_energy ? with : without;
}

std::span<const PointColumn> page_columns(bool with_energy) {
  static const auto without = columns_at({ColumnPlace::everywhere, ColumnPlace::page});
  return with_energy ? std::span<const PointColumn>(kColumns) : without;
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
  std::vector<Fact> facts = {
      {"variant", id.subject},
      {"status", measurement.cause.empty()
                     ? std::string(to_string(measurement.status))
                     : fmt::format("{}: {}", to_string(measurement.status), measurement.cause)},
      {"launch", launch_text(measurement)},
  };
  const auto add = [&](std::string name, const OptionalNumber& value, auto show) {
    facts.push_back({std::move(name), format::optional(value, show)});
  };
  if (measurement.time) facts.push_back({"95 % interval", samples_text(*measurement.time)});
  facts.push_back({"useful performance", rate_text(point, point.flop_per_s)});
  facts.push_back({"executed performance", point.executed_missing.empty()
                                               ? rate_text(point, point.executed_flop_per_s)
                                               : missing_text(point.executed_missing)});
  add("redundancy", point.redundancy, format::factor);
  add("DRAM bandwidth", point.dram_bytes_per_s, format::bandwidth);
  facts.push_back({"roof", point.roof ? roof_text(point) : missing_text(point.roof_missing)});
  facts.push_back({"bound by", bound_fact(point)});
  for (const LevelUse& use : point.levels) facts.push_back(level_fact(use));
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
