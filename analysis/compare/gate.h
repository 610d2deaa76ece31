// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/error.h"

/// Whether a run is worse than others by more than is allowed (`docs/internals/method.md`, "The gate").
namespace rooflinectl {

/// How much of what the base runs measured the new run measures, too.
struct Coverage {
  // Points of plans that have a time in the base.
  std::size_t points = 0;
  /// Those that the new run neither measured nor plans, in the comparison's order.
  std::vector<const PointComparison*> missing_points;

  // Groups of profiled programs that have a time in the base. Their times are those of all launches, each at
  // the median of its group; of several base runs, the mean.
  std::size_t groups = 0;
  double groups_s = 0;
  /// Those that the new run did not launch, the longest first.
  std::vector<const PointComparison*> missing_groups;
  double missing_groups_s = 0;
  double added_groups_s = 0;  ///< of groups that only the new run has, in the new run
  // How many groups a base run has on average, and how many of them the new run did not launch.
  double mean_groups = 0;
  double mean_missing_groups = 0;

  // Groups that both have: how much of them the new run launched. In the base, of those runs that have them.
  double launches_before = 0;
  double launches_now = 0;
  double common_s = 0;      ///< what `launches_before` take
  double relaunched_s = 0;  ///< what `launches_now` would have taken in the base

  std::size_t common_groups() const { return groups - missing_groups.size(); }
  /// The share of the base's GPU time that is in groups that both have; 0 where the base has no groups.
  double common_share() const { return groups_s > 0 ? 1 - missing_groups_s / groups_s : 0; }
  double missing_share() const { return groups_s > 0 ? missing_groups_s / groups_s : 0; }
  /// Of the number of groups, however little time they take.
  double missing_share_of_groups() const { return mean_groups > 0 ? mean_missing_groups / mean_groups : 0; }
  /// What the new run launched of the groups that both have, relative to the base, where each launch counts
  /// with its time in the base: 1 where nothing changed, or nothing is known.
  double launched_again() const { return common_s > 0 ? relaunched_s / common_s : 1; }
};

/// Counts what the points of `comparison`, into which the result points, have in common.
Coverage coverage(const RunComparison& comparison);

/// The share of the base's GPU time that `group`, of a profiled program in the base, takes; `whole` is of the
/// same comparison.
double base_share(const PointComparison& group, const RunComparison& comparison, const Coverage& whole);

/// What the new run plans, to look up the points of the base that it lacks.
class PlannedPoints {
 public:
  explicit PlannedPoints(const Run& run);

  /// In whichever experiment, which may have been renamed.
  bool contains(const PointId& point) const;

 private:
  std::unordered_set<std::string> names_;
};

/// What a gate looks at, per point.
enum class GateCheck {
  time,        ///< the median time
  roof,        ///< the fraction of the measured roof
  dram,        ///< counted DRAM bytes
  operations,  ///< counted operations: floating-point ones, or integer ones where the work consists of these
};
inline constexpr auto kGateChecks = kEnumerators<GateCheck>;

/// What a gate looks at in the new run as a whole, where the base is of a profiled program or lacks points.
enum class RunCheck {
  program,    ///< which one it is
  exit_code,  ///< how it ended
  points,     ///< of plans, that only the base has
  groups,     ///< of the program's launches, that only the base has
  launches,   ///< how often the program launched the groups that both have
};

/// `program`, `exit code`, `points`, `groups`, `launches`
std::string_view to_string(RunCheck check);

/// Runs of programs are comparable if at least this share of the base's GPU time is in groups that both have;
/// those of plans, if the new one has at least this share of the base's points.
inline constexpr double kLeastInCommon = 0.5;
/// Groups that only the base has fail if they took more than this share of its GPU time, and what only the
/// new run has takes less than `kLeastInPlace` of theirs: then nothing took their place.
inline constexpr double kMostMissing = 0.1;
inline constexpr double kLeastInPlace = 0.1;
/// They also fail if they are at least this share of its groups, whatever they took.
inline constexpr double kMostGroupsMissing = 0.5;
/// By how much `Coverage::launched_again` may differ from 1.
inline constexpr double kMostOtherLaunches = 0.2;

struct GateOptions {
  std::vector<GateCheck> checks{kGateChecks.begin(), kGateChecks.end()};
  /// The largest relative change for the worse that passes: upwards for time, bytes and operations, downwards
  /// for the fraction of the roof.
  double time = 0.05;
  double roof = 0.05;
  double dram = 0.02;
  double operations = 0;
  bool allow_other_devices = false;
  bool allow_other_points = false;    ///< what only one run has is left out
  bool allow_other_launches = false;  ///< the program may have launched more, or less

