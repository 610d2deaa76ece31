// SPDX-License-Identifier: Apache-2.0
#include "reports/page/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "reports/text/format.h"

namespace rooflinectl {

std::string headline(const ExperimentAnalysis& experiment) {
  std::map<Bound, std::size_t> counts;
  const RooflinePoint* best = nullptr;
  for (const RooflinePoint& point : experiment.points) {
    ++counts[point.bound];
    if (!point.fraction_of_roofline) continue;
    if (best == nullptr || *point.fraction_of_roofline > *best->fraction_of_roofline) best = &point;
  }
  if (counts.empty()) return "No points were measured.";
  std::vector<std::string> parts;
  for (const auto& [bound, count] : counts)
    parts.push_back(fmt::format("{} {}", count, words_for(bound).phrase));
  const std::string bounds =
      fmt::format("{}: {}.", format::counted(experiment.points.size(), "point"), fmt::join(parts, ", "));
  if (best == nullptr) return bounds;
  return fmt::format("Closest to the roofline: {}, {} of roofline ({}). {}", best->label,
                     format::percent(*best->fraction_of_roofline), words_for(best->bound).phrase, bounds);
}

}  // namespace rooflinectl
