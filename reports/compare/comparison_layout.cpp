// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/charts/model/chart_model.h"
#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/label_placement.h"
#include "reports/sentences/sentences.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr Box kPlane = {86, kPanelTop, 690, kPanelBottom};
constexpr Box kComparisonPanel = {736, kPanelTop - 42, kWidth - 22, kPanelBottom + 10};
constexpr double kComparisonMarkRadius = 5;
constexpr std::size_t kMostComparisonRows = 200;

// All points of a run as those of one experiment: a comparison has one picture.
ChartModel whole_run(const AnalysedRun& analysed) {
  ExperimentAnalysis all;
  for (const ExperimentAnalysis& experiment : analysed.analysis.experiments) {
    all.points.insert(all.points.end(), experiment.points.begin(), experiment.points.end());
  }
  return chart_model(analysed.run, all);
}

Range around(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

std::string names(const RunComparison& comparison) {
  const std::string base = comparison.baseline.size() == 1
                               ? comparison.baseline.front().name
                               : fmt::format("{} base runs", comparison.baseline.size());
  return fmt::format("{} → {}", base, comparison.now->name);
}

// The chart of the new run, with axes that also cover the base runs.
ChartModel chart_of(const RunComparison& comparison, const std::vector<Window>& base_axes) {
  ChartModel chart = whole_run(*comparison.now);
  for (const Window& axes : base_axes) {
    chart.axes = {around(chart.axes.ai, axes.ai), around(chart.axes.flop_per_s, axes.flop_per_s)};
  }
  chart.title = names(comparison);
  const std::string warning = device_warning(comparison);
  chart.subtitle =
      fmt::format("{}  ·  {}", comparison_counts(comparison), warning.empty() ? chart.subtitle : warning);
  chart.points.clear();
  return chart;
}

// The head of an arrow that ends at `tip`; nothing where the arrow is shorter than its head.
std::optional<Polygon> arrow_head(Pixel from, Pixel tip, Colour colour) {
  constexpr double kLength = 9;
  constexpr double kHalfWidth = 4;
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  if (length < kLength) return std::nullopt;
  const Pixel along = {(tip.x - from.x) / length, (tip.y - from.y) / length};
  const Pixel foot = {tip.x - kLength * along.x, tip.y - kLength * along.y};
  return Polygon{{tip,
                  {foot.x - kHalfWidth * along.y, foot.y + kHalfWidth * along.x},
                  {foot.x + kHalfWidth * along.y, foot.y - kHalfWidth * along.x}},
                 colour,
                 std::nullopt};
}

// Where the point was, an arrow, and where it is.
Group movement(const Plot& plot, const PointComparison& point) {
  Group group{
      .name = "point", .title = change_sentence(point), .clip = plot.frame().grown(kComparisonMarkRadius)};
  const Colour colour = change_colour(point.change);
  const auto before = compared_place(point.base);
  const auto now = compared_place(point.now);
  if (before) {
    group.add(Circle{plot.at(*before), kComparisonMarkRadius - 1, palette::kPaper, Stroke{colour, 1.4}});
  }
  if (before && now) {
    const Pixel from = plot.at(*before);
    const Pixel to = plot.at(*now);
    group.add(Polyline{{from, to}, {colour, 1.8}});
    if (auto head = arrow_head(from, to, colour)) {
      group.add(std::move(*head));
      return group;
    }
  }
  if (now) {
    group.add(Circle{plot.at(*now), kComparisonMarkRadius, colour, Stroke{palette::kPaper, 1}});
  }
  return group;
}

Group comparison_legend(const ChartModel& chart) {
  LegendRows rows;
  const auto add = [&](PointChange change, const std::string& name) {
    rows.add(name, 12, [=](Group& group, Pixel at) {
      group.add(Circle{{at.x + 6, at.y}, 5, change_colour(change), Stroke{palette::kPaper, 1}});
    });
  };
  add(PointChange::slower, "slower, broken or missing");
  add(PointChange::faster, "faster");
  add(PointChange::same, "same, unclear or not comparable");
  rows.add("hollow: before", 12, [](Group& group, Pixel at) {
    group.add(Circle{{at.x + 6, at.y}, 4, palette::kPaper, Stroke{palette::kInk, 1.4}});
  });
  rows.add_roofs(chart);
  return rows.take();
}

Scene scene_of(const RunComparison& comparison, const ChartModel& chart) {
  Scene scene = blank(chart);
  const std::vector<const PointComparison*> shown = table_points(comparison, kMostComparisonRows);
  for (const PointComparison* point : shown)
    scene.description += fmt::format(" {}.", change_sentence(*point));
  scene.groups = {header(chart), comparison_legend(chart)};
  Group titles{.name = "panel-titles"};
  titles.add(panel_title("Roofline", kPlane.left));
  scene.groups.push_back(std::move(titles));

  const Plot plot(kPlane, chart.axes);
  LabelPlacer placer(plot.frame());
  block_roofs(placer, plot, chart);
  std::vector<Group> points;
  // What matters most is drawn last, and so on top.
  for (auto point = shown.rbegin(); point != shown.rend(); ++point) {
    points.push_back(movement(plot, **point));
    for (const RooflinePoint* side : {(*point)->base, (*point)->now}) {
      if (const auto at = compared_place(side)) {
        placer.block(square(plot.at(*at), kComparisonMarkRadius + 2));
      }
    }
  }
  std::vector<Group> roof_names = roof_labels(placer, plot, chart);
  add_plane(scene, plot, chart);
  scene.add(std::move(roof_names));
  scene.add(std::move(points));

  scene.add(change_panel(kComparisonPanel, comparison));
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace

std::optional<PlanePoint> compared_place(const RooflinePoint* point) {
  if (point == nullptr) return std::nullopt;
  const auto ai = has_executed_work_alone(*point) ? point->ai_executed : point->ai_useful;
  const auto rate = main_rate(*point);
  if (!ai || !rate || !is_drawable(*ai) || !is_drawable(*rate)) return std::nullopt;
  return PlanePoint{*ai, *rate};
}

std::vector<ChartModel> comparison_charts(const std::vector<RunComparison>& comparisons) {
  std::vector<Window> base_axes;
  for (const AnalysedRun& base : comparisons.front().baseline) base_axes.push_back(whole_run(base).axes);
  std::vector<ChartModel> charts;
  for (const RunComparison& comparison : comparisons) charts.push_back(chart_of(comparison, base_axes));
  return charts;
}

std::vector<Scene> comparison_scenes(const std::vector<RunComparison>& comparisons) {
  const std::vector<ChartModel> charts = comparison_charts(comparisons);
  std::vector<Scene> scenes;
  for (std::size_t i = 0; i < charts.size(); ++i) scenes.push_back(scene_of(comparisons[i], charts[i]));
  return scenes;
}

}  // namespace rooflinectl
