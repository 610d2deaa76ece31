// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/devices/collective_waits.h"
#include "core/model/collective.h"
#include "core/model/run.h"

namespace rooflinectl {

/// Collectives of a program of one kind and size, whatever their NVTX ranges.
struct CollectiveSize {
  Collective collective = Collective::all_reduce;
  std::size_t ranks = 0;
  std::uint64_t count = 0;
  /// The array's bytes, and the median time of the rank that came last, and so has not waited.
  CollectiveTime time;
  /// How long it takes on the same devices with nothing else running on them, according to
  /// `Run::collectives`. Nothing where that was not measured, or was over another number of devices.
  std::optional<double> alone_s;

  /// What the rank that came last took longer than that; negative where it was faster.
  std::optional<double> beyond_alone_s() const;
};

/// Those of `collectives` whose kind and bytes are known; the ones that took longest together first. `run`
/// has an application.
std::vector<CollectiveSize> collective_sizes(const Run& run,
                                             const std::vector<MatchedCollective>& collectives);

}  // namespace rooflinectl
