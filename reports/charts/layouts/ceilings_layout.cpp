// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr double kNamesGap = 50;
constexpr double kNamesWidth = 238;
constexpr double kRight = 22;

// The names are in a column next to the plane, each joined to the end of its line.
std::vector<Group> names_of_compute(const Plot& plot, const ChartModel& chart) {
  const Box& plane = plot.frame();
  const double names_left = plane.right + kNamesGap;
  constexpr double kRoomySpacing = 20;
  std::vector<const RoofLine*> roofs;  // the fastest first: from top to bottom
  std::vector<double> wanted;
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind != CeilingKind::compute) continue;
    roofs.push_back(&roof);
    wanted.push_back(plot.y(roof.value));
  }
  const double spacing =
      std::min(kRoomySpacing, plane.height() / static_cast<double>(std::max<std::size_t>(roofs.size(), 1)));
  const std::vector<double> places = spread(wanted, spacing, plane.top, plane.bottom);
  const TextStyle style = {std::min(13.0, spacing * 0.8)};
  std::vector<Group> groups;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    const Polyline leader = {
        {{plane.right, wanted[i]}, {names_left - 16, places[i]}, {names_left - 4, places[i]}},
        {roof_stroke(*roofs[i]).colour, 1, roof_stroke(*roofs[i]).dash}};
    const Text text = {
        fitted(roofs[i]->text, style, kNamesWidth), {names_left, places[i] + 0.36 * style.size}, style};
    groups.push_back({.name = roof_class("labels", *roofs[i]), .shapes = {leader, text}});
  }
  return groups;
}

Group kinds_legend(const ChartModel& chart, Extent extent) {
  LegendRows rows(extent);
  rows.add_roofs(chart);
  return rows.take();
}

}  // namespace

Scene ceilings_scene(const ChartModel& chart, Extent extent) {
  Scene scene = blank(chart, extent);
  scene.groups = {header(chart, extent), kinds_legend(chart, extent)};
  const double right = width_of(extent) - kRight - kNamesWidth - kNamesGap;
  const Plot plot({86, kPanelTop, right, kPanelBottom}, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  auto bandwidths = bandwidth_labels(placer, plot, chart);
  auto compute = names_of_compute(plot, chart);
  add_plane(scene, plot, chart);
  scene.add(std::move(bandwidths));
  scene.add(std::move(compute));
  scene.groups.push_back(footer(chart, extent));
  return scene;
}

}  // namespace rooflinectl
