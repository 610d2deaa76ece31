// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/program/operators.h"
#include "analysis/roofline/point.h"
#include "core/counters/metrics.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/csv.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

struct Row {
  const ExperimentAnalysis& experiment;
  const RooflinePoint& point;
  const Measurement& measurement;
  const PointId& id;
};

struct PointsColumn {
  std::string_view own_name = {};
  std::string_view own_meaning = {};
  std::string (*text)(const Row&) = nullptr;
  const PointNumber* number = nullptr;  ///< whose name, meaning and value it has, in place of those above

  std::string_view name() const { return number != nullptr ? number->csv : own_name; }
  std::string_view meaning() const { return number != nullptr ? number->csv_meaning : own_meaning; }
  std::string field(const Row& row) const {
    return number != nullptr ? csv::number(number->value(row.point)) : text(row);
  }
};

template <double LaunchTime::*kField>
std::string time_field(const Row& row) {
  return row.measurement.time ? csv::number(median_launch(row.measurement).*kField) : "";
}

std::string counter_field(const Row& row, std::string_view key) {
  return csv::number(value_of(row.measurement.counters, key));
}

template <const std::string_view& kKey>
std::string counter_field(const Row& row) {
  return counter_field(row, kKey);
}

template <const std::string_view& kName>
std::string axis_field(const Row& row) {
  return row.id.axes.written(kName);
}

/// A number of something that may be missing.
template <typename Whole, typename Number>
std::string part_field(const Whole& whole, Number number) {
  return whole ? csv::number((*whole).*number) : std::string();
}

template <MemoryLevel kLevel>
std::string level_ai(const Row& row) {
  return part_field(find_level(row.point, kLevel), &LevelUse::ai);
}

template <auto kField>
std::string energy_field(const Row& row) {
  return part_field(energy_use(row.point), kField);
}

std::string declared(const Row& row, double value) {
  return has_executed_work_alone(row.point) ? std::string() : csv::number(value);
}

template <auto kField>
std::string launches_field(const Row& row) {
  const auto& launches = row.measurement.launches;
  return launches ? fmt::format("{}", (*launches).*kField) : "";
}

template <const std::string_view& kKey>
std::string spread_field(const Row& row) {
  const auto found = row.measurement.counter_spread.find(std::string(kKey));
  return found == row.measurement.counter_spread.end() ? "" : csv::number(found->second);
}

template <auto kInterval, auto kEnd>
std::string interval_field(const Row& row) {
  return part_field(row.point.*kInterval, kEnd);
}

template <auto kEnd>
std::string saving_field(const Row& row) {
  return row.point.launches ? part_field(row.point.launches->recoverable_interval_s, kEnd) : std::string();
}

template <auto kField>
std::string number_field(const Row& row) {
  return csv::number(row.point.*kField);
}

template <std::string RooflinePoint::*kField>
std::string text_field(const Row& row) {
  return row.point.*kField;
}

template <auto kField>
std::string roof_field(const Row& row) {
  return part_field(row.point.roof, kField);
}

template <std::optional<int> Measurement::*kField>
std::string id_field(const Row& row) {
  const std::optional<int>& id = row.measurement.*kField;
  return id ? fmt::format("{}", *id) : std::string();
}

