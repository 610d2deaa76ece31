// SPDX-License-Identifier: Apache-2.0
#include "reports/points_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "reports/csv.h"

namespace rooflinectl {
namespace {

struct Row {
  const ExperimentAnalysis& experiment;
  const RooflinePoint& point;
  const Measurement& measurement;
  const PointId& id;
};

struct Column {
  std::string_view name;
  std::string (*text)(const Row&);
};

using csv::number;

std::string time_field(const Row& row, double TimeResult::*field) {
  return row.measurement.time ? number((*row.measurement.time).*field) : "";
}

std::string counter_field(const Row& row, std::string_view key) {
  return number(value_of(row.measurement.counters, key));
}

std::string limiting_utilisation(const Row& row) {
  const LevelUse* use = find_level(row.point, row.point.limiting_level);
  return use != nullptr ? number(use->utilisation) : "";
}

std::string level_ai(const Row& row, MemoryLevel level) {
  const LevelUse* use = find_level(row.point, level);
  return use != nullptr ? number(use->ai) : "";
}

constexpr std::array kColumns = {
    Column{"variant", [](const Row& r) { return r.id.variant; }},
    Column{"family", [](const Row& r) { return r.point.family; }},
    Column{"dtype", [](const Row& r) { return std::string(to_string(r.id.dtype)); }},
    Column{"n", [](const Row& r) { return fmt::format("{}", r.id.n_elements); }},
    Column{"cache", [](const Row& r) { return std::string(to_string(r.id.cache)); }},
    Column{"status", [](const Row& r) { return std::string(to_string(r.measurement.status)); }},
    Column{"time_s", [](const Row& r) { return time_field(r, &TimeResult::median_s); }},
    Column{"time_ci_low_s", [](const Row& r) { return time_field(r, &TimeResult::ci_low_s); }},
    Column{"time_ci_high_s", [](const Row& r) { return time_field(r, &TimeResult::ci_high_s); }},
    Column{"flops_useful", [](const Row& r) { return number(r.point.flops_useful); }},
    Column{"flops_executed", [](const Row& r) { return number(r.point.flops_executed); }},
    Column{"dram_bytes", [](const Row& r) { return number(r.point.dram_bytes); }},
    Column{"dram_bytes_useful", [](const Row& r) { return number(r.point.dram_bytes_useful); }},
    Column{"ai_useful", [](const Row& r) { return number(r.point.ai_useful); }},
    Column{"ai_executed", [](const Row& r) { return number(r.point.ai_executed); }},
    Column{"flop_per_s", [](const Row& r) { return number(r.point.flop_per_s); }},
    Column{"roof_flop_per_s",
           [](const Row& r) { return r.point.roof ? number(r.point.roof->flop_per_s) : std::string(); }},
    Column{"fraction_of_roof", [](const Row& r) { return number(r.point.fraction_of_roof); }},
    Column{"bound", [](const Row& r) { return std::string(to_string(r.point.bound)); }},
    Column{"warp_execution_efficiency",
           [](const Row& r) { return counter_field(r, counter::kWarpExecutionEfficiency); }},
    Column{"warp_nonpred_execution_efficiency",
           [](const Row& r) { return counter_field(r, counter::kWarpNonpredExecutionEfficiency); }},
    Column{"flags", [](const Row& r) { return fmt::format("{}", fmt::join(r.point.flags, ";")); }},
    Column{"experiment", [](const Row& r) { return r.experiment.name; }},
    Column{"label", [](const Row& r) { return r.point.label; }},
    Column{"block_size", [](const Row& r) { return fmt::format("{}", r.id.block_size); }},
    Column{"elements_per_thread",
           [](const Row& r) {
             return r.id.elements_per_thread ? fmt::format("{}", *r.id.elements_per_thread) : std::string();
           }},
    Column{"fraction_of_theoretical", [](const Row& r) { return number(r.point.fraction_of_theoretical); }},
    Column{"redundancy", [](const Row& r) { return number(r.point.redundancy); }},
    Column{"dram_read_bytes", [](const Row& r) { return counter_field(r, counter::kDramReadBytes); }},
    Column{"dram_write_bytes", [](const Row& r) { return counter_field(r, counter::kDramWriteBytes); }},
    Column{"cause", [](const Row& r) { return r.measurement.cause; }},
    Column{"limiting_level",
           [](const Row& r) {
             return r.point.limiting_level ? std::string(to_string(*r.point.limiting_level)) : std::string();
           }},
    Column{"limiting_level_utilisation", [](const Row& r) { return limiting_utilisation(r); }},
    Column{"ai_l2", [](const Row& r) { return level_ai(r, MemoryLevel::l2); }},
    Column{"ai_l1", [](const Row& r) { return level_ai(r, MemoryLevel::l1); }},
    Column{"ai_shared", [](const Row& r) { return level_ai(r, MemoryLevel::shared); }},
    Column{"launch_mode", [](const Row& r) { return std::string(to_string(r.id.launch_mode)); }},
};

template <typename FieldOf>
std::string line(FieldOf field_of) {
  std::string text;
  for (const Column& column : kColumns) {
    if (&column != kColumns.data()) text += ',';
    text += csv::field(field_of(column));
  }
  return text + "\r\n";
}

}  // namespace

std::string points_csv(const Analysis& analysis) {
  std::string csv = line([](const Column& column) { return std::string(column.name); });
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      const Row row = {experiment, point, *point.measurement, point.measurement->point};
      csv += line([&](const Column& column) { return column.text(row); });
    }
  }
  return csv;
}

}  // namespace rooflinectl
