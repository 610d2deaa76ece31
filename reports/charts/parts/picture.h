// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "reports/charts/parts/plot.h"
#include "reports/draw/label_placement.h"
#include "reports/draw/scene.h"

/// What all pictures have in common: size, title, legend, footer.
namespace rooflinectl::picture {

inline constexpr double kWidth = 1600;
inline constexpr double kNarrowWidth = 940;
inline constexpr double kHeight = 900;
inline constexpr double kMargin = 36;
inline constexpr double kPanelTop = 168;
inline constexpr double kPanelBottom = 796;
inline constexpr TextStyle kLabelStyle = {14, Weight::semibold};
inline constexpr TextStyle kNoteStyle = {13, Weight::regular, palette::kMuted};
inline constexpr TextStyle kSmallTickStyle = {12, Weight::regular, palette::kMuted};
inline constexpr TextStyle kPanelTitleStyle = {15, Weight::semibold};

/// Of a picture of this extent.
double width_of(Extent extent);

/// An empty picture of `chart`, whose description names every point.
Scene blank(const ChartModel& chart, Extent extent = Extent::full);

/// Title and subtitle.
Group header(const ChartModel& chart, Extent extent = Extent::full);

/// What the asterisks at points stand for, where the numbers come from, and, where there is room, the tool.
Group footer(const ChartModel& chart, Extent extent = Extent::full, double height = kHeight);

/// The name of a panel, above it.
Text panel_title(const std::string& name, double left);

/// Axes, the attainable area, roofs.
void add_plane(Scene& scene, const Plot& plot, const ChartModel& chart);

/// Outlines the part that a detail shows.
void outline_detail(Group& group, LabelPlacer& placer, const Plot& plot, const Window& detail);

/// Puts a name next to a mark, if there is room; else returns false.
bool label_mark(Group& group, LabelPlacer& placer, const std::string& name, Pixel mark);

/// Appends samples with their names, in two rows above the panels; what no longer fits is left out.
class LegendRows {
 public:
  /// Draws what stands for a name at most `width` pixels to the right of a place.
  using Sample = std::function<void(Group&, Pixel)>;

  explicit LegendRows(Extent extent = Extent::full) : width_(width_of(extent)) {}

  void add(const std::string& name, double width, const Sample& sample);
  void add_line(const std::string& name, const Stroke& stroke, double length = 30);
  /// What is told from others by its colour alone.
  void add_colour(const std::string& name, Colour colour);
  void add_mark(const std::string& name, const FamilyLook& look, double radius);
  /// A line with a mark on it.
  void add_curve(const std::string& name, const FamilyLook& look);

  /// Solid and dashed lines, as far as the chart has them.
  void add_roofs(const ChartModel& chart);

  Group take() { return std::move(group_); }

 private:
  double width_;
  Group group_{.name = "legend"};
  Pixel next_ = {kMargin, 104};  // on the baseline
};

}  // namespace rooflinectl::picture