// In runs with the kernels of a profiled program, after those below.
constexpr std::array kProgramCsvColumns = {
    PointsColumn{"kernel", "full name of the kernel; empty for variants",
                 [](const Row& r) { return is_observed(r.point) ? r.id.subject : std::string(); }},
    PointsColumn{"grid", "blocks of the grid: `1024`, `16x16`", axis_field<axis::kGrid>},
    PointsColumn{"block", "threads of a block: `256`, `16x8`", axis_field<axis::kBlock>},
    PointsColumn{"cluster", "blocks of a cluster", axis_field<axis::kCluster>},
    PointsColumn{"dynamic_shared_bytes", "dynamic shared memory of a block, in bytes",
                 axis_field<axis::kShared>},
    PointsColumn{"path", "NVTX ranges around the launches, the outermost first", axis_field<axis::kPath>},
    PointsColumn{"device", "index of the GPU in the run",
                 [](const Row& r) { return fmt::format("{}", r.measurement.device); }},
    PointsColumn{"rank", "rank of the process, if a launcher started several", id_field<&Measurement::rank>},
    PointsColumn{"process", "id of the process", id_field<&Measurement::process>},
    PointsColumn{.number = &point_number::kLaunches},
    PointsColumn{"traced", "launches with a time", launches_field<&LaunchStatistics::traced>},
    PointsColumn{"counted", "launches with counters", launches_field<&LaunchStatistics::counted>},
    PointsColumn{.number = &point_number::kTotal},
    PointsColumn{.number = &point_number::kShare},
    PointsColumn{.number = &point_number::kP95},
    PointsColumn{"overlapped_s", "part of `total_time_s` in which other kernels ran too",
                 [](const Row& r) {
                   const auto& launches = r.measurement.launches;
                   return launches && launches->traced > 0 ? csv::number(launches->overlapped_s)
                                                           : std::string();
                 }},
    PointsColumn{.number = &point_number::kSaving},
    PointsColumn{"recoverable_low_s", "lower end of its 95 % confidence interval",
                 saving_field<&Interval::low>},
    PointsColumn{"recoverable_high_s", "upper end", saving_field<&Interval::high>},
    PointsColumn{.number = &point_number::kExecutedRate},
    PointsColumn{"executed_flop_per_s_low", "lower end of its 95 % confidence interval",
                 interval_field<&RooflinePoint::executed_flop_per_s_interval, &Interval::low>},
    PointsColumn{"executed_flop_per_s_high", "upper end",
                 interval_field<&RooflinePoint::executed_flop_per_s_interval, &Interval::high>},
    PointsColumn{"fraction_of_roofline_low",
                 "lower end of the 95 % confidence interval of `fraction_of_roofline`",
                 interval_field<&RooflinePoint::fraction_interval, &Interval::low>},
    PointsColumn{"fraction_of_roofline_high", "upper end",
                 interval_field<&RooflinePoint::fraction_interval, &Interval::high>},
    PointsColumn{.number = &point_number::kDramBandwidth},
    PointsColumn{"roof_time_s", "shortest time of a launch that the measured ceilings allow",
                 roof_field<&Roof::time_s>},
    PointsColumn{
        "roof_resource", "resource that needs that time: `dram`, `f32`, …",
        [](const Row& r) { return std::string(r.point.roof ? to_string(r.point.roof->resource) : ""); }},
    PointsColumn{
        "roof_ceiling", "id of its ceiling",
        [](const Row& r) { return r.point.roof ? ceilings_text(r.point.roof->ceilings) : std::string(); }},
    PointsColumn{"roof_spread", "relative spread of that ceiling", roof_field<&Roof::relative_spread>},
    PointsColumn{"dram_read_bytes_spread", "relative spread of `dram_read_bytes` from launch to launch",
                 spread_field<counter::kDramReadBytes>},
    PointsColumn{"dram_write_bytes_spread", "relative spread of `dram_write_bytes` from launch to launch",
                 spread_field<counter::kDramWriteBytes>},
    PointsColumn{"warp_instructions_spread", "relative spread of `warp_instructions` from launch to launch",
                 spread_field<counter::kWarpInstructions>},
    PointsColumn{"code", "which of the kernels of that name but different code, from 2; empty for the first",
                 axis_field<axis::kCode>},
    PointsColumn{.number = &point_number::kMean},
};

// Where there is a trace of PyTorch, after these.
std::string operators_field(const Row& row) {
  if (!row.point.launches || row.point.launches->operators == nullptr) return {};
  std::vector<std::string_view> names;
  for (const OperatorShare& share : row.point.launches->operators->operators) {
    if (!share.name.empty()) names.push_back(share.name);
  }
  return format::joined(names, ";");
}

