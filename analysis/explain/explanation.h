// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/explain/rules.h"

/// Why a point is where it is, and what a ladder step changed.
namespace rooflinectl {

/// A number that a finding rests on.
struct Evidence {
  std::string_view name;  ///< `DRAM utilisation`
  double value = 0;
  Unit unit = Unit::count;

  bool operator==(const Evidence&) const = default;
};

/// A rule that holds for a point.
struct Finding {
  std::string_view rule;  ///< id: `bank-conflicts`
  Importance importance = Importance::note;
  std::string_view text;
  std::vector<Evidence> evidence;
  std::string_view next_step;

  bool operator==(const Finding&) const = default;
};

/// A rule that cannot be judged, because something was not measured.
struct UnjudgedRule {
  std::string_view rule;
  std::vector<std::string_view> missing;  ///< names of quantities

  bool operator==(const UnjudgedRule&) const = default;
};

struct PointExplanation {
  std::vector<Finding> findings;  ///< in the order of `rules()`: what bounds the point first
  std::vector<UnjudgedRule> unjudged;
};

/// Applies every rule to `point` of `run`; rules about declared work only where there is some. A rule holds
/// if all its conditions do; it is not judged if none of them is known to fail and the quantity of at least
/// one is missing. Does not throw. For a point without a time, only counts can be judged.
PointExplanation explain(const Run& run, const RooflinePoint& point);

/// A counter that changed, and what that means.
struct Change {
  std::string_view text;  ///< `bank conflicts eliminated`
  CounterChange counter;
};

/// In the order of the step's `counter_changes`.
std::vector<Change> changes_of(const LadderStep& step);

struct StepExplanation {
  std::vector<Change> changes;         ///< as `changes_of` gives them
  std::vector<std::string_view> gone;  ///< ids of the rules that held before and do not any more
  std::vector<std::string_view> came;  ///< ids of the rules that hold now and did not before
};

/// The explanations of an experiment. Each point is explained once, when it is first asked for: it may be an
/// end of several steps.
class Explanations {
 public:
  /// Both must outlive this.
  Explanations(const Run& run, const ExperimentAnalysis& experiment);

  /// `point` is one of the experiment's.
  const PointExplanation& of(const RooflinePoint& point);

  /// What changed from `step.from` to `step.to`. Rules that could be judged at only one end are in neither
  /// list.
  StepExplanation of(const LadderStep& step);

 private:
  const Run& run_;
  const ExperimentAnalysis& experiment_;
  std::vector<std::optional<PointExplanation>> points_;
};

}  // namespace rooflinectl
