// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/charts/model/chart_axes.h"
#include "reports/charts/model/chart_points.h"
#include "reports/charts/model/chart_texts.h"
#include "reports/sentences/point_text.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// The names of the kernels that took longest.
void choose_labels(ChartModel& chart) {
  constexpr std::size_t kMostLabels = 10;
  const std::vector<std::size_t> order = list_order(chart);
  std::size_t labels = 0;
  std::size_t rank = 0;
  for (const std::size_t i : order) {
    ChartPoint& point = chart.points[i];
    point.rank = ++rank;
    point.is_labelled = !point.share || (point.useful && ++labels <= kMostLabels);
  }
}

// OP is right for both where integers and floats share a picture.
std::string operations_of(const std::vector<RooflinePoint>& points) {
  const auto is_integer = [](const RooflinePoint& point) { return operations_of(point) == format::kOps; };
  return std::string(std::any_of(points.begin(), points.end(), is_integer) ? format::kOps : format::kFlops);
}

bool is_integer(const RoofLine& roof) {
  return roof.kind == CeilingKind::compute && roof.subject.starts_with('i');
}

// An axis has one unit, and so have the names of the roofs: where some count integer operations, FLOP/s
// become OP/s.
void use_one_unit(ChartModel& chart) {
  if (std::any_of(chart.roofs.begin(), chart.roofs.end(), is_integer)) {
    chart.operations = format::kOps;
  }
  for (RoofLine& roof : chart.roofs) {
    const std::size_t unit = roof.text.rfind(fmt::format("{}/s", format::kFlops));
    if (roof.kind == CeilingKind::compute && unit != std::string::npos) {
      roof.text.replace(unit, format::kFlops.size(), chart.operations);
    }
  }
}

// The kind of a roof, as its place in `kRoofKinds`.
std::size_t kind_of(const RoofLine& roof) {
  if (roof.kind == CeilingKind::bandwidth) return 0;
  if (roof.is_tensor) return 1;
  return is_integer(roof) ? 3 : 2;
}

// What all pictures of an experiment have in common.
ChartModel model_without_axes(const Run& run, const ExperimentAnalysis& experiment,
                              std::vector<MemoryLevel> levels) {
  ChartModel chart;
  chart.title = headline_prefix(run, !experiment.missing.empty()) +
                (experiment.title.empty() ? experiment.name : experiment.title);
  chart.subtitle = subtitle(run, experiment.device, experiment.points);
  chart.provenance = provenance(run, experiment);
  chart.flags = flagged_points(experiment.points);
  chart.tool = tool_text(run);
  chart.operations = operations_of(experiment.points);
  chart.levels = std::move(levels);
  for (const RooflinePoint& point : experiment.points) {
    chart.points.push_back(chart_point(point));
    chart.points.back().levels = level_marks(point, chart.levels);
    ChartPoint& added = chart.points.back();
    added.family = family_index(chart.families, point);
    added.look = chart.families[added.family].look;
    chart.is_of_program |= is_observed(point);
  }
  if (chart.is_of_program) {
    choose_labels(chart);
    chart.list_title = "Kernels by time";
  }
  return chart;
}

}  // namespace

bool has_levels(const ExperimentAnalysis& experiment) {
  const auto is_counted = [](const LevelUse& use) { return use.level != MemoryLevel::dram && use.ai; };
  return std::any_of(experiment.points.begin(), experiment.points.end(), [&](const RooflinePoint& point) {
    return std::any_of(point.levels.begin(), point.levels.end(), is_counted);
  });
}

ChartModel chart_model(const Run& run, const ExperimentAnalysis& experiment,
                       const ChartSelection& selection) {
  ChartModel chart = model_without_axes(run, experiment, {});
  chart.roofs = dram_roofs(run, experiment, selection);
  chart.ridges = ridges_of(chart.roofs, experiment.points);
  chart.axes = axes_of(chart, chart.ridges);
  use_one_unit(chart);
  if (chart.is_of_program) return chart;
  if (const auto detail = detail_window(chart.points)) chart.detail = within(*detail, chart.axes);
  return chart;
}

std::vector<std::size_t> list_order(const ChartModel& chart) {
  std::vector<std::size_t> order(chart.points.size());
  std::iota(order.begin(), order.end(), 0);
  if (!chart.is_of_program) return order;
  const auto share = [&](std::size_t i) { return chart.points[i].share.value_or(0); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  return order;
}

ChartModel with_longest(ChartModel chart, std::size_t most) {
  if (chart.points.size() <= most) return chart;
  std::vector<ChartPoint> points;
  for (const std::size_t i : list_order(chart)) {
    if (points.size() < most) points.push_back(std::move(chart.points[i]));
  }
  chart.points = std::move(points);
  return chart;
}

ChartModel levels_model(const Run& run, const ExperimentAnalysis& experiment,
                        const ChartSelection& selection) {
  const std::vector<MemoryLevel> all(kMemoryLevels.begin(), kMemoryLevels.end());
  ChartModel chart = model_without_axes(run, experiment, selection.levels.empty() ? all : selection.levels);
  for (ChartPoint& point : chart.points) point.executed.reset();
  chart.roofs = level_roofs(run, experiment, selection);
  chart.axes = axes_of(chart, ridges_of(chart.roofs, experiment.points));
  use_one_unit(chart);
  if (chart.is_of_program) return chart;
  if (const auto detail = detail_window(chart.points)) {
    chart.detail = within(with_levels(*detail, chart.points), chart.axes);
  }
  return chart;
}

ChartModel ceilings_model(const Run& run, const ChartSelection& selection, std::size_t device) {
  ChartModel chart;
  const std::string of = run.devices.size() > 1 ? fmt::format(", device {}:", device) : " of";
  chart.title = fmt::format("{}Ceilings{} {}", headline_prefix(run, false), of, run.devices[device].name);
  chart.subtitle = subtitle(run, device, {});
  const bool is_counted = std::any_of(run.ceilings.begin(), run.ceilings.end(), [](const Ceiling& ceiling) {
    return ceiling.confirmation.has_value();
  });
  chart.provenance =
      fmt::format("{}{}", to_string(run.source), is_counted ? "" : "; work declared, not counted");
  chart.tool = tool_text(run);
  chart.roofs = all_roofs(run, selection, device);
  chart.operations = format::kFlops;
  use_one_unit(chart);
  for (RoofLine& roof : chart.roofs) roof.family = kind_of(roof);
  chart.axes = axes_around(chart.roofs).value_or(kDefaultAxes);
  return chart;
}

}  // namespace rooflinectl
