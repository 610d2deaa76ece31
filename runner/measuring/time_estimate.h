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
  double ceilings_s = 0;       ///< of the plan's ceilings, where none of them is known from before
  std::size_t known = 0;       ///< points that an earlier run took
  std::size_t unknown = 0;     ///< the others, for which a rule stands
  std::filesystem::path like;  ///< the earlier run with the most of the points; empty where none has any
};

/// Estimates from `runs`, files of earlier ones, of which the first with the most points of the plan counts:
/// each of these points takes the mean of a point there. Any other takes 0.2 s, and sampling up to its time
/// limit, but no more than 0.6 s; a primitive takes 0.03 s, and a ceiling 0.5 s: what H200s took. Runs that
/// cannot be read, and those of programs, tell nothing.
TimeEstimate estimate_time(const Plan& plan, const std::vector<std::filesystem::path>& runs);

}  // namespace rooflinectl
