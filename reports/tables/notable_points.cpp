// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/notable_points.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace rooflinectl {
namespace {

using Points = std::vector<RooflinePoint>;

bool is_of_program(const Points& points) {
  return !points.empty() && std::all_of(points.begin(), points.end(),
                                        [](const RooflinePoint& point) { return is_observed(point); });
}

std::vector<std::size_t> doubtful(const Points& points) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].measurement->status != Status::ok || !points[i].implausible.empty()) indices.push_back(i);
  }
  return indices;
}

/// What lies nearest to its roof and farthest from it.
struct Extremes {
  std::size_t nearest = 0;
  std::size_t farthest = 0;
};

std::vector<std::size_t> extremes(const Points& points) {
  std::map<std::pair<std::string, std::optional<Dtype>>, Extremes> of_version;
  const auto fraction = [&](std::size_t i) { return points[i].fraction_of_roof.value_or(0); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].fraction_of_roof) continue;
    const PointId& id = points[i].measurement->point;
    Extremes& found = of_version.try_emplace({id.subject, dtype_of(id)}, Extremes{i, i}).first->second;
    if (fraction(i) > fraction(found.nearest)) found.nearest = i;
    if (fraction(i) < fraction(found.farthest)) found.farthest = i;
  }
  std::vector<std::size_t> indices;
  for (const auto& [version, found] : of_version) indices.push_back(found.nearest);
  for (const auto& [version, found] : of_version) indices.push_back(found.farthest);
  return indices;
}

}  // namespace

std::string_view notable_points_text(const ExperimentAnalysis& experiment) {
  return is_of_program(experiment.points)
             ? "those that took longest"
             : "the closest to the roofline, the farthest from it, and doubtful ones";
}

std::vector<std::size_t> notable_points(const ExperimentAnalysis& experiment, std::size_t most) {
  const Points& points = experiment.points;
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  if (is_of_program(points)) {
    const auto total_s = [&](std::size_t i) { return points[i].launches ? points[i].launches->total_s : 0; };
    std::stable_sort(all.begin(), all.end(),
                     [&](std::size_t a, std::size_t b) { return total_s(a) > total_s(b); });
    all.resize(std::min(all.size(), most));
    return all;
  }
  if (points.size() <= most) return all;
  std::set<std::size_t> chosen;
  for (const auto& candidates : {doubtful(points), extremes(points)}) {
    for (const std::size_t index : candidates) {
      if (chosen.size() < most) chosen.insert(index);
    }
  }
  if (chosen.empty()) chosen.insert(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
  return {chosen.begin(), chosen.end()};
}

}  // namespace rooflinectl
