// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/counters/counters.h"
#include "core/counters/decoded_tensor.h"
#include "core/stats/repeated_counters.h"
#include "runner/profiling/points/counted_launches.h"

namespace rooflinectl {

/// What was counted of the launches of one group, by pass. A launch is counted in one pass.
using CountedPasses = std::map<std::string, CountedLaunches, std::less<>>;

/// Why a group has no launch that was counted in that pass.
using MissingReason = std::function<std::string(const std::string& pass)>;

/// The counters of a group, and how they stand for launches that were not counted: as in `LaunchStatistics`.
struct GroupCounters {
  RepeatedCounters counted;
  std::optional<std::uint64_t> period;
  std::optional<double> scale;
  std::optional<WorkClusters> clusters;
};

/// For each pass the mean over its launches, as `CountedLaunches` has it; for a counter that several passes
/// have, that of the last. Instrumented launches have no times: where others are scaled by theirs, these are
/// by the instructions that the hardware counted. What was not counted, and what does not stand up to these
/// checks, is unavailable with its reason:
/// - Instrumentation and hardware count the instructions of warps in different passes. Where they differ by
///   more than 5 %, and by more than launches differ within a pass, the instrumentation has failed. The
///   hardware also counts what the trace adds to each of the `warps` of a launch (nothing for a graph); this
///   is left out.
/// - Bulk copies (TMA) bypass the counters of L1. Where L1 moved less than 0.9 of the bytes that it requested
///   from L2, its bytes and its sector efficiencies are incomplete; those of shared memory as well, where
///   the chip does not count what its matrix instructions read there (`has_matrix_bytes`).
/// - Where tensor instructions ran, but of none of the types that were counted, no type is known.
GroupCounters counters_of_group(const CountedPasses& counted, std::optional<double> warps,
                                const MissingReason& missing, const LaunchPattern& pattern = {},
                                bool has_matrix_bytes = true);

/// Adds operations of the Tensor Cores that no pass counted: they follow from the number of instructions and
/// from the machine code, if that has `operations`. Returns whether there are any.
bool derive_tensor_operations(RepeatedCounters& counted, const DecodedTensor& decoded);

}  // namespace rooflinectl
