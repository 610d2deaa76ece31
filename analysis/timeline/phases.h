// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/timeline_view.h"

namespace rooflinectl {

/// A part of the window, without what was used in it.
struct PhaseSpan {
  std::string name;
  std::uint64_t start_ns = 0;
};

struct PhaseSpans {
  PhaseRule rule = PhaseRule::none;
  std::vector<PhaseSpan> spans;  ///< each up to the next one
};

/// What a part of the window uses, as shares.
struct Regime {
  double dram = 0;    ///< of the bandwidth
  double tensor = 0;  ///< of the Tensor Cores' time
  double flops = 0;   ///< of the compute ceiling; of the window's highest rate where there is none
};

/// The window's phases by NVTX ranges, of the process that launched most in it.
///
/// The host runs ahead of the device, so the ranges are those of the launches, by when these ran: launches
/// that follow each other with the same outermost names of their paths are one phase. The depth, which is the
/// number of names compared, is the smallest that gives 5 to 200 phases or, if none does, the one that gives
/// most of them without exceeding 200. What lasts less than a 1000th of the window, for example a kernel of
/// another stream, does not separate two phases; a depth at which more than a 50th of the window is that
/// short gives no phases.
///
/// Launches that follow each other in the same range cannot be told apart by it. Where all of them are in one
/// range, the host's passages separate them, at the depth that the same rule chooses; their times are those
/// of the host.
PhaseSpans phases_by_ranges(const Run& run, const Timeline& timeline, const DeviceTimeline& device,
                            std::uint64_t start_ns, std::uint64_t end_ns);

/// The same by changes of what is used: `regimes` has equally long parts of the window, which are joined to
/// their neighbours, the most alike first, until all neighbours differ by 15 points or more in one of the
/// shares.
PhaseSpans phases_by_regimes(const std::vector<Regime>& regimes, std::uint64_t start_ns,
                             std::uint64_t end_ns);

/// Into how many parts a window is divided to find changes.
inline constexpr std::size_t kRegimeBins = 200;

}  // namespace rooflinectl
