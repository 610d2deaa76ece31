// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_axes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/program/recoverable.h"

namespace rooflinectl {
namespace {

// The axes reach at least this far to the left of the lowest ridge, to the right of the highest, and above
// all roofs.
constexpr double kRoomLeft = 300;
constexpr double kRoomRight = 30;
constexpr double kRoomAbove = 1.2;

std::vector<double> values_of(const std::vector<RoofLine>& roofs, CeilingKind kind, CeilingSource source) {
  std::vector<double> values;
  for (const RoofLine& roof : roofs) {
    if (roof.kind == kind && roof.source == source) values.push_back(roof.value);
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
    const auto count = std::count_if(points.begin(), points.end(), is_under);
    if (count > 0) points_under[roof.value] = static_cast<int>(count);
  }
  if (!points_under.empty()) {
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(points_under.begin(), points_under.end(), by_count)->first;
  }
  for (const CeilingSource source : {CeilingSource::measured, CeilingSource::theoretical}) {
    const auto values = values_of(roofs, CeilingKind::bandwidth, source);
    if (!values.empty()) return values.front();
  }
  return std::nullopt;
}

bool holds(const Range& range, double value) {
  return value >= range.low && value <= range.high;
}

void extend(Range& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

Range whole_decades(Range range) {
  // A tiny margin: a bound that is a power of ten up to rounding stays where it is.
  constexpr double kRounding = 1e-9;
  return {std::pow(10, std::floor(std::log10(range.low) + kRounding)),
          std::pow(10, std::ceil(std::log10(range.high) - kRounding))};
}

std::optional<Window> axes_from_ceilings(const std::vector<RoofLine>& roofs,
                                         const std::vector<Ridge>& ridges) {
  if (ridges.empty()) return std::nullopt;
  const auto by_ai = [](const Ridge& a, const Ridge& b) { return a.ai < b.ai; };
  const auto [first, last] = std::minmax_element(ridges.begin(), ridges.end(), by_ai);
  const Range ai = whole_decades({first->ai / kRoomLeft, last->ai * kRoomRight});
  // The slope leaves the picture near its lower left corner.
  Range flop_per_s = {first->flop_per_s / first->ai * ai.low, last->flop_per_s * kRoomAbove};
  for (const RoofLine& roof : roofs) {
    if (roof.kind == CeilingKind::compute) extend(flop_per_s, roof.value * kRoomAbove);
  }
  return Window{ai, flop_per_s};
}

Range within(const Range& inner, const Range& outer) {
  return {std::max(inner.low, outer.low), std::min(inner.high, outer.high)};
}

}  // namespace

std::vector<Ridge> ridges_of(const std::vector<RoofLine>& roofs, const std::vector<RooflinePoint>& points) {
  const auto bandwidth = main_bandwidth(roofs, points);
  if (!bandwidth) return {};
  auto rates = values_of(roofs, CeilingKind::compute, CeilingSource::measured);
  if (rates.empty()) rates = values_of(roofs, CeilingKind::compute, CeilingSource::theoretical);
  std::vector<Ridge> ridges;
  for (const double rate : rates) ridges.push_back({ridge_ai(*bandwidth, rate), rate});
  return ridges;
}

Window axes_of(const ChartModel& chart, const std::vector<Ridge>& ridges) {
  Window axes = axes_from_ceilings(chart.roofs, ridges).value_or(kDefaultAxes);
  const auto include = [&](const std::optional<PlanePoint>& mark) {
    if (!mark) return;
    extend(axes.ai, mark->ai);
    extend(axes.flop_per_s, mark->flop_per_s);
  };
  for (const ChartPoint& point : chart.points) {
    include(point.useful);
    include(point.executed);
    for (const LevelMark& mark : point.levels) include(mark.at);
  }
  return {whole_decades(axes.ai), whole_decades(axes.flop_per_s)};
}

std::optional<Window> axes_around(const std::vector<RoofLine>& roofs) {
  constexpr double kRoom = 2;
  constexpr double kRoomToSlowest = 10;
  const auto values = [&](CeilingKind kind) {
    std::vector<double> all;
    for (const RoofLine& roof : roofs) {
      if (roof.kind == kind) all.push_back(roof.value);
    }
    return all;  // in descending order, as the roofs
  };
  const auto bandwidths = values(CeilingKind::bandwidth);
  const auto rates = values(CeilingKind::compute);
  if (bandwidths.empty() || rates.empty()) return std::nullopt;
  const Range ai = whole_decades(
      {rates.back() / bandwidths.front() / kRoomToSlowest, rates.front() / bandwidths.back() * kRoom});
  return Window{ai, whole_decades({bandwidths.back() * ai.low, rates.front() * kRoom})};
}

Window within(const Window& inner, const Window& outer) {
  return {within(inner.ai, outer.ai), within(inner.flop_per_s, outer.flop_per_s)};
}

Window with_levels(Window window, const std::vector<ChartPoint>& points) {
  constexpr double kRoom = 1.4;
  for (const ChartPoint& point : points) {
    for (const LevelMark& mark : point.levels) {
      if (!mark.at || !holds(window.flop_per_s, mark.at->flop_per_s)) continue;
      extend(window.ai, mark.at->ai / kRoom);
      extend(window.ai, mark.at->ai * kRoom);
    }
  }
  return window;
}

}  // namespace rooflinectl
