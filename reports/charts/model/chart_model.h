// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/bound.h"
#include "reports/draw/scene.h"
#include "reports/draw/theme.h"

/// What a picture shows, in operations per byte and per second; where on the picture is decided by
/// the layouts (`layouts.h`).
namespace rooflinectl {

/// What a reader chose to see in a picture. Empty: what that picture usually shows.
struct ChartSelection {
  std::vector<MemoryLevel> levels;
  std::vector<std::string> precisions;  ///< `f32`, `tf32`
  Theme theme = Theme::light;
};

/// A ceiling as a line: `value` bytes per second (a diagonal) or operations per second (level).
struct RoofLine {
  std::string text;  ///< `DRAM read 4.58 TB/s`, `DRAM peak 4.81 TB/s` if theoretical
  CeilingKind kind = CeilingKind::bandwidth;
  CeilingSource source = CeilingSource::measured;
  std::string subject;  ///< memory level or precision
  double value = 0;
  bool is_tensor = false;
  /// Its place in `palette::kFamilies` where the roofs themselves are told apart by colour.
  std::optional<std::size_t> family = std::nullopt;
  std::string id = {};  ///< of the ceiling
};

/// `ceiling` as a line.
RoofLine roof_line(const Ceiling& ceiling);

/// The intensity at which `bandwidth` bytes per second suffice for `rate` operations per second: there two
/// roofs meet.
double ridge_ai(double bandwidth, double rate);

/// The roofs of the experiment's device: the DRAM directions that its points need, and the theoretical peak
/// of DRAM; multiply-add and addition in the precisions of the points (in all of them where there are no
/// points), or everything in the selected ones. Fastest first, bandwidths before compute; the same holds for
/// the other two.
std::vector<RoofLine> dram_roofs(const Run& run, const ExperimentAnalysis& experiment,
                                 const ChartSelection& selection);

/// As `dram_roofs`, with the read bandwidth of each selected level, and only what was measured.
std::vector<RoofLine> level_roofs(const Run& run, const ExperimentAnalysis& experiment,
                                  const ChartSelection& selection);

/// The roofs of the device at this place: read bandwidths of every level and all compute roofs, measured and
/// theoretical, or those of them that are selected.
std::vector<RoofLine> all_roofs(const Run& run, const ChartSelection& selection,
                                std::size_t device = Run::kFirstDevice);

/// Whether a picture can show this: greater than zero, and not an absurd value from a broken file.
bool is_drawable(double value);

/// Whether the floating-point operations of a profiled kernel among `points` need the pipe of this compute
/// ceiling longest.
bool is_roof_of_program(const Ceiling& ceiling, const std::vector<RooflinePoint>& points);

/// How a family of points is told from others: its colour, by its place in `palette::kFamilies`, and its
/// shape, by its place in `shape_names`. Without a colour it is grey.
struct FamilyLook {
  std::optional<std::size_t> colour = 0;
  std::size_t shape = 0;
};

/// The look of the family with this place among the others: the first 36 differ in colour, shape or both.
FamilyLook look_of(std::size_t family);

/// The look of a program's kernels with this bound, in every picture and on the page; grey where it is
/// unknown. There are more bounds than colours that can be told apart: what calls for the same remedy shares
/// one, and differs in shape.
FamilyLook look_of(Bound bound);

/// The colour of a look.
Colour family_colour(const FamilyLook& look);

/// Points that have a look in common.
struct Family {
  std::string name;
  FamilyLook look;
};

struct Range {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return value >= low && value <= high; }
  void extend_to(double value) { *this = {std::min(low, value), std::max(high, value)}; }
};

/// To be extended: of no value.
inline constexpr Range kEmptyRange = {1e300, 0};

struct PlanePoint {
  double ai = 0;
  double flop_per_s = 0;
};

/// A part of the plane of intensity and performance.
struct Window {
  Range ai;
  Range flop_per_s;

  bool holds(const PlanePoint& point) const {
    return ai.holds(point.ai) && flop_per_s.holds(point.flop_per_s);
  }
  void extend_to(const PlanePoint& point) {
    ai.extend_to(point.ai);
    flop_per_s.extend_to(point.flop_per_s);
  }
};

