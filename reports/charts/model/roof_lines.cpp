// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/executed/executed_work.h"
#include "core/text/names.h"
#include "reports/charts/model/chart_model.h"
#include "reports/tables/tables.h"

namespace rooflinectl {
namespace {

template <typename Chosen>
std::vector<RoofLine> roof_lines(const Run& run, std::size_t device, Chosen chosen) {
  std::vector<RoofLine> lines;
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.device != device) continue;
    if (!is_roof(ceiling.kind) || !is_drawable(ceiling.value)) continue;
    if (chosen(ceiling)) lines.push_back(roof_line(ceiling));
  }
  std::ranges::stable_sort(lines, [](const RoofLine& a, const RoofLine& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.value > b.value;
  });
  return lines;
}

bool is_read_of(const Ceiling& ceiling, const std::vector<MemoryLevel>& levels) {
  const auto is_subject = [&](MemoryLevel level) { return to_string(level) == ceiling.subject; };
  // The theoretical bandwidth of DRAM has no direction.
  return (ceiling.operation == "read" || ceiling.operation.empty()) &&
         (levels.empty() || std::ranges::any_of(levels, is_subject));
}

bool computes_for(const Ceiling& ceiling, const std::vector<RooflinePoint>& points,
                  const ChartSelection& selection) {
  if (!selection.precisions.empty()) return contains(selection.precisions, ceiling.subject);
  if (is_roof_of_program(ceiling, points)) return true;
  const auto is_precision = [&](const RooflinePoint& point) {
    return !is_observed(point) && to_string(point.precision) == ceiling.subject;
  };
  return ceiling.operation != "tensor" && ceiling.operation != "sustained" &&
         (points.empty() || std::ranges::any_of(points, is_precision));
}

}  // namespace

RoofLine roof_line(const Ceiling& ceiling) {
  const std::string_view peak = ceiling.source == CeilingSource::theoretical ? " peak" : "";
  return {fmt::format("{}{} {}", ceiling_name(ceiling), peak, ceiling_value(ceiling, ceiling.value)),
          ceiling.kind,
          ceiling.source,
          ceiling.subject,
          ceiling.value,
          ceiling.operation == "tensor",
          std::nullopt,
          ceiling.id};
}

bool is_roof_of_program(const Ceiling& ceiling, const std::vector<RooflinePoint>& points) {
  return std::ranges::any_of(points, [&](const RooflinePoint& point) {
    const ResourceUse* const pipe = has_executed_work_alone(point) ? main_pipe(point.resources) : nullptr;
    return pipe != nullptr && contains(pipe->ceilings, ceiling.id);
  });
}

double ridge_ai(double bandwidth, double rate) {
  return rate / bandwidth;
}

bool is_drawable(double value) {
  return value >= 1e-30 && value <= 1e30;
}

std::vector<RoofLine> dram_roofs(const Run& run, const ExperimentAnalysis& experiment,
                                 const ChartSelection& selection) {
  const std::vector<RooflinePoint>& points = experiment.points;
  return roof_lines(run, experiment.device, [&](const Ceiling& ceiling) {
    if (ceiling.kind == CeilingKind::compute) return computes_for(ceiling, points, selection);
    if (ceiling.subject == "dram") return ceiling.operation != "triad";
    return ceiling.source == CeilingSource::measured &&
           std::ranges::any_of(points, [&](const RooflinePoint& point) {
             // L2, for the points that it serves; executed work is drawn at its DRAM intensity only.
             return point.roof && !has_executed_work_alone(point) && point.roof->memory_ceiling == ceiling.id;
           });
  });
}

std::vector<RoofLine> level_roofs(const Run& run, const ExperimentAnalysis& experiment,
                                  const ChartSelection& selection) {
  const std::vector<RooflinePoint>& points = experiment.points;
  return roof_lines(run, experiment.device, [&](const Ceiling& ceiling) {
    if (ceiling.source != roof_source(run, experiment.device)) return false;
    return ceiling.kind == CeilingKind::compute ? computes_for(ceiling, points, selection)
                                                : is_read_of(ceiling, selection.levels);
  });
}

std::vector<RoofLine> all_roofs(const Run& run, const ChartSelection& selection, std::size_t device) {
  return roof_lines(run, device, [&](const Ceiling& ceiling) {
    if (ceiling.kind == CeilingKind::bandwidth) return is_read_of(ceiling, selection.levels);
    return selection.precisions.empty() || contains(selection.precisions, ceiling.subject);
  });
}

}  // namespace rooflinectl
