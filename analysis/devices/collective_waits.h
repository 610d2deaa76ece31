// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/program/application.h"

namespace rooflinectl {

/// How long one launch of a collective's kernel waited for others.
struct CollectiveWait {
  std::size_t process = 0;  ///< its place in `Application::processes`
  std::size_t kernel = 0;   ///< its place in `Application::collectives`
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
  std::uint64_t wait_ns = 0;  ///< beyond the shortest time of the same collective on any rank
  bool is_last = false;       ///< it was the shortest: it began last, and the others waited for it
};

/// A collective whose launches were found on several processes.
struct MatchedCollective {
  std::size_t kernel = 0;  ///< of one of them: its place in `Application::collectives`
  std::size_t processes = 0;
  std::uint64_t shortest_ns = 0;  ///< of the one that came last, and so did not wait
};

/// Collectives whose launches were matched with those of other processes.
struct CollectiveWaits {
  std::vector<MatchedCollective> judged;
  std::vector<CollectiveWait> launches;  ///< of those
  /// Not judged: the ranks waited for one that was held (`Holds`).
  std::uint64_t set_aside = 0;
};

/// The same collective ends on all its ranks at the same time, to within 50 µs and the uncertainty of the
/// clocks; hosts whose clocks are not aligned with that of the first host are left out.
CollectiveWaits collective_waits(const Application& application);

}  // namespace rooflinectl