/// The kinds of roofs that a picture of roofs alone tells apart, in the order of their colours.
inline constexpr std::array<std::string_view, 4> kRoofKinds = {"memory", "Tensor Cores", "floating point",
                                                               "integers"};

/// Where a point lies at one level of the memory hierarchy.
struct LevelMark {
  MemoryLevel level = MemoryLevel::dram;
  std::optional<PlanePoint> at;  ///< useful performance over useful operations per byte of the level
  std::string title;             ///< everything in one sentence
  std::string utilisation;       ///< of the level's ceiling
  bool is_limiting = false;
};

/// One point with the texts of its row in the ladder; `format::kUnavailable` where there is no number.
struct ChartPoint {
  std::string label;
  std::string title;       ///< everything in one sentence
  std::size_t family = 0;  ///< index into `ChartModel::families`
  FamilyLook look;         ///< of its family
  /// Useful work; for a kernel of a profiled program, which has nothing declared, the executed work.
  std::optional<PlanePoint> useful;
  std::optional<PlanePoint> executed;      ///< only where it differs from `useful` by 2 % or more
  std::optional<Range> useful_flop_per_s;  ///< 95 % confidence interval
  /// What NVLink allows at the point's own intensity there, where that is less than the other roofs allow.
  std::optional<double> link_flop_per_s;
  std::optional<double> fraction_of_roofline;
  std::string fraction;              ///< the same in words: `97.2 %`, `≥ 95.1 %`
  std::optional<double> dram_share;  ///< of the measured bandwidth of DRAM
  std::string time;
  std::string dram_bytes_per_element;
  std::string warp_efficiency;
  std::string nonpred_warp_efficiency;
  std::string redundancy;
  std::vector<LevelMark> levels;  ///< those that were counted, of the chart's
  std::string limit;              ///< the limiting level and its utilisation
  std::string bound;              ///< `issue slots`
  bool is_flagged = false;        ///< among `ChartModel::flags`
  /// Of the GPU time, for a kernel of a profiled program: the area of its mark.
  std::optional<double> share;
  bool is_labelled = true;  ///< whether the mark has its name beside it, where there is room
  /// For a program's kernel, its place in the list, which precedes its name, or replaces it at a mark: names
  /// are long, and some look alike.
  std::size_t rank = 0;
  std::string share_text;
  std::string launches;
  std::string recoverable;
};

struct ChartModel {
  std::string title;
  std::string subtitle;
  std::string provenance;  ///< see `provenance`
  std::string flags;       ///< what to know before believing points: `noisy: V3, V7; failed: V2`
  std::string tool;        ///< name, version and commit
  std::string operations;  ///< what the axes count: `FLOP`; `OP` where operations of integers are among them
  Window axes;
  std::vector<RoofLine> roofs;  ///< fastest first; bandwidths before compute
  /// Where the memory roof of most points meets the compute roofs; only if one memory level is drawn.
  std::vector<PlanePoint> ridges;
  std::vector<MemoryLevel> levels;  ///< that points have a mark for; empty if only for the useful one
  std::vector<Family> families;
  std::vector<ChartPoint> points;     ///< one for each of the experiment, in its order
  bool is_of_program = false;         ///< whether the points are kernels of a profiled program
  std::optional<Window> detail;       ///< the part of the axes where three points or more lie close together
  std::string list_title = "Ladder";  ///< of the points beside the chart
};

/// Points at their DRAM intensity under the roofs of DRAM.
ChartModel chart_model(const Run& run, const ExperimentAnalysis& experiment,
                       const ChartSelection& selection = {});

/// Points at their intensity at every level (of the selected ones) under the roofs of the levels; no executed
/// marks.
ChartModel levels_model(const Run& run, const ExperimentAnalysis& experiment,
                        const ChartSelection& selection = {});

/// Places of the points in the order in which a list shows them: for a program's kernels those that took
/// longest first, else in the order of the experiment.
std::vector<std::size_t> list_order(const ChartModel& chart);

/// `chart` with only the `most` points that took most of a program's time, the longest first, if there are
/// more.
ChartModel with_longest(ChartModel chart, std::size_t most);

