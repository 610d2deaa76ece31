// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

// The names of the kernels that took longest.
void choose_labels(ChartModel& chart) {
  constexpr std::size_t kMostLabels = 10;
  std::size_t labels = 0;
  std::size_t rank = 0;
  for (const std::size_t i : list_order(chart)) {
    ChartPoint& point = chart.points[i];
    point.rank = ++rank;
    point.is_labelled = !point.share || (point.useful && ++labels <= kMostLabels);
  }
}

// OP is right for both where integers and floats share a picture.
std::string operations_of(const std::vector<RooflinePoint>& points) {
  const auto is_integer = [](const RooflinePoint& point) { return operations_of(point) == format::kOps; };
  return std::string(std::ranges::any_of(points, is_integer) ? format::kOps : format::kFlops);
}

bool is_integer(const RoofLine& roof) {
  return roof.kind == CeilingKind::compute && roof.subject.starts_with('i');
}

// An axis has one unit, and so have the names of the roofs: where some count integer operations, FLOP/s
// become OP/s.
void use_one_unit(ChartModel& chart) {
  if (std::ranges::any_of(chart.roofs, is_integer)) {
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
    ChartPoint& added = chart.points.emplace_back(chart_point(point));
    added.levels = level_marks(point, chart.levels);
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

// What the axes show where there is nothing to take them from.
constexpr Window kDefaultAxes = {{1e-2, 1e3}, {1e9, 1e14}};

// The axes reach at least this far to the left of the lowest ridge, to the right of the highest, and above
// all roofs.
constexpr double kRoomLeft = 300;
constexpr double kRoomRight = 30;
constexpr double kRoomAbove = 1.2;

// In descending order, as the roofs.
std::vector<double> values_of(const std::vector<RoofLine>& roofs, CeilingKind kind,
                              std::optional<CeilingSource> source = std::nullopt) {
  std::vector<double> values;
  for (const RoofLine& roof : roofs) {
    if (roof.kind == kind && (!source || roof.source == source)) values.push_back(roof.value);
  }
  return values;
}

// The bandwidth whose ridges are marked: that of most points, else the fastest measured one, else the
// theoretical one.
std::optional<double> main_bandwidth(const std::vector<RoofLine>& roofs,
                                     const std::vector<RooflinePoint>& points) {
  std::map<double, int> points_under;
  for (const RoofLine& roof : roofs) {
    if (roof.kind != CeilingKind::bandwidth || roof.source != CeilingSource::measured) continue;
    const auto is_under = [&](const RooflinePoint& point) {
      const ResourceUse* dram = find_use(point, Bound::dram);
      if (dram == nullptr) return point.roof && point.roof->memory_ceiling == roof.id;
      return dram->time_s.value_or(0) > 0 && dram->ceilings.front() == roof.id;
    };
    const auto count = std::ranges::count_if(points, is_under);
    if (count > 0) points_under[roof.value] = static_cast<int>(count);
  }
  if (!points_under.empty()) {
    return std::ranges::max_element(points_under, {}, [](const auto& entry) { return entry.second; })->first;
  }
  for (const CeilingSource source : {CeilingSource::measured, CeilingSource::theoretical}) {
    const auto values = values_of(roofs, CeilingKind::bandwidth, source);
    if (!values.empty()) return values.front();
  }
  return std::nullopt;
}

Range whole_decades(Range range) {
  // A tiny margin: a bound that is a power of ten up to rounding stays where it is.
  constexpr double kRounding = 1e-9;
  return {std::pow(10, std::floor(std::log10(range.low) + kRounding)),
          std::pow(10, std::ceil(std::log10(range.high) - kRounding))};
}

std::optional<Window> axes_from_ceilings(const std::vector<RoofLine>& roofs,
                                         const std::vector<PlanePoint>& ridges) {
  if (ridges.empty()) return std::nullopt;
  const auto [first, last] = std::ranges::minmax_element(ridges, {}, &PlanePoint::ai);
  const Range ai = whole_decades({first->ai / kRoomLeft, last->ai * kRoomRight});
  // The slope leaves the picture near its lower left corner.
  Range flop_per_s = {first->flop_per_s / first->ai * ai.low, last->flop_per_s * kRoomAbove};
  for (const RoofLine& roof : roofs) {
    if (roof.kind == CeilingKind::compute) flop_per_s.extend_to(roof.value * kRoomAbove);
  }
  return Window{ai, flop_per_s};
}

Range within(const Range& inner, const Range& outer) {
  return {std::max(inner.low, outer.low), std::min(inner.high, outer.high)};
}

// Where the memory roof of most points meets the compute roofs.
std::vector<PlanePoint> ridges_of(const std::vector<RoofLine>& roofs,
                                  const std::vector<RooflinePoint>& points) {
  const auto bandwidth = main_bandwidth(roofs, points);
  if (!bandwidth) return {};
  auto rates = values_of(roofs, CeilingKind::compute, CeilingSource::measured);
  if (rates.empty()) rates = values_of(roofs, CeilingKind::compute, CeilingSource::theoretical);
  std::vector<PlanePoint> ridges;
  for (const double rate : rates) ridges.push_back({ridge_ai(*bandwidth, rate), rate});
  return ridges;
}

// The axes come from the ceilings alone, so that two runs on one device can be laid side by side; only a
// point that would lie outside moves them, by whole decades.
Window axes_of(const ChartModel& chart, const std::vector<PlanePoint>& ridges) {
  Window axes = axes_from_ceilings(chart.roofs, ridges).value_or(kDefaultAxes);
  const auto include = [&](const std::optional<PlanePoint>& mark) {
    if (mark) axes.extend_to(*mark);
  };
  for (const ChartPoint& point : chart.points) {
    include(point.useful);
    include(point.executed);
    for (const LevelMark& mark : point.levels) include(mark.at);
  }
  return {whole_decades(axes.ai), whole_decades(axes.flop_per_s)};
}

// The part of the plane in which every roof ends, with some room; nothing without roofs of both kinds.
std::optional<Window> axes_around(const std::vector<RoofLine>& roofs) {
  constexpr double kRoom = 2;
  constexpr double kRoomToSlowest = 10;
  const auto bandwidths = values_of(roofs, CeilingKind::bandwidth);
  const auto rates = values_of(roofs, CeilingKind::compute);
  if (bandwidths.empty() || rates.empty()) return std::nullopt;
  const Range ai = whole_decades(
      {rates.back() / bandwidths.front() / kRoomToSlowest, rates.front() / bandwidths.back() * kRoom});
  return Window{ai, whole_decades({bandwidths.back() * ai.low, rates.front() * kRoom})};
}

// The part of `inner` that `outer` shows.
Window within(const Window& inner, const Window& outer) {
  return {within(inner.ai, outer.ai), within(inner.flop_per_s, outer.flop_per_s)};
}

// The window with the marks of all levels of the points whose performance lies in it.
Window with_levels(Window window, const std::vector<ChartPoint>& points) {
  constexpr double kRoom = 1.4;
  for (const ChartPoint& point : points) {
    for (const LevelMark& mark : point.levels) {
      if (!mark.at || !window.flop_per_s.holds(mark.at->flop_per_s)) continue;
      window.ai.extend_to(mark.at->ai / kRoom);
      window.ai.extend_to(mark.at->ai * kRoom);
    }
  }
  return window;
}

}  // namespace

bool has_levels(const ExperimentAnalysis& experiment) {
  const auto is_counted = [](const LevelUse& use) { return use.level != MemoryLevel::dram && use.ai; };
  return std::ranges::any_of(experiment.points, [&](const RooflinePoint& point) {
    return std::ranges::any_of(point.levels, is_counted);
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
  std::ranges::stable_sort(order, std::greater(), share);
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
  const bool is_counted = std::ranges::any_of(
      run.ceilings, [](const Ceiling& ceiling) { return ceiling.confirmation.has_value(); });
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
