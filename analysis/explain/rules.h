// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

std::string_view to_string(Importance importance);

struct Rule {
  std::string_view id;  ///< `bank-conflicts`; for a bound, the id of the bound
  Importance importance = Importance::note;
  /// The verdict that it explains: it is applied only to points with this bound. Among each bound's rules,
  /// the first that holds is the point's first finding; the last has no conditions. Nothing for causes and
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
};

/// All rules, in the order in which findings are shown.
std::span<const Rule> rules();

}  // namespace rooflinectl
