// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/quantities/quantities.h"

/// What `rooflinectl explain` goes by: rules about the quantities of a point, as data.
namespace rooflinectl {

enum class Relation { at_least, at_most, less_than };

/// `quantity` compared with `threshold`.
struct Condition {
  const Quantity* quantity = nullptr;
  Relation relation = Relation::at_least;
  double threshold = 0;
};

/// How a finding relates to a point.
enum class Importance {
  bound,  ///< this is what keeps it from being faster
  cause,  ///< this contributes to it
  note,   ///< how to read its numbers
};

struct Rule {
  std::string_view id;  ///< `bank-conflicts`; for a bound, the id of the bound
  Importance importance = Importance::cause;
  /// The verdict that it explains: it is applied only to points with this bound. Among each bound's rules,
  /// the first that holds is the point's; the last has no conditions. Nothing for causes and
  /// notes.
  std::optional<Bound> bound = std::nullopt;
  /// For a cause, the verdict that means the same: it is not applied to points with this bound.
  std::optional<Bound> restates = std::nullopt;
  /// Whether it is only for kernels without declared work, as those of profiled programs, in place of a rule
  /// about that.
  bool is_for_programs = false;
  std::vector<Condition> only_if;     ///< the points that it is meant for: all of these
  std::vector<Condition> when;        ///< what holds: all of these; each is evidence
  std::vector<const Quantity*> also;  ///< further evidence, shown where there is a number
  std::string_view text;              ///< what it means, one sentence
  /// What to try. Empty: the rule is not applied to kernels whose source the user has.
  std::string_view next_step;
  /// What to try where the kernel is a library's (`is_library_kernel`), whose source the user does not
  /// change: shapes, batch, fusing, settings. Empty: the rule is not applied to these.
  std::string_view step_for_library = {};
  /// What to try instead where that kernel multiplies matrices. Empty: the same.
  std::string_view step_for_products = {};
};

/// All rules, in the order in which they are applied.
std::span<const Rule> rules();

// Why a point is where it is, and what a ladder step changed.

/// A rule that holds for a point.
struct Finding {
  std::string_view rule;  ///< id: `bank-conflicts`
  Importance importance = Importance::note;
  std::string_view text;
  std::vector<QuantityValue> evidence;  ///< the numbers that it rests on
  std::string_view next_step;
};

/// A rule that cannot be judged, because something was not measured.
struct UnjudgedRule {
  std::string_view rule;
  std::vector<std::string_view> missing;  ///< names of quantities

  bool operator==(const UnjudgedRule&) const = default;
};

struct PointExplanation {
  /// In the order of `rules()`: what bounds the point first; but causes come before the bound `latency`.
  std::vector<Finding> findings;
  std::vector<UnjudgedRule> unjudged;
};

/// Applies every rule to `point` of `run`; rules about declared work only where there is some. A rule holds
/// if all its conditions do; it is not judged if none of them is known to fail and the quantity of at least
/// one is missing. Does not throw. For a point without a time, only counts can be judged.
PointExplanation explain(const Run& run, const RooflinePoint& point);

struct StepExplanation {
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
