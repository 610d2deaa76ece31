// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/detail_window.h"

#include <algorithm>
#include <cmath>

namespace rooflinectl {
namespace {

constexpr std::size_t kFewestPoints = 3;
constexpr double kCloseFactor = 6;
// An executed mark further from its useful mark than this is left out: it would squeeze the others.
constexpr double kFarthestExecutedFactor = 10;
constexpr double kSmallestDecades = 0.6;
constexpr double kMarginDecades = 0.12;
constexpr double kHeadroom = 1.5;  // more room at the top, for the names of the roofs

bool within(double a, double b, double factor) {
  return a <= b * factor && b <= a * factor;
}

bool close(const PlanePoint& a, const PlanePoint& b, double factor) {
  return within(a.ai, b.ai, factor) && within(a.flop_per_s, b.flop_per_s, factor);
}

std::vector<const ChartPoint*> drawn(const std::vector<ChartPoint>& points) {
  std::vector<const ChartPoint*> result;
  for (const ChartPoint& point : points) {
    if (point.useful) result.push_back(&point);
  }
  return result;
}

// Moves all points that a chain of close neighbours joins to the first of `rest` out of `rest`.
std::vector<const ChartPoint*> take_group(std::vector<const ChartPoint*>& rest) {
  std::vector<const ChartPoint*> group = {rest.front()};
  rest.erase(rest.begin());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const PlanePoint member = *group[i]->useful;
    const auto is_far = [&](const ChartPoint* other) { return !close(member, *other->useful, kCloseFactor); };
    const auto near = std::stable_partition(rest.begin(), rest.end(), is_far);
    group.insert(group.end(), near, rest.end());
    rest.erase(near, rest.end());
  }
  return group;
}

Range spanned(std::vector<double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double decades = std::log10(*high / *low);
  const double margin = std::pow(10, kMarginDecades + std::max(0.0, kSmallestDecades - decades) / 2);
  return {*low / margin, *high * margin};
}

Window window_around(const std::vector<const ChartPoint*>& group) {
  std::vector<double> intensities;
  std::vector<double> rates;
  const auto include = [&](const PlanePoint& mark) {
    intensities.push_back(mark.ai);
    rates.push_back(mark.flop_per_s);
  };
  for (const ChartPoint* point : group) {
    include(*point->useful);
    if (point->executed && close(*point->useful, *point->executed, kFarthestExecutedFactor)) {
      include(*point->executed);
    }
  }
  Window window = {spanned(std::move(intensities)), spanned(std::move(rates))};
  window.flop_per_s.high *= kHeadroom;
  return window;
}

}  // namespace

std::optional<Window> detail_window(const std::vector<ChartPoint>& points) {
  std::vector<const ChartPoint*> rest = drawn(points);
  std::vector<const ChartPoint*> largest;
  while (!rest.empty()) {
    std::vector<const ChartPoint*> group = take_group(rest);
    if (group.size() > largest.size()) largest = std::move(group);
  }
  if (largest.size() < kFewestPoints) return std::nullopt;
  return window_around(largest);
}

}  // namespace rooflinectl
