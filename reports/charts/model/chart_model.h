// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "reports/charts/model/family_look.h"
#include "reports/charts/model/roof_lines.h"

/// What a picture shows, in operations per byte and per second; where on the picture is decided by
/// the layouts (`layouts.h`).
namespace rooflinectl {

struct Range {
  double low = 0;
  double high = 0;
};

/// A part of the plane of intensity and performance.
struct Window {
  Range ai;
  Range flop_per_s;
};

/// The kinds of roofs that a picture of roofs alone tells apart, in the order of their colours.
inline constexpr std::array<std::string_view, 4> kRoofKinds = {"memory", "Tensor Cores", "floating point",
                                                               "integers"};

/// Where the memory roof of most points meets a compute roof.
struct Ridge {
  double ai = 0;
  double flop_per_s = 0;
};

struct PlanePoint {
  double ai = 0;
  double flop_per_s = 0;
};

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
  std::string provenance;  ///< see chart_texts.h
  std::string flags;       ///< what to know before believing points: `noisy: V3, V7; failed: V2`
  std::string tool;        ///< name, version and commit
  std::string operations;  ///< what the axes count: `FLOP`; `OP` where operations of integers are among them
  Window axes;
  std::vector<RoofLine> roofs;      ///< fastest first; bandwidths before compute
  std::vector<Ridge> ridges;        ///< only where one memory level is drawn
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

}  // namespace rooflinectl