constexpr PointsColumn kOperatorColumn = {
    "operator", "operators of PyTorch that launched the kernel, joined by `;`", operators_field};

constexpr std::array kCsvColumns = {
    PointsColumn{"variant", "id of the kernel that a plan named; empty for kernels of a program",
                 [](const Row& r) { return is_observed(r.point) ? std::string() : r.id.subject; }},
    PointsColumn{"family", "family of the variant, as the report groups them",
                 text_field<&RooflinePoint::family>},
    PointsColumn{"dtype", "type of the elements: `f32`, `f16`, …", axis_field<axis::kDtype>},
    PointsColumn{"n", "number of elements", axis_field<axis::kSize>},
    PointsColumn{"cache", "`cold` or `warm`: state of the caches before each launch",
                 axis_field<axis::kCache>},
    PointsColumn{"status", "`ok`, `failed`, `unverified`, `skipped`",
                 [](const Row& r) { return std::string(to_string(r.measurement.status)); }},
    PointsColumn{.number = &point_number::kTime},
    PointsColumn{"time_ci_low_s", "lower end of the median's 95 % confidence interval",
                 time_field<&LaunchTime::low_s>},
    PointsColumn{"time_ci_high_s", "upper end of that interval", time_field<&LaunchTime::high_s>},
    PointsColumn{"flops_useful",
                 "operations that the algorithm needs: floating-point ones, or those of integers",
                 [](const Row& r) { return declared(r, r.point.flops_useful); }},
    PointsColumn{"flops_executed", "operations that were counted, those of the Tensor Cores included",
                 number_field<&RooflinePoint::flops_executed>},
    PointsColumn{"dram_bytes", "DRAM bytes that were counted, read and written",
                 number_field<&RooflinePoint::dram_bytes>},
    PointsColumn{"dram_bytes_useful", "DRAM bytes that the algorithm cannot do without",
                 [](const Row& r) { return declared(r, r.point.dram_bytes_useful); }},
    PointsColumn{.number = &point_number::kUsefulIntensity},
    PointsColumn{.number = &point_number::kExecutedIntensity},
    PointsColumn{"flop_per_s", "useful operations per second", number_field<&RooflinePoint::flop_per_s>},
    PointsColumn{"roof_flop_per_s",
                 "operations per second that the measured ceilings allow at this intensity",
                 [](const Row& r) {
                   // Without operations there is no performance to attain.
                   const bool has_rate =
                       r.point.roof && !(has_executed_work_alone(r.point) && r.point.roof->flop_per_s <= 0);
                   return has_rate ? csv::number(r.point.roof->flop_per_s) : std::string();
                 }},
    PointsColumn{.number = &point_number::kFractionOfRoofline},
    PointsColumn{"bound", "what bounds the point: `dram`, `l2`, `latency`, …",
                 [](const Row& r) { return std::string(to_string(r.point.bound)); }},
    PointsColumn{"warp_execution_efficiency", "active threads per instruction of a warp, over 32",
                 counter_field<counter::kWarpExecutionEfficiency>},
    PointsColumn{"warp_nonpred_execution_efficiency",
                 "active threads that are not predicated off, per instruction of a warp, over 32",
                 counter_field<counter::kWarpNonpredExecutionEfficiency>},
    PointsColumn{"flags", "reasons to doubt the numbers, joined by `;`: `noisy`, `throttled`, …",
                 [](const Row& r) { return format::joined(names_of(r.point.flags), ";"); }},
    PointsColumn{"experiment", "name of the experiment in the plan",
                 [](const Row& r) { return r.experiment.name; }},
    PointsColumn{"label", "short name of the point, unique within its experiment and device",
                 text_field<&RooflinePoint::label>},
    PointsColumn{
        "block_size", "threads per block",
        [](const Row& r) { return is_observed(r.point) ? std::string() : r.id.axes.written(axis::kBlock); }},
    PointsColumn{"elements_per_thread", "elements that each thread adds up, if the variant has a choice",
                 axis_field<axis::kElements>},
    PointsColumn{.number = &point_number::kFractionOfTheoretical},
    PointsColumn{.number = &point_number::kRedundancy},
    PointsColumn{"dram_read_bytes", "DRAM bytes read", counter_field<counter::kDramReadBytes>},
    PointsColumn{"dram_write_bytes", "DRAM bytes written", counter_field<counter::kDramWriteBytes>},
    PointsColumn{"cause", "why the point failed, is unverified or was skipped",
                 [](const Row& r) { return r.measurement.cause; }},
    PointsColumn{"busiest_level", "memory level with the highest utilisation: `dram`, `l2`, `l1`, `shared`",
                 [](const Row& r) {
                   return r.point.busiest_level ? std::string(to_string(*r.point.busiest_level))
                                                : std::string();
                 }},
    PointsColumn{.number = &point_number::kBusiestUtilisation},
    PointsColumn{"ai_l2", "operations per byte requested from L2", level_ai<MemoryLevel::l2>},
    PointsColumn{"ai_l1", "operations per byte requested from L1", level_ai<MemoryLevel::l1>},
    PointsColumn{"ai_shared", "operations per byte of shared memory", level_ai<MemoryLevel::shared>},
    PointsColumn{"executed_missing", "why there is no `flops_executed`, or why it is only a part of them",
                 text_field<&RooflinePoint::executed_missing>},
    PointsColumn{"roof_missing", "why there is no `fraction_of_roofline`, or why it is a lower bound",
                 text_field<&RooflinePoint::roof_missing>},
    PointsColumn{"bound_missing", "why `bound` is unknown",
                 [](const Row& r) {
                   return r.point.bound == Bound::unknown ? format::joined(r.point.verdict.unjudged, "; ")
                                                          : std::string();
                 }},
    PointsColumn{"stalls",
                 "what warps wait for, with shares of their cycles: `long_scoreboard 0.61; barrier 0.12`",
                 [](const Row& r) {
                   return format::joined(r.point.verdict.stalls, "; ", [](const StallShare& stall) {
                     return fmt::format("{} {:.4g}", stall.reason->id, stall.share);
                   });
                 }},
    PointsColumn{"launch_mode", "`graph` or `plain`, as in the plan", axis_field<axis::kMode>},
    PointsColumn{"timed", "how the time was taken: `graph`, `plain`, or `trace` for a program's kernel",
                 [](const Row& r) {
                   if (is_observed(r.point)) return std::string(r.measurement.time ? "trace" : "");
                   const auto mode = timed_mode(r.point);
                   return mode ? std::string(to_string(*mode)) : std::string();
                 }},
    PointsColumn{"gpus", "GPUs that share the work, in plans that name a number", axis_field<axis::kGpus>},
    PointsColumn{.number = &point_number::kEnergy},
    PointsColumn{.number = &point_number::kPower},
    PointsColumn{"energy_per_element_j", "`energy_j` per element",
                 energy_field<&EnergyUse::joules_per_element>},
    PointsColumn{"flop_per_j", "useful operations per joule", energy_field<&EnergyUse::operations_per_joule>},
    PointsColumn{"bytes_per_j", "useful DRAM bytes per joule", energy_field<&EnergyUse::bytes_per_joule>},
};