/// Whether traffic other than that of DRAM was counted, so that `levels_model` shows more than `chart_model`.
bool has_levels(const ExperimentAnalysis& experiment);

/// The roofs of the device at this place in the run and no points.
ChartModel ceilings_model(const Run& run, const ChartSelection& selection = {},
                          std::size_t device = Run::kFirstDevice);

// What stands above and below a picture.

/// The device at this place in the run, when it was measured, and what the points have in common.
std::string subtitle(const Run& run, std::size_t place, const std::vector<RooflinePoint>& points);

/// `rooflinectl 0.1.0 (4fa4437848f1)`
std::string tool_text(const Run& run);

/// How the numbers came about: `measured`, `replayed`, where it applies `declared, not counted`, and which
/// points are missing.
std::string provenance(const Run& run, const ExperimentAnalysis& experiment);

/// `incomplete, 2 of 14 points are missing: V7, V8`, with the first few names; empty where none is.
std::string missing_text(const ExperimentAnalysis& experiment);

/// What a headline calls the devices: `NVIDIA H200`, `2 × NVIDIA H200`, `a recording of NVIDIA H200`.
std::string device_text(const Run& run);

/// What a headline begins with where the numbers are not those of a complete, current run: `Replayed: `,
/// `Incomplete: `, `Replayed, incomplete: `; else nothing.
std::string headline_prefix(const Run& run, bool is_incomplete);

// Points as pictures show them.

/// Its mark, and the texts of its row, without its family and levels.
ChartPoint chart_point(const RooflinePoint& point);

/// Where it lies at those of its levels that are in `levels`.
std::vector<LevelMark> level_marks(const RooflinePoint& point, const std::vector<MemoryLevel>& levels);

/// The place of the point's family in `families`, to which it is added if it is new.
std::size_t family_index(std::vector<Family>& families, const RooflinePoint& point);

/// `noisy: V3, V7; cache-resident: V2`
std::string flagged_points(const std::vector<RooflinePoint>& points);

/// The window around the largest group of points that lie close together (each within a factor of six of
/// another one, both in intensity and in performance), with their executed marks and some room. Nothing if no
/// three points do.
std::optional<Window> detail_window(const std::vector<ChartPoint>& points);

// Names of the files of pictures.

/// What follows the kind of picture and a hyphen in the file names of each of `experiments`: its name. A name
/// that is not plain, which no plan has but somebody else's run.json may have, becomes plain: it never leads
/// out of the folder, is never too long, and contains part of its hash. Where two are still the same, or
/// differ only in capitals, which some file systems ignore, the later one gets `-2`, `-3`, ….
std::vector<std::string> chart_file_names(const std::vector<std::string>& experiments);

/// `roofline-ladder`. No kind begins with another and a hyphen, so that pictures of different kinds never
/// have the same name.
inline std::string chart_file_name(std::string_view kind, std::string_view name) {
  return std::string(kind) + "-" + std::string(name);
}

/// The picture that stands for the run: that of the first experiment, or of the ceilings where there is none.
inline constexpr std::string_view kFirstChartFileName = "roofline";

/// The picture of the ceilings of the device at this place in the run, where there are no experiments:
/// `roofline`, `roofline-device-1`, …
std::string ceilings_chart_file_name(std::size_t device);

/// The picture of the primitives.
inline constexpr std::string_view kPrimitivesFileName = "primitives";

/// The picture of collectives.
inline constexpr std::string_view kCollectivesFileName = "collectives";

/// The kinds of pictures of an experiment: its points over DRAM, over all memory levels, against size, their
/// energy, a program's time, and points against the number of GPUs.
inline constexpr std::string_view kRooflineKind = "roofline";
inline constexpr std::string_view kLevelsKind = "levels";
inline constexpr std::string_view kSizeSweepKind = "bandwidth";
inline constexpr std::string_view kEnergyKind = "energy";
inline constexpr std::string_view kTimeKind = "time";
inline constexpr std::string_view kScalingKind = "scaling";
/// Narrow, for `summary.md`.
inline constexpr std::string_view kSummaryRooflineKind = "summary_roofline";
inline constexpr std::string_view kSummarySizeSweepKind = "summary_bandwidth";

}  // namespace rooflinectl
