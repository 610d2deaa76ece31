// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// What one kernel could save in place of several that go over the same data one after another.
namespace rooflinectl {

/// DRAM-bound kernels with few operations, of one launch shape, that take nearly all of the time within an
/// NVTX range: as the passes of an optimizer over its parameters do.
struct FusionSaving {
  std::string path;                           ///< of the range
  std::vector<const RooflinePoint*> kernels;  ///< the one that took longest first
  double total_s = 0;                         ///< of their traced launches
  double bytes = 0;  ///< that one pass of each moves through DRAM, as often as it runs, together
  double fewest_bytes =
      0;  ///< of these, those of the pass that moves most: one kernel needs at least as many
  /// The most that one kernel could save: the part of the time for the bytes beyond.
  double recoverable_s = 0;
  std::optional<double> recoverable_per_step_s;  ///< nothing where the number of steps is unknown
};

/// The one that could save most among `groups`, which are all of a program on its device. Nothing where there
/// are none.
std::optional<FusionSaving> fusion_saving(const std::vector<const RooflinePoint*>& groups,
                                          std::optional<double> steps);

}  // namespace rooflinectl
