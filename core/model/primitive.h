// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/counters/counters.h"
#include "core/model/dtype.h"

namespace rooflinectl {

/// What became of something that was to be measured. skipped: this machine cannot do it, for want of GPUs or
/// of access between them.
enum class Status { ok, unverified, failed, skipped };

/// Who takes part in one operation.
enum class PrimitiveScope { warp, block, device };

/// A primitive as the rest of the tool sees it: an operation by which threads exchange values.
struct PrimitiveInfo {
  std::string id;      ///< `warp_scan_inclusive_i32_cub`
  std::string family;  ///< `shuffle`, `warp_scan`
  std::string title;   ///< what it does, the same whoever does it: `inclusive scan`
  std::string by;      ///< `ours`, `CUB`, `cooperative groups`
  Dtype dtype = Dtype::i32;
  PrimitiveScope scope = PrimitiveScope::warp;
  /// Instructions of one warp in one operation that take values from lane to lane: shuffles, votes, matches,
  /// reductions, accesses to shared memory. Nothing where their number differs from warp to warp.
  std::optional<int> instructions;

  bool operator==(const PrimitiveInfo&) const = default;
};

/// Cycles of one operation, over several launches.
struct Cycles {
  CounterValue median = CounterValue::unavailable("not measured");
  double ci_low = 0;  ///< 95 % confidence interval of the median, from order statistics
  double ci_high = 0;
  std::uint64_t elements = 0;         ///< that one operation takes
  std::optional<double> sm_clock_hz;  ///< where cycles come from a time: the clock by which it was multiplied
  std::vector<double> samples;        ///< one per launch

  bool operator==(const Cycles&) const = default;
};

/// Everything measured for one primitive.
struct PrimitiveResult {
  PrimitiveInfo info;
  Status status = Status::ok;
  std::string cause;  ///< why it failed or is unverified
  /// Cycles from one operation to the next that needs its result, with nothing else on the device.
  Cycles latency;
  /// SM cycles per operation, with as many independent operations under way as an SM holds. For an operation
  /// of the whole device: the cycles of all SMs together.
  Cycles throughput;
  std::size_t device = 0;  ///< its place in `Run::devices`

  bool operator==(const PrimitiveResult&) const = default;
};

/// Nothing where a number that is needed is missing. SM cycles, of throughput or latency, depending on the
/// argument.
std::optional<double> cycles_per_element(const Cycles& cycles);
/// Of throughput.
std::optional<double> cycles_per_instruction(const PrimitiveResult& result);
/// Of the whole device with `sm_count` SMs, where the clock is known.
std::optional<double> elements_per_s(const PrimitiveResult& result, int sm_count);
/// Of the same: 2 × elements/s × bytes per element, since a scan reads each element and writes one.
std::optional<double> bytes_per_s(const PrimitiveResult& result, int sm_count);

}  // namespace rooflinectl
