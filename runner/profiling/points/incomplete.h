// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/program/profile_settings.h"
#include "runner/profiling/points/merge.h"

namespace rooflinectl {

/// A point of which a pass has counted no launch, although it could.
struct IncompletePoint {
  std::size_t place = 0;      ///< in `MergedProfile::measurements`
  double share = 0;           ///< of the time of all kernels
  std::vector<Pass> missing;  ///< in their order
};

/// Points with more than 1 % of the time of all kernels that another run of the program could complete, the
/// longest first.
std::vector<IncompletePoint> incomplete_points(const MergedProfile& profile);

/// Those that the next run is for: the ones whose first missing pass is the earliest. A kernel that is
/// launched once is counted in the first pass of a run, so that run must not be for a kernel that has this
/// pass already.
std::vector<IncompletePoint> points_of_next_run(const std::vector<IncompletePoint>& points);

/// What another run counts: no more than `points` lack. It also knows how long their kernels take, so it can
/// hold the program as long for them.
ProfileSettings settings_for(const std::vector<IncompletePoint>& points, const MergedProfile& profile,
                             ProfileSettings settings);

}  // namespace rooflinectl