// Counters that are among `kCsvColumns` under their own names are only there.
bool is_column(std::string_view key) {
  return std::ranges::any_of(kCsvColumns, [&](const PointsColumn& column) { return column.name() == key; });
}

// Those of the catalogue in its order, then what a newer collector may have written.
std::vector<std::string> counter_columns(const Analysis& analysis) {
  std::vector<std::string> keys;
  const std::vector<std::string_view> known = counter_keys();
  for (const std::string_view key : known) {
    if (!is_column(key)) keys.emplace_back(key);
  }
  std::set<std::string> others;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      for (const auto& [key, value] : point.measurement->counters) others.insert(key);
    }
  }
  for (const std::string& key : others) {
    if (!is_column(key) && std::ranges::find(known, key) == known.end()) {
      keys.push_back(key);
    }
  }
  return keys;
}

// Axes that have no column under another name, in the order in which they first appear.
std::vector<std::string> axis_columns(const Analysis& analysis) {
  constexpr std::array kOfPrograms = {axis::kGrid, axis::kCluster, axis::kShared, axis::kCode, axis::kPath};
  const auto is_in = [](const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> names;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      for (const auto& [name, value] : point.measurement->point.axes) {
        const bool has_column = is_in(axis::kKnown, name) || (is_observed(point) && is_in(kOfPrograms, name));
        if (!has_column && !is_in(names, name)) names.push_back(name);
      }
    }
  }
  return names;
}

