// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "reports/draw/theme.h"

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

}  // namespace rooflinectl
