// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analysis/analysis.h"

/// What can be said of a point in numbers, for the rules of `rules.h`.
namespace rooflinectl {

/// How a number is shown.
enum class Unit { count, ratio, factor, bytes, bytes_per_s, seconds };

/// `count`, `ratio`, `factor`, `bytes`, `bytes/s`, `s`
std::string_view to_string(Unit unit);

/// A number that every point may have; nothing where a counter, a ceiling or the time is missing.
struct Quantity {
  std::string_view name;
  Unit unit = Unit::count;
  std::optional<double> (*of)(const Run&, const RooflinePoint&) = nullptr;
};

namespace quantity {

extern const Quantity kFractionOfRoof;
extern const Quantity kBusiest;  ///< highest utilisation of a memory level or of arithmetic
extern const Quantity kDramUtilisation;
extern const Quantity kL2Utilisation;
extern const Quantity kL1Utilisation;
extern const Quantity kSharedUtilisation;
extern const Quantity kCacheUtilisation;  ///< the highest of L2, L1 and shared memory
extern const Quantity kComputeUtilisation;
extern const Quantity kDramBandwidth;
extern const Quantity kTime;
extern const Quantity kEmptyLaunch;     ///< time of an empty kernel, timed as the point was
extern const Quantity kLaunchMultiple;  ///< `kTime` over `kEmptyLaunch`

/// Warp instructions over what the four schedulers of each SM can issue in the time, one per cycle.
extern const Quantity kIssueUtilisation;
extern const Quantity kInstructionsPerElement;

extern const Quantity kOccupancy;
extern const Quantity kBytesPerThread;  ///< compulsory bytes that are read, over the threads of the grid
/// Resident threads × `kBytesPerThread`, on the whole device: no thread has more under way than it reads.
extern const Quantity kBytesInFlight;
/// Little's law: memory ceiling × latency under load.
extern const Quantity kBytesNeeded;
extern const Quantity kBytesInFlightShare;  ///< `kBytesInFlight` over `kBytesNeeded`
/// DRAM bandwidth over what `kBytesInFlight` allows by Little's law.
extern const Quantity kInFlightUse;

extern const Quantity kAtomics;           ///< atomic operations in L2
extern const Quantity kAtomicsPerResult;  ///< the same per value that the algorithm writes
/// Time that the atomics need where each result takes one after another, over the time of the point.
extern const Quantity kAtomicTimeShare;

extern const Quantity kBarrierStallShare;  ///< of the cycles of resident warps, those spent at a barrier
extern const Quantity kBlocksPerSm;        ///< of the grid
extern const Quantity kWaves;              ///< grid over the blocks that the device holds at once
extern const Quantity kWaveBalance;        ///< work of all SMs over what the busiest would do on each
extern const Quantity kRegistersPerThread;
extern const Quantity kTheoreticalOccupancy;
extern const Quantity kRegisterSlack;  ///< blocks per SM that registers allow, over those that fit

extern const Quantity kWarpEfficiency;
extern const Quantity kPredicatedOff;  ///< share of lanes that are active but predicated off
extern const Quantity kBranchDivergence;
extern const Quantity kSharedWavefronts;  ///< per instruction
/// Wavefronts of shared memory over the fewest that its instructions and bytes need.
extern const Quantity kWavefrontExcess;
extern const Quantity kSharedInstructionShare;  ///< of all warp instructions
extern const Quantity kLoadSectorEfficiency;
extern const Quantity kStoreSectorEfficiency;
extern const Quantity kDramWriteShare;  ///< of the counted DRAM bytes
extern const Quantity kTrafficExcess;   ///< counted DRAM bytes over compulsory ones
extern const Quantity kRedundancy;
extern const Quantity kUsefulIntensity;
extern const Quantity kExecutedIntensity;
extern const Quantity kThrottledSamples;
extern const Quantity kSamples;

}  // namespace quantity

/// The latency of DRAM under load that Little's law is applied with: an assumption, not a measurement.
/// V6 on an H200 shows that it is below 660 ns there: 72 % of the threads resident with 8 bytes each reach
/// 2.37 TB/s.
inline constexpr double kAssumedLatencyS = 600e-9;

/// How long one address in L2 takes for an atomic addition: an assumption for every chip. On an H200 it is
/// three cycles of L2: `sum_atomic` over 2^28 elements takes this long for each.
inline constexpr double kAssumedAtomicS = 1.75e-9;

}  // namespace rooflinectl
