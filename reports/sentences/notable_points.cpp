// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "reports/sentences/sentences.h"

namespace rooflinectl {
namespace {

using Points = std::vector<RooflinePoint>;

bool is_of_program(const Points& points) {
  return !points.empty() && std::ranges::all_of(points, [](const auto& point) { return is_observed(point); });
}

std::vector<std::size_t> doubtful(const Points& points) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].measurement->status != Status::ok || !points[i].implausible.empty()) indices.push_back(i);
  }
  return indices;
}

/// The points of one version in one type and cache state that have a roof.
struct VersionPoints {
  std::vector<std::size_t> all;
  std::set<std::uint64_t> sizes;
  std::size_t nearest = 0;
};

/// In the order of the plan.
std::vector<VersionPoints> by_version(const Points& points) {
  using Key =
      std::tuple<std::string, std::optional<Dtype>, std::optional<CacheState>, std::optional<LaunchMode>>;
  std::map<Key, VersionPoints> versions;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].fraction_of_roofline) continue;
    const PointId& id = points[i].measurement->point;
    const Key key = {id.subject, dtype_of(id), cache_of(id), mode_of(id)};
    VersionPoints& version = versions.try_emplace(key, VersionPoints{{}, {}, i}).first->second;
    version.all.push_back(i);
    if (const auto n = size_of(id)) version.sizes.insert(*n);
    if (points[i].fraction_of_roofline > points[version.nearest].fraction_of_roofline) version.nearest = i;
  }
  std::vector<VersionPoints> list;
  for (auto& [key, version] : versions) list.push_back(std::move(version));
  std::ranges::sort(list, {}, [](const VersionPoints& version) { return version.all.front(); });
  return list;
}

bool is_swept(const VersionPoints& version) {
  return version.sizes.size() >= kFewestSizes;
}

/// In a sweep over sizes, the smallest that comes half as near to its roof as the nearest: smaller ones are
/// slow. If no smaller size comes that near, the one that is farthest from its roof.
std::size_t contrast(const Points& points, const VersionPoints& version) {
  const auto fraction = [&](std::size_t i) { return points[i].fraction_of_roofline.value_or(0); };
  const auto n = [&](std::size_t i) { return size_of(points[i].measurement->point).value_or(0); };
  std::size_t smallest = version.nearest;
  std::size_t farthest = version.nearest;
  for (const std::size_t i : version.all) {
    if (2 * fraction(i) >= fraction(version.nearest) && n(i) < n(smallest)) smallest = i;
    if (fraction(i) < fraction(farthest)) farthest = i;
  }
  return is_swept(version) && smallest != version.nearest ? smallest : farthest;
}

std::vector<std::size_t> extremes(const Points& points) {
  const std::vector<VersionPoints> versions = by_version(points);
  std::vector<std::size_t> indices;
  for (const VersionPoints& version : versions) indices.push_back(version.nearest);
  for (const VersionPoints& version : versions) indices.push_back(contrast(points, version));
  return indices;
}

}  // namespace

std::string_view notable_points_text(const ExperimentAnalysis& experiment) {
  if (is_of_program(experiment.points)) return "those that took longest";
  const std::vector<VersionPoints> versions = by_version(experiment.points);
  return std::ranges::any_of(versions, is_swept)
             ? "for each version and type the closest to the roofline, the smallest at least half as close, "
               "and doubtful ones"
             : "the closest to the roofline, the farthest from it, and doubtful ones";
}

std::vector<std::size_t> best_of_versions(const ExperimentAnalysis& experiment) {
  std::vector<std::size_t> best;
  for (const VersionPoints& version : by_version(experiment.points)) best.push_back(version.nearest);
  return best;
}

std::vector<std::size_t> notable_points(const ExperimentAnalysis& experiment, std::size_t most) {
  const Points& points = experiment.points;
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  if (is_of_program(points)) {
    const auto total_s = [&](std::size_t i) { return points[i].launches ? points[i].launches->total_s : 0; };
    std::ranges::stable_sort(all, std::greater(), total_s);
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
