// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/model/plan.h"

namespace rooflinectl {

/// How long a plan will probably take to measure.
struct TimeEstimate {
  double points_s = 0;         ///< of all points and primitives
  double ceilings_s = 0;       ///< of the plan's ceilings, if none of them is known yet
  std::size_t known = 0;       ///< points that an earlier run has
  std::size_t unknown = 0;     ///< the others, estimated by a rule
  std::filesystem::path like;  ///< the earlier run with the most of these points; empty if none has any
};

/// Estimates from `runs`, the files of earlier runs, of which the first with the most points of the plan
/// counts: each of these points takes as long as a point there on average. Any other takes 0.2 s, and for
/// sampling its time limit, but no more than 0.6 s; a primitive takes 0.03 s, and a ceiling 0.5 s, as on
/// H200s. Runs that cannot be read, and those of programs, are not used.
TimeEstimate estimate_time(const Plan& plan, const std::vector<std::filesystem::path>& runs);

}  // namespace rooflinectl
