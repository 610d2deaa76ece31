// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

/// Whether a run is worse than others by more than is allowed (`docs/method.md`, "The gate").
namespace rooflinectl {

/// What a gate looks at, per point.
enum class GateCheck {
  time,        ///< the median time
  roof,        ///< the fraction of the measured roof
  dram,        ///< counted DRAM bytes
  operations,  ///< counted operations: floating-point ones, or integer ones where the work consists of these
};
inline constexpr std::array kGateChecks = {GateCheck::time, GateCheck::roof, GateCheck::dram,
                                           GateCheck::operations};

/// `time`, `roof`, `dram`, `operations`
std::string_view to_string(GateCheck check);

struct GateOptions {
  std::vector<GateCheck> checks{kGateChecks.begin(), kGateChecks.end()};
  /// The largest relative change for the worse that passes: upwards for time, bytes and operations, downwards
  /// for the fraction of the roof.
  double time = 0.05;
  double roof = 0.05;
  double dram = 0.02;
  double operations = 0;
  bool allow_other_devices = false;
  bool allow_other_points = false;  ///< what only one plan has is left out

  double limit(GateCheck check) const;
};

enum class GateOutcome {
  regressed,
  uncertain,  ///< the median is beyond the limit, its interval is not: passes
  passed,
  unchecked,  ///< the base has no number, or none that is comparable: passes
};

/// `regressed`, `uncertain`, `passed`, `unchecked`
std::string_view to_string(GateOutcome outcome);

/// One check of one point, in the unit of what is checked: seconds, a ratio, bytes, operations.
struct GateResult {
  GateCheck check = GateCheck::time;
  GateOutcome outcome = GateOutcome::unchecked;
  double from = 0;  ///< for several base runs the geometric mean (time, roof) or the median
  double to = 0;    ///< 0 where unchecked
  /// The most favourable value that noise allows for: the point is at least as bad as this.
  double best_case = 0;
  double limit = 0;    ///< the worst value that passes
  std::string reason;  ///< why it is unchecked
};

struct GatePoint {
  const PointComparison* point = nullptr;
  std::string loss;  ///< why there is nothing to check: it is broken or missing; that is a regression
  std::vector<GateResult> results;

  bool regressed() const;
};

struct Gate {
  GateOptions options;
  const RunComparison* comparison = nullptr;
  /// The points that the base runs have a time for, in the comparison's order.
  std::vector<GatePoint> points;
  /// Why the runs cannot be compared, each a sentence; empty if they can.
  std::vector<std::string> incomparable;

  bool regressed() const;
  std::size_t count(GateOutcome outcome) const;
  /// 2 where the runs are not comparable, else 4 where something regressed, else 0.
  int exit_code() const;
};

/// Checks the new run of `comparison` against its base runs. The result points into the comparison.
Gate gate(const RunComparison& comparison, const GateOptions& options);

}  // namespace rooflinectl
