// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"
#include "reports/text/text_table.h"

/// Bandwidth against size: what a roofline cannot show, since all sizes of a sum have the same intensity.
namespace rooflinectl {

struct SweepPoint {
  double n = 0;
  double bytes_per_s = 0;  ///< declared bytes over the median time
};

/// A version, which is a variant at one block size and number of elements per thread in one launch mode, in
/// one cache state.
struct SweepCurve {
  std::size_t version = 0;  ///< index into `SizeSweep::versions`
  CacheState cache = CacheState::cold;
  std::vector<SweepPoint> points;  ///< by ascending size
};

/// The curves of one element type.
struct SweepPanel {
  Dtype dtype = Dtype::f32;
  std::vector<SweepCurve> curves;
};

/// An experiment over many sizes; ceilings and L2 are those of its device.
struct SizeSweep {
  std::optional<double> dram_read_bytes_per_s;  ///< measured
  std::optional<double> launch_s;               ///< of an empty kernel, timed as the points were
  double l2_bytes = 0;
  std::vector<std::string> versions;  ///< unique labels, in the order of the plan
  std::vector<SweepPanel> panels;     ///< one for each type, in the order of the plan
};

/// Whether an experiment has a curve to draw: four sizes or more of one version.
bool has_size_sweep(const ExperimentAnalysis& experiment);

SizeSweep size_sweep(const Run& run, const ExperimentAnalysis& experiment);

/// Time of a reference over that of a version.
struct Speed {
  std::optional<double> factor;       ///< nothing where one of them was not measured
  bool is_timed_differently = false;  ///< one in CUDA graphs, one launch by launch: no factor
};

/// How much faster one version is than another at every size, in every type.
struct SpeedTable {
  std::string version;
  std::string reference;  ///< a variant of the family `reference`
  CacheState cache = CacheState::cold;
  std::vector<Dtype> dtypes;
  std::map<std::uint64_t, std::vector<Speed>> rows;  ///< by size, for each type
};

/// `1.03×`, `–`, `timed differently`
std::string speed_text(const Speed& speed);

/// For every pair of a version and a reference that were measured at four sizes or more.
std::vector<SpeedTable> speed_tables(const Run& run, const ExperimentAnalysis& experiment);

/// A row for each size, a column for each type.
Table speed_table(const SpeedTable& speeds);

/// Under the title of `chart` a panel for each type: bandwidth over the number of elements, the
/// DRAM read ceiling, the line that the launch alone allows, and the size of L2.
Scene size_sweep_scene(const ChartModel& chart, const SizeSweep& sweep, Extent extent = Extent::full);

}  // namespace rooflinectl
