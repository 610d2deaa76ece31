// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

/// The same points in runs over time (`docs/internals/method.md`, "Statistics when comparing").
namespace rooflinectl {

/// A run that does not belong in a history.
struct LeftOutRun {
  std::string name;
  std::string reason;
};

/// Runs of the same points on the same model.
struct ComparableRuns {
  std::vector<AnalysedRun> runs;  ///< in the order in which they began
  std::vector<LeftOutRun> left_out;
};

/// Those of `runs` that `now` can be compared with. Left out are replays, which measured nothing; runs that
/// occur twice, or are `now`; runs that began later; runs on devices of other models; and runs without a
/// point that is timed in both.
ComparableRuns runs_comparable_with(const AnalysedRun& now, std::vector<AnalysedRun> runs);

/// The newest of `runs` that measured the time of a point, and all that it can be compared with: it comes
/// last. All are left out where no run measured one.
ComparableRuns comparable_runs(std::vector<AnalysedRun> runs);

/// One point over all runs of a history.
struct PointHistory {
  PointId point;           ///< as in the newest run that has it
  std::size_t device = 0;  ///< its place in `History::devices`
  std::string label;       ///< unique within its experiment: with the device where there are several

  std::vector<const RooflinePoint*> runs;  ///< in each run; null where it has none
  /// In each run the change since the last one before that has a time for it, or since the run before that
  /// has the point. Nothing where the run has no such point, or is the first that has it. Their labels name
  /// the experiment, too, if there are several. Without `counter_changes`.
  std::vector<std::optional<PointComparison>> changes;

  /// In the newest run that has it.
  const RooflinePoint& newest() const;
};

struct History {
  std::span<const AnalysedRun> runs;  ///< in the order in which they began
  double smallest_change = kSmallestTimeChange;
  std::vector<ComparedDevice> devices;  ///< `now` is the newest run
  /// Those of the newest run in its order, then those that only older runs have.
  std::vector<PointHistory> points;
  /// What differs in each run from the run before; nothing for the first.
  std::vector<std::vector<EnvironmentChange>> environment;
};

/// Whether a run's change of a point is worth marking: it became slower or faster, broke, or is timed
/// differently.
bool is_marked(PointChange change);

/// Follows the points of `runs`, those of `comparable_runs` (not empty), which must outlive the result. Each
/// change is judged as `compare` judges that of a run and one base run.
History history(std::span<const AnalysedRun> runs, double smallest_change = kSmallestTimeChange);

}  // namespace rooflinectl
