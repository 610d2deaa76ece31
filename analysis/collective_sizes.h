// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/collective_waits.h"
#include "core/model/application.h"
#include "core/model/collective.h"

namespace rooflinectl {

/// Collectives of a program of one kind and size, whatever their NVTX ranges.
struct CollectiveSize {
  Collective collective = Collective::all_reduce;
  std::size_t ranks = 0;
  std::uint64_t count = 0;
  /// The array's bytes, and the median time of the rank that came last, which has not waited.
  CollectiveTime time;
};

/// Those of `collectives` whose kind and bytes are known; the ones that took longest together first.
std::vector<CollectiveSize> collective_sizes(const Application& application,
                                             const std::vector<MatchedCollective>& collectives);

}  // namespace rooflinectl