  double limit(GateCheck check) const;
};

enum class GateOutcome {
  regressed,
  uncertain,  ///< the median is beyond the limit, its interval is not: passes
  passed,
  unchecked,  ///< the base has no number, or none that is comparable: passes
};

/// One check of one point, in the unit of what is checked: seconds, a ratio, bytes, operations.
struct GateResult {
  GateCheck check = GateCheck::time;
  GateOutcome outcome = GateOutcome::unchecked;
  double from = 0;  ///< for several base runs the geometric mean (time, roof) or the median
  double to = 0;    ///< 0 where unchecked
  /// The most favourable value that noise allows for: the point is at least as bad as this.
  double best_case = 0;
  double limit = 0;  ///< the worst value that passes
  /// The smallest relative change for the worse that would have failed: what is allowed, and what the noise
  /// of these runs hides. Nothing where unchecked, or the base has 0.
  std::optional<double> detectable;
  std::string reason;  ///< why it is unchecked
};

struct GatePoint {
  const PointComparison* point = nullptr;
  std::string loss;  ///< why there is nothing to check: it is broken or missing; that is a regression
  std::vector<GateResult> results;

  bool regressed() const;
};

/// What only the base has.
struct GateMissing {
  std::string label;
  std::string share = {};  ///< of the base's GPU time: `5.5 %`; empty for points of plans
};

/// `gemm<…> (5.5 %)`
std::string missing_text(const GateMissing& missing);

/// A check of the new run as a whole.
struct GateRunResult {
  RunCheck check = RunCheck::program;
  bool has_failed = false;
  std::string text;                       ///< what there is to say, failed or not; empty where nothing is
  std::vector<GateMissing> missing = {};  ///< what `text` counts: groups with the most time first
};

struct Gate {
  GateOptions options;
  const RunComparison* comparison = nullptr;
  Coverage coverage;
  std::vector<GateRunResult> run;
  /// The points that the base runs have a time for, in the comparison's order.
  std::vector<GatePoint> points;
  /// Why the runs cannot be compared, each a sentence; empty if they can.
  std::vector<std::string> incomparable;

  bool regressed() const;
  std::size_t count(GateOutcome outcome) const;
  /// 2 where the runs are not comparable, else 4 where something regressed, else 0.
  int exit_code() const {
    if (!incomparable.empty()) return static_cast<int>(ErrorKind::usage);
    return regressed() ? static_cast<int>(ErrorKind::gate) : 0;
  }
};

/// Checks the new run as a whole, in the order of `RunCheck`.
std::vector<GateRunResult> check_run(const RunComparison& comparison, const Coverage& coverage,
                                     const GateOptions& options);

/// Why too little is in common to compare anything; empty if there is enough.
std::string too_little_in_common(const RunComparison& comparison, const Coverage& coverage);

/// Whether the time of all kernels together says something: the program did the same work.
bool is_total_comparable(const Coverage& coverage);

/// Checks the new run of `comparison` against its base runs. The result points into the comparison.
Gate gate(const RunComparison& comparison, const GateOptions& options);

}  // namespace rooflinectl
