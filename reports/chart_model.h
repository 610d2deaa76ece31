// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// What the picture of one experiment says, in FLOP per byte and FLOP per second; where on paper is decided
/// by `chart_layout.h`.
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

/// A ceiling as a line: `value` bytes per second (a diagonal) or FLOP per second (level).
struct RoofLine {
  std::string text;  ///< `DRAM read 4.58 TB/s`, `DRAM peak 4.81 TB/s` if theoretical
  CeilingKind kind = CeilingKind::bandwidth;
  CeilingSource source = CeilingSource::measured;
  double value = 0;
};

/// Where the memory roof that most points are held against meets a compute roof.
struct Ridge {
  double ai = 0;
  double flop_per_s = 0;
};

struct PlanePoint {
  double ai = 0;
  double flop_per_s = 0;
};

/// One point with the texts of its row in the ladder; `format::kUnavailable` where there is no number.
struct ChartPoint {
  std::string label;
  std::string title;       ///< everything in one sentence
  std::size_t family = 0;  ///< index into `ChartModel::families`
  std::optional<PlanePoint> useful;
  std::optional<PlanePoint> executed;      ///< only where it differs from `useful` by 2 % or more
  std::optional<Range> useful_flop_per_s;  ///< 95 % confidence interval
  std::optional<double> fraction_of_roof;
  std::string time;
  std::string dram_bytes_per_element;
  std::string warp_efficiency;
  std::string nonpred_warp_efficiency;
  std::string redundancy;
  std::string bound;  ///< or the flag that matters more: `failed`, `unverified`, `noisy`, …
};

struct ChartModel {
  std::string title;
  std::string subtitle;
  std::string provenance;  ///< `measured`, `replayed`, with `declared, not counted` where that is so
  std::string tool;        ///< name, version and commit
  Window axes;
  std::vector<RoofLine> roofs;  ///< fastest first; bandwidths before compute
  std::vector<Ridge> ridges;
  std::vector<std::string> families;
  std::vector<ChartPoint> points;  ///< one for each of the experiment, in its order
  std::optional<Window> crowd;     ///< the part where three points or more lie close together
};

ChartModel chart_model(const Run& run, const ExperimentAnalysis& experiment);

/// `DRAM read` for a ceiling.
std::string ceiling_name(const Ceiling& ceiling);

/// How the numbers of these points came about: `measured`, `replayed`, and `declared, not counted` where that
/// is so.
std::string provenance(const Run& run, const std::vector<RooflinePoint>& points);

}  // namespace rooflinectl