// Appends names and meanings of `columns`.
template <typename Columns>
void add_documented(std::vector<CsvColumn>& documented, const Columns& columns, CsvColumnOf of) {
  for (const PointsColumn& column : columns) documented.push_back({column.name(), column.meaning(), of});
}

std::string cycles_fields(const Cycles& cycles) {
  if (!cycles.median.available()) return ",,";
  return fmt::format("{},{},{}", *cycles.median.value(), cycles.ci_low, cycles.ci_high);
}

}  // namespace

std::vector<CsvColumn> points_csv_columns() {
  std::vector<CsvColumn> documented;
  add_documented(documented, kCsvColumns, CsvColumnOf::all);
  add_documented(documented, kProgramCsvColumns, CsvColumnOf::program);
  add_documented(documented, std::array{kOperatorColumn}, CsvColumnOf::operators);
  return documented;
}

std::string points_csv(const Analysis& analysis) {
  const std::vector<std::string> counters = counter_columns(analysis);
  const std::vector<std::string> axes = axis_columns(analysis);
  std::vector<PointsColumn> columns(kCsvColumns.begin(), kCsvColumns.end());
  if (kinds_of(analysis).has_program) {
    columns.insert(columns.end(), kProgramCsvColumns.begin(), kProgramCsvColumns.end());
  }
  if (kinds_of(analysis).has_operators) columns.push_back(kOperatorColumn);
  std::vector<std::string> fields;
  for (const PointsColumn& column : columns) fields.emplace_back(column.name());
  fields.insert(fields.end(), counters.begin(), counters.end());
  for (const std::string& name : axes) fields.push_back("axis " + name);
  std::string text = csv::row(fields);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      const Row row = {experiment, point, *point.measurement, point.measurement->point};
      fields.clear();
      for (const PointsColumn& column : columns) fields.push_back(column.field(row));
      for (const std::string& key : counters) fields.push_back(counter_field(row, key));
      for (const std::string& name : axes) fields.push_back(row.id.axes.written(name));
      text += csv::row(fields);
    }
  }
  return text;
}

std::string primitives_csv(const Run& run) {
  if (run.primitives.empty()) return {};
  using csv::number, csv::field;
  std::string text =
      "id,family,title,by,dtype,scope,instructions,status,latency_cycles,latency_ci_low,latency_ci_high,"
      "latency_elements,throughput_cycles,throughput_ci_low,throughput_ci_high,throughput_elements,"
      "cycles_per_instruction,cycles_per_element,elements_per_s\n";
  for (const PrimitiveResult& result : run.primitives) {
    const PrimitiveInfo& info = result.info;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", field(info.id), field(info.family),
                        field(info.title), field(info.by), to_string(info.dtype), to_string(info.scope),
                        info.instructions ? fmt::format("{}", *info.instructions) : "",
                        to_string(result.status), cycles_fields(result.latency), result.latency.elements,
                        cycles_fields(result.throughput), result.throughput.elements,
                        number(cycles_per_instruction(result)), number(cycles_per_element(result.throughput)),
                        number(elements_per_s(result, run.device_of(result).sm_count)));
  }
  return text;
}

}  // namespace rooflinectl
