// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/model/counters.h"
#include "core/stats/repeated_counters.h"

namespace rooflinectl {

/// What was counted of the launches of one group, by pass. A launch is counted in one pass.
using CountedPasses = std::map<std::string, AveragedCounters, std::less<>>;

/// The keys that each pass has counted, of any group.
using PassKeys = std::map<std::string, std::set<std::string>, std::less<>>;

/// Why a group has no launch that was counted in that pass.
using MissingReason = std::function<std::string(const std::string& pass)>;

/// The counters of a group: of each pass the mean over its launches. What was not counted, and what does not
/// stand up to these checks, is unavailable with its reason:
/// - Instrumentation and hardware count the instructions of warps in different passes. Where they differ by
///   more than 5 %, the launches did not do the same, or the instrumentation has failed.
/// - Bulk copies (TMA) and wgmma go past the counters of L1 and shared memory. Where L1 moved less than 0.9
///   of the bytes that it requested from L2, its bytes and those of shared memory are not all of them.
RepeatedCounters counters_of_group(const CountedPasses& counted, const PassKeys& keys,
                                   const MissingReason& missing);

}  // namespace rooflinectl
