// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/model/chart_model.h"
#include "reports/draw/label_placement.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Of the numbers along an axis.
inline constexpr TextStyle kTickStyle = {13, Weight::regular, palette::kMuted};

/// A line of a grid from edge to edge of `frame`, a stronger one if it is `main`, and its label, unless that
/// is empty: on the baseline `label_y`.
void add_vertical(Group& group, const Box& frame, double x, bool main, const std::string& label,
                  double label_y, const TextStyle& style = kTickStyle);
/// The same with the label left of the frame, at a distance.
void add_horizontal(Group& group, const Box& frame, double y, bool main, const std::string& label,
                    double distance = 6);

/// A log-log plane on paper: where a point of the plane lies in pixels.
class Plot {
 public:
  Plot(const Box& frame, const Window& window) : frame_(frame), window_(window) {}

  const Box& frame() const { return frame_; }
  const Window& window() const { return window_; }
  bool shows(const PlanePoint& point) const { return frame_.contains(at(point)); }

  double x(double ai) const;
  double y(double flop_per_s) const;
  Pixel at(const PlanePoint& point) const { return {x(point.ai), y(point.flop_per_s)}; }

  /// Where a bandwidth reaches the height `pixel_y`.
  double bandwidth_x(double bytes_per_s, double pixel_y) const;

 private:
  Box frame_;
  Window window_;
};

/// A place on an axis.
struct Tick {
  double value = 0;
  bool is_decade = false;
  bool is_labelled = false;
};

/// 1, 2, …, 9 times each power of ten in `range`, which is `pixels` long on paper. The powers of ten are
/// labelled; where there is room, or only one of them, also 2 and 5 times these, and where there is little
/// room only every other one or fewer.
std::vector<Tick> log_ticks(const Range& range, double pixels);

/// 1, 2 or 5 times a power of ten, at least `least`: a distance between ticks that is easy to read.
double round_step(double least);

/// Solid where the roof was measured, dashed where it is theoretical.
Stroke roof_stroke(const RoofLine& roof);

/// Grid, frame, tick labels and axis titles, which name the `operations`: `FLOP`.
Group axes_group(const Plot& plot, const std::string& operations);

/// The two ends of a roof: a bandwidth ends under the highest compute roof, a compute roof begins under the
/// fastest bandwidth. Nothing to draw where the ends meet.
struct RoofSegment {
  Pixel from;
  Pixel to;
};
RoofSegment roof_segment(const Plot& plot, const std::vector<RoofLine>& roofs, const RoofLine& roof);

/// The area under the bandwidth of the ridges and the highest of them: what the device can attain.
Group attainable_group(const Plot& plot, const std::vector<PlanePoint>& ridges);

/// `roofs level-l2`, `roofs precision-f32`: so that a page can show and hide what belongs to a roof.
std::string roof_class(std::string_view name, const RoofLine& roof);

/// The ceilings, one group each, and the ridges, clipped to the frame.
std::vector<Group> roof_groups(const Plot& plot, const ChartModel& chart);

/// Keeps the roofs and ridges free of labels.
void block_roofs(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// The names of the bandwidths, in a staircase above the fastest one or, where there is no room, below
/// the slowest; one group for each that found a place.
std::vector<Group> bandwidth_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// These and the names of the compute roofs, on or near their lines, and the intensities of the ridges,
/// upright at the lower edge.
std::vector<Group> roof_labels(LabelPlacer& placer, const Plot& plot, const ChartModel& chart);

/// hollow: nothing shows through; outline: everything beneath shows through.
enum class MarkFill { filled, hollow, outline };

/// `circle`, `triangle-up`: of every shape that marks have.
std::span<const std::string_view> shape_names();

/// The shape of the marks of a memory level, by its place in `shape_names`.
std::size_t shape_of(MemoryLevel level);

/// A mark of this shape.
Shape shaped_mark(std::size_t shape, Colour colour, Pixel centre, double radius, MarkFill fill);

/// The mark of a family, told from others by colour and by shape.
Shape family_mark(const FamilyLook& look, Pixel centre, double radius, MarkFill fill);

/// The roof of NVLink over a single point: a short line.
Shape link_roof_mark(double y, double middle);

/// For a program's kernel, an area in proportion to its share of the time, within what can be seen and does
/// not hide the others; for any other point `otherwise`.
double mark_radius(const ChartPoint& point, double otherwise);

/// Whether a line joins the marks of each point: among very many points the lines would hide the marks.
bool are_joined(const ChartModel& chart);

/// One point: its useful mark, its executed mark, the line between them if they are to be joined, its
/// interval if it is larger than the mark.
Group point_group(const Plot& plot, const ChartPoint& point, std::size_t index, double radius,
                  bool is_joined);

}  // namespace rooflinectl
