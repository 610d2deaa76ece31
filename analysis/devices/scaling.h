// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// How the time of points over several GPUs changes with their number.
namespace rooflinectl {

/// strong: the same elements on more GPUs. weak: as many elements on each of more GPUs.
enum class ScalingKind { strong, weak };

/// A number of GPUs on a curve.
struct ScalingStep {
  int gpus = 1;
  const RooflinePoint* point = nullptr;
  double time_s = 0;
  double bytes_per_s = 0;  ///< declared bytes of all GPUs over the time
  /// The elements per second over those of one GPU.
  double speedup = 1;
  double efficiency = 1;  ///< speedup / gpus
  /// What the work of one GPU needs at least at the measured ceilings, for its arithmetic and for its bytes
  /// in memory. They overlap. Nothing where a ceiling was not measured.
  std::optional<double> compute_s;
  std::optional<double> memory_s;
  /// What comes after them at least, where there are several GPUs: one message across NVLink (half of the
  /// round trip of a load from another GPU's memory), and the declared bytes at its bandwidth. Nothing where
  /// these were not measured.
  std::optional<double> link_s;
  /// The speed-up if only the links limited it: each GPU does its share as fast as one GPU does all, and
  /// only `link_s` is added.
  std::optional<double> reachable_speedup;
  /// What one GPU takes for its share alone: a point of the same variant over one GPU, in the run. Nothing
  /// where there is none.
  std::optional<double> share_s;
  /// What is added to it: starting all GPUs, the links, waiting for the slowest. Nothing without `share_s`;
  /// not below 0.
  std::optional<double> gathering_s;

  /// The longer of `compute_s` and `memory_s`.
  std::optional<double> roof_s() const;
};

/// One variant with everything fixed except the number of GPUs and, with it, of elements.
struct ScalingCurve {
  std::string label;               ///< `multi best 2^28`
  std::uint64_t size = 0;          ///< elements of all GPUs, or of each
  std::vector<ScalingStep> steps;  ///< one GPU first, then by their number
};

struct Scaling {
  ScalingKind kind = ScalingKind::strong;
  std::vector<ScalingCurve> curves;  ///< by variant in the order of the plan, then by size
  /// Why there is no `link_s`; empty where there is.
  std::string link_missing;
};

/// The curves of an experiment: those of one kind that have one GPU and at least one other number of them.
/// strong where points of one size have several numbers of GPUs; else weak. Nothing where there are none.
std::optional<Scaling> scaling(const Run& run, const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
