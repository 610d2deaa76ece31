// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analysis/analysis.h"

/// The quantities of a point that the rules in `rules.h` use.
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
extern const Quantity kL1Utilisation;
extern const Quantity kDramBandwidth;
extern const Quantity kTime;
extern const Quantity kEmptyLaunch;        ///< time of an empty kernel, timed as the point was
extern const Quantity kLaunchMultiple;     ///< `kTime` over `kEmptyLaunch`
extern const Quantity kLaunchShare;        ///< `kEmptyLaunch` over `kTime`
extern const Quantity kLaunchesPerSample;  ///< more than one: in a CUDA graph

// Shares of the time of the point that resources need at least. Uncounted, DRAM and L2 are judged by the
// declared bytes, arithmetic by the declared operations.
extern const Quantity kDramShare;
extern const Quantity kL2Share;
extern const Quantity kSharedShare;  ///< wavefronts of 128 bytes, those of bank conflicts included
extern const Quantity kFp64Share;
extern const Quantity kFp32Share;
extern const Quantity kFp16Share;   ///< declared operations; counters see instructions of several uses
extern const Quantity kInt32Share;  ///< declared operations; counters include addresses and loops
extern const Quantity kTensorShare;
extern const Quantity kArithmeticShare;  ///< the highest of the five

/// Warp instructions over what the four schedulers of each SM can issue in the time, one per cycle.
extern const Quantity kIssueUtilisation;
extern const Quantity kInstructionsPer32Elements;

extern const Quantity kOccupancy;
extern const Quantity kBytesPerThread;  ///< compulsory bytes that are read, over the threads of the grid
/// How often a thread must wait for its loads: `kBytesPerThread` over what it has in flight at once, or over
/// 16 bytes, the widest load, where that is not declared.
extern const Quantity kLoadRounds;
/// Bytes that the blocks on the device at one time can have on their way: what each block keeps in flight, or
/// where that is not declared what it reads in all, times the resident blocks.
extern const Quantity kBytesInFlight;
/// Seconds that a byte of the input is on its way, unloaded: from DRAM, from L2, or the mean of what comes
/// from either.
extern const Quantity kMemoryLatency;
/// Little's law: the bytes read × `kMemoryLatency` ÷ `kBytesInFlight`, over the time. An unloaded latency is
/// the least, so this is the least share.
extern const Quantity kInFlightShare;

extern const Quantity kAtomics;           ///< atomic operations in L2
extern const Quantity kAtomicsPerResult;  ///< the same per value that the algorithm writes
/// Time that the atomics need where each result takes one after another, over the time of the point.
extern const Quantity kAtomicTimeShare;

extern const Quantity kBarrierStallShare;  ///< of the cycles of resident warps, those spent at a barrier
extern const Quantity kBlocksPerSm;        ///< of the grid
extern const Quantity kWaves;              ///< grid over the blocks that the device holds at once
extern const Quantity kIdleRoom;           ///< of the room for blocks on all SMs, the share left empty
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
extern const Quantity kLoadSectorEfficiency;
extern const Quantity kStoreSectorEfficiency;
extern const Quantity kDramWriteShare;  ///< of the counted DRAM bytes
extern const Quantity kTrafficExcess;   ///< counted DRAM bytes over compulsory ones
extern const Quantity kL2Excess;        ///< counted L2 bytes over compulsory ones
extern const Quantity kColdShortfall;   ///< `kTrafficExcess`, of points with cold caches alone
extern const Quantity kRedundancy;
extern const Quantity kUsefulIntensity;
extern const Quantity kExecutedIntensity;
extern const Quantity kThrottledSamples;
extern const Quantity kSamples;

}  // namespace quantity

}  // namespace rooflinectl
