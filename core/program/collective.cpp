// SPDX-License-Identifier: Apache-2.0
#include "core/program/collective.h"

#include <algorithm>

#include "core/enum_names.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kBoth = "values, and a reason why there are none";
constexpr std::string_view kNeither = "no values, and no reason why";

/// Of one collective, except its name.
std::optional<std::string_view> problem_of(const CollectiveTimes& times) {
  if (times.sizes.empty()) return times.missing.empty() ? std::optional(kNeither) : std::nullopt;
  return times.missing.empty() ? std::nullopt : std::optional(kBoth);
}

}  // namespace

std::string_view to_string(Collective collective) {
  return enumerator_name(collective);
}

std::optional<CollectivesMistake> mistake_in(const Collectives& collectives) {
  const std::vector<CollectiveTimes>& all = collectives.times;
  if (all.empty() && collectives.missing.empty()) return CollectivesMistake{{}, "times", kNeither};
  if (!all.empty() && !collectives.missing.empty()) return CollectivesMistake{{}, "times", kBoth};
  for (std::size_t place = 0; place < all.size(); ++place) {
    const auto is_same = [&](const CollectiveTimes& one) { return one.collective == all[place].collective; };
    if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), is_same))
      return CollectivesMistake{place, "collective", "the run has it already"};
    if (const auto problem = problem_of(all[place])) return CollectivesMistake{place, "sizes", *problem};
  }
  return std::nullopt;
}

}  // namespace rooflinectl
