// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analysis/analysis.h"

/// The numbers of a point that follow from its counters, times and ceilings: what the rules in `rules.cpp`
/// judge, and what differs from one version of a kernel to the next. Each is defined once, with its name,
/// unit and formula, in the file of its subject in this folder; docs/reference/quantities.csv
/// lists them.
namespace rooflinectl {

/// How a number is shown.
enum class Unit { count, ratio, factor, bytes, bytes_per_s, seconds };

/// `count`, `ratio`, `factor`, `bytes`, `bytes/s`, `s`
std::string_view to_string(Unit unit);

/// What a difference in a quantity between two versions of a kernel means.
struct ChangeMeaning {
  std::string_view fell;  ///< `fewer instructions`
  std::string_view rose;
  bool is_exact = true;  ///< free of noise: the same in every run of the same code on the same data
  bool is_cost = true;   ///< less of it makes a kernel faster; else more of it does
};

/// A number that every point may have; nothing where a counter, a ceiling or the time is missing.
struct Quantity {
  std::string_view name;
  Unit unit = Unit::count;
  std::string_view formula;  ///< for documents: counters and ceilings by their ids
  std::optional<double> (*of)(const Run&, const RooflinePoint&) = nullptr;
  /// Nothing for what is not compared between versions.
  std::optional<ChangeMeaning> change = std::nullopt;
  /// Whether it takes more than counts and times: the work that a variant declares, or its size. Kernels of
  /// profiled programs have no such numbers.
  bool is_of_declared_work = false;
  /// Whether a point has nothing that it could be a ratio of: then no condition on it holds. Null where that
  /// cannot be.
  bool (*is_of_nothing)(const RooflinePoint&) = nullptr;
};

/// Those that are compared between versions, in the order in which a point's facts show them.
std::span<const Quantity* const> compared_quantities();

namespace quantity {

// Times and samples.
extern const Quantity kTime;
extern const Quantity kEmptyLaunch;
extern const Quantity kLaunchMultiple;
extern const Quantity kLaunchShare;
extern const Quantity kLaunchesPerSample;
extern const Quantity kThrottledSamples;
extern const Quantity kSamples;
extern const Quantity kOverlappedShare;

// Utilisation of what the device offers.
extern const Quantity kFractionOfRoof;
extern const Quantity kL1Utilisation;
extern const Quantity kDramShare;
extern const Quantity kL2Share;
extern const Quantity kSharedShare;
extern const Quantity kNvlinkShare;
extern const Quantity kFp64Share;
extern const Quantity kFp32Share;
extern const Quantity kFp16Share;
extern const Quantity kInt32Share;
extern const Quantity kAluShare;
extern const Quantity kXuShare;
extern const Quantity kTensorShare;
extern const Quantity kTensorShareAtClock;
extern const Quantity kTensorShareSustained;
extern const Quantity kIssueUtilisation;

// Blocks, warps and registers.
extern const Quantity kOccupancy;
extern const Quantity kTheoreticalOccupancy;
extern const Quantity kBarrierStallShare;
extern const Quantity kMemoryStallShare;
extern const Quantity kSharedStallShare;
extern const Quantity kDependencyStallShare;
extern const Quantity kMemoryQueueStallShare;
extern const Quantity kSharedQueueStallShare;
extern const Quantity kPipeStallShare;
extern const Quantity kFenceStallShare;
extern const Quantity kWgmmaStallShare;
extern const Quantity kFetchStallShare;
extern const Quantity kBlocksPerSm;
extern const Quantity kWaves;
extern const Quantity kIdleRoom;
extern const Quantity kTailLoss;
extern const Quantity kRegistersPerThread;
extern const Quantity kSpilledBytes;
extern const Quantity kRegisterSlack;

// Bytes, bytes in flight, atomics, accesses.
extern const Quantity kDramBandwidth;
extern const Quantity kDramBytesPerElement;
extern const Quantity kDramBytesPerLaunch;
extern const Quantity kL2BytesPerLaunch;
extern const Quantity kL2BytesPerElement;
extern const Quantity kSharedBytesPerElement;
extern const Quantity kDramWriteShare;
extern const Quantity kDeclaredBytes;
extern const Quantity kTrafficExcess;
extern const Quantity kL2Excess;
extern const Quantity kColdShortfall;
extern const Quantity kBytesInFlightPerThread;
extern const Quantity kLoadRounds;
extern const Quantity kBytesInFlight;
extern const Quantity kMemoryLatency;
extern const Quantity kInFlightShare;
extern const Quantity kAtomicsPerElement;
extern const Quantity kAtomicsPerResult;
extern const Quantity kAtomicsPerLaunch;
extern const Quantity kAtomicTimeShare;
extern const Quantity kSharedWavefronts;
extern const Quantity kWavefrontExcess;
extern const Quantity kLoadSectorEfficiency;
extern const Quantity kStoreSectorEfficiency;

// Instructions and operations, and the lanes that execute them.
extern const Quantity kFlopsPerElement;
extern const Quantity kFlopsPerLaunch;
extern const Quantity kInstructionsPerLaunch;
extern const Quantity kRedundancy;
extern const Quantity kUsefulIntensity;
extern const Quantity kExecutedIntensity;
extern const Quantity kInstructionsPerElement;
extern const Quantity kInstructionsPer32Elements;
extern const Quantity kIntegerInstructionsPerElement;
extern const Quantity kWarpEfficiency;
extern const Quantity kNonpredWarpEfficiency;
extern const Quantity kPredicatedOff;
extern const Quantity kBranchDivergence;
extern const Quantity kUnvectorised;

}  // namespace quantity

}  // namespace rooflinectl
