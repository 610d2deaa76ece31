// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string share_text(const ScalingStep& step) {
  if (!step.share_s) return std::string(format::kUnavailable);
  return fmt::format("{} ({})", format::duration(*step.share_s),
                     format::whole_percent(*step.share_s / step.time_s));
}

std::string seconds_text(const std::optional<double>& seconds) {
  return format::optional(seconds, [](double value) { return format::duration(value); });
}

/// Columns that both tables have.
std::vector<std::string> step_texts(const ScalingCurve& curve, const ScalingStep& step) {
  return {curve.label, fmt::format("{}", step.gpus), format::duration(step.time_s)};
}

template <typename Texts>
void add_rows(Table& table, const Scaling& scaling, Texts texts) {
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) {
      std::vector<std::string>& row = table.rows.emplace_back(step_texts(curve, step));
      for (std::string& text : texts(step)) row.push_back(std::move(text));
    }
  }
}

Table speedup_table(const Scaling& scaling) {
  Table table;
  table.title = scaling_title(scaling.kind);
  table.columns = {{"points", false},  {"GPUs", true},        {"time", true},      {"all GPUs, GB/s", true},
                   {"speed-up", true}, {"links allow", true}, {"efficiency", true}};
  if (!scaling.link_missing.empty()) table.notes.push_back(fmt::format("links: {}", scaling.link_missing));
  add_rows(table, scaling, [](const ScalingStep& step) -> std::vector<std::string> {
    return {format::gigabytes(step.bytes_per_s), format::factor(step.speedup),
            format::optional(step.reachable_speedup, format::factor), format::whole_percent(step.efficiency)};
  });
  return table;
}

Table time_table(const Scaling& scaling) {
  Table table;
  table.title = "What the time consists of";
  table.columns = {{"points", false}, {"GPUs", true}, {"time", true},  {"compute", true},
                   {"memory", true},  {"link", true}, {"share", true}, {"rest", true}};
  add_rows(table, scaling, [](const ScalingStep& step) -> std::vector<std::string> {
    return {seconds_text(step.compute_s), seconds_text(step.memory_s), seconds_text(step.link_s),
            share_text(step), seconds_text(step.gathering_s)};
  });
  return table;
}

}  // namespace

std::string scaling_title(ScalingKind kind) {
  return kind == ScalingKind::strong ? "Strong scaling: the same elements on more GPUs"
                                     : "Weak scaling: as many elements on each of more GPUs";
}

std::vector<Table> scaling_tables(const Scaling& scaling) {
  return {speedup_table(scaling), time_table(scaling)};
}

}  // namespace rooflinectl
