// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/devices/collective_waits.h"
#include "core/model/run.h"
#include "core/program/collective.h"

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

  /// Bytes per second of `time` on the links: see `bus_bytes_per_s`.
  double bus_bytes_per_s() const;
  /// The same if it took `alone_s`.
  std::optional<double> alone_bus_bytes_per_s() const;
  /// What the rank that came last took longer than `alone_s`; negative where it was faster.
  std::optional<double> beyond_alone_s() const;
  /// `alone_s` over what that rank took: the share of the bandwidth alone that is reached.
  std::optional<double> share_of_alone() const;
};

/// Collectives whose time alone is known, whatever their kind and size.
struct AgainstAlone {
  std::uint64_t count = 0;
  double time_s = 0;   ///< of the ranks that came last, together
  double alone_s = 0;  ///< what they take alone, together

  /// How much longer than alone they take: `time_s` / `alone_s` − 1. Negative where they are faster.
  double relative_excess() const;
};

/// Nothing where none of `sizes` has a time alone.
std::optional<AgainstAlone> against_alone(const std::vector<CollectiveSize>& sizes);

/// Those of `collectives` whose kind and bytes are known; the ones that took longest together first. `run`
/// has an application.
std::vector<CollectiveSize> collective_sizes(const Run& run,
                                             const std::vector<MatchedCollective>& collectives);

}  // namespace rooflinectl
