// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/ceilings_layout.h"

#include <algorithm>
#include <iterator>

#include "reports/charts/picture.h"
#include "reports/charts/roof_labels.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr Box kPlane = {86, kPanelTop, 1290, kPanelBottom};
constexpr double kNamesLeft = 1340;
constexpr double kNamesRight = kWidth - 22;

// The names are in a column next to the plane, each joined to the end of its line.
std::vector<Group> names_of_compute(const Plot& plot, const ChartModel& chart) {
  constexpr double kRoomySpacing = 20;
  std::vector<const RoofLine*> roofs;  // the fastest first: from top to bottom
  std::vector<double> wanted;
  for (const RoofLine& roof : chart.roofs) {
    if (roof.kind != CeilingKind::compute) continue;
    roofs.push_back(&roof);
    wanted.push_back(plot.y(roof.value));
  }
  const double spacing =
      std::min(kRoomySpacing, kPlane.height() / static_cast<double>(std::max<std::size_t>(roofs.size(), 1)));
  const std::vector<double> places = spread(wanted, spacing, kPlane.top, kPlane.bottom);
  const TextStyle style = {std::min(13.0, spacing * 0.8)};
  std::vector<Group> groups;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    const Polyline leader = {
        {{kPlane.right, wanted[i]}, {kNamesLeft - 16, places[i]}, {kNamesLeft - 4, places[i]}},
        {palette::kLeader, 1, roof_stroke(*roofs[i]).dash}};
    const Text text = {fitted(roofs[i]->text, style, kNamesRight - kNamesLeft),
                       {kNamesLeft, places[i] + 0.36 * style.size},
                       style};
    groups.push_back({.name = roof_class("labels", *roofs[i]), .shapes = {leader, text}});
  }
  return groups;
}

Group legend(const ChartModel& chart) {
  LegendRows rows;
  rows.add_roofs(chart);
  return rows.take();
}

}  // namespace

Scene ceilings_scene(const ChartModel& chart) {
  Scene scene = blank(chart);
  scene.groups = {header(chart), legend(chart)};
  const Plot plot(kPlane, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  auto bandwidths = bandwidth_labels(placer, plot, chart);
  auto compute = names_of_compute(plot, chart);
  add_plane(scene, plot, chart);
  std::move(bandwidths.begin(), bandwidths.end(), std::back_inserter(scene.groups));
  std::move(compute.begin(), compute.end(), std::back_inserter(scene.groups));
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
