// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/stall_reasons.h"
#include "core/model/run.h"

/// What keeps a point from being faster: the words for it, and the rule by which it is found.
namespace rooflinectl {

struct Quantity;
struct RooflinePoint;

/// In the order in which pages and headlines list them.
enum class Bound {
  dram,
  l2,
  l1,
  shared,
  nvlink,
  fp64,
  fp32,
  fp16,
  int32,
  alu,
  xu,
  tensor,
  issue_slots,
  atomics,
  bytes_in_flight,
  launch_overhead,
  barriers,
  tail,
  other_kernels,
  memory_latency,
  instruction_latency,
  latency,
  communication,
  unknown,
};

/// The words for a bound. Tables, pictures, the page, `explain` and every file take them from here.
struct BoundWords {
  Bound bound = Bound::unknown;
  std::string_view id;       ///< in files and filters: `issue-slots`
  std::string_view label;    ///< after “bound by”, in tables: `issue slots`
  std::string_view phrase;   ///< in sentences: `issue-bound`
  std::string_view meaning;  ///< one sentence
  /// What decides on it: the share of the time that it needs, or for barriers and the tail the share that is
  /// lost. Null for the remaining ones: latencies, `communication` and `unknown`.
  const Quantity* quantity = nullptr;
};

/// Every bound, in the order of the enumeration.
std::span<const BoundWords> bound_words();

const BoundWords& words_for(Bound bound);

/// Whether it is an arithmetic pipe of the SMs.
bool is_pipe(Bound resource);

/// Whether no resource, but what warps wait for bounds a point.
bool is_latency(Bound bound);

/// The id: `issue-slots`.
std::string_view to_string(Bound bound);

/// The least share of a point's time that a resource needs: the work that it did, over the rate that it was
/// measured to allow, over the median time.
struct ResourceShare {
  Bound resource = Bound::unknown;
  double share = 0;
};

struct BoundVerdict {
  Bound bound = Bound::unknown;
  std::vector<ResourceShare> shares;  ///< of every resource that is known, the largest first
  /// What could not be judged, each with what is missing and how to get it.
  std::vector<std::string> unjudged;
  std::vector<StallShare> stalls;  ///< what warps wait for, as far as it was counted, the largest first
};

/// From this share of the time on, a resource bounds a point.
inline constexpr double kBoundShare = 0.6;

/// From this share on, what was counted of a resource bounds a point, whatever else was not counted: without
/// all other limits, it could be no more than a quarter faster.
inline constexpr double kCertainShare = 0.8;

/// Up to this many times an empty kernel, a launch is mostly overhead.
inline constexpr double kLaunchBoundFactor = 3;

/// So is, in a program, a launch whose mean time is less than this: about five times an empty kernel on every
/// current GPU. A faster kernel would hardly save anything; fewer launches would.
inline constexpr double kShortLaunchS = 3e-6;
bool is_short_launch(const Measurement& measurement);

/// From this share of what the schedulers issue on, a pipe bounds the point rather than they: its rate is no
/// higher than theirs, and some instructions are always of another kind.
inline constexpr double kPipeOfIssueSlots = 0.75;

/// From this share of their cycles on, what warps wait for is what a point is slow for, if no resource is.
inline constexpr double kMostStalls = 0.5;

/// From this share of the issue slots on, fewer instructions make a kernel faster that waits for their
/// results.
inline constexpr double kManyInstructions = 0.4;

/// Whoever shares the device for this part of a kernel's time is what it is slow beside.
inline constexpr double kMostlyBesideOthers = 0.5;

/// If fewer blocks per SM than this are launched, in a program, SMs without a block are what bounds it.
inline constexpr double kFewBlocksPerSm = 0.75;

/// From this many rounds of loads per thread on, there is work to share among more blocks. In measurements
/// with fewer rounds, more blocks cost more than they gained (kernels/reduction/best_table.h).
inline constexpr double kManyLoadRounds = 32;

/// What bounds `point`, of which levels, work and roof must be known (docs/internals/method.md, “Bounds”).
/// Never throws.
BoundVerdict verdict_of(const Run& run, const RooflinePoint& point);

}  // namespace rooflinectl
