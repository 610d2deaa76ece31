// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/run.h"
#include "core/program/timeline.h"

/// What the devices of a program's ranks did over time, beside each other.
namespace rooflinectl {

/// The shares of a part of the time in which kernels ran.
struct LaneBin {
  double compute = 0;      ///< at least one that is not a collective
  double collectives = 0;  ///< collectives alone
};

/// One device.
struct RankLane {
  std::size_t device = 0;  ///< its place in `Run::devices`
  /// Nothing where the device was not sampled. All parts are `RankLanes::bin_ns` long.
  std::vector<std::optional<LaneBin>> bins;
};

struct RankLanes {
  std::uint64_t start_ns = 0;  ///< since time 0 of the run
  std::uint64_t bin_ns = 0;
  std::vector<RankLane> lanes;  ///< by device
};

/// The most parts that a lane has.
inline constexpr std::size_t kMostLaneBins = 600;

/// Nothing where no two devices were sampled at the same time, for a twentieth of all, while a program ran.
std::optional<RankLanes> rank_lanes(const Run& run, const Timeline& timeline);

}  // namespace rooflinectl
