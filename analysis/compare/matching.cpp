// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

bool have_same_uuid(const DeviceInfo& a, const DeviceInfo& b) {
  return !a.uuid.empty() && a.uuid == b.uuid;
}

bool are_same_model(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name;
}

bool are_any_devices(const DeviceInfo&, const DeviceInfo&) {
  return true;
}

/// For each of `known` the place in `devices` of the one that corresponds to it, if any.
std::vector<std::optional<std::size_t>> partners(const std::vector<const DeviceInfo*>& known,
                                                 const std::vector<DeviceInfo>& devices) {
  std::vector<std::optional<std::size_t>> places(known.size());
  std::vector<bool> is_taken(devices.size());
  for (const auto are_alike : {have_same_uuid, are_same_model, are_any_devices}) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      for (std::size_t place = 0; place < devices.size() && !places[i]; ++place) {
        if (is_taken[place] || !are_alike(*known[i], devices[place])) continue;
        places[i] = place;
        is_taken[place] = true;
      }
    }
  }
  return places;
}

}  // namespace

std::vector<ComparedDevice> compared_devices(std::span<const AnalysedRun> baseline, const AnalysedRun& now) {
  std::vector<ComparedDevice> compared;
  std::vector<const DeviceInfo*> known;  // how each was first met
  const auto add = [&](const DeviceInfo& device) -> ComparedDevice& {
    known.push_back(&device);
    compared.emplace_back().bases.resize(baseline.size());
    return compared.back();
  };
  for (std::size_t place = 0; place < now.run.devices.size(); ++place) {
    add(now.run.devices[place]).now = place;
  }
  for (std::size_t base = 0; base < baseline.size(); ++base) {
    const std::vector<DeviceInfo>& devices = baseline[base].run.devices;
    const auto places = partners(known, devices);
    std::vector<bool> has_partner(devices.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      compared[i].bases[base] = places[i];
      if (places[i]) has_partner[*places[i]] = true;
    }
    for (std::size_t place = 0; place < devices.size(); ++place) {
      if (!has_partner[place]) add(devices[place]).bases[base] = place;
    }
  }
  return compared;
}

namespace {

using Key = std::string;

/// Processes of a program have different ids in each run: their order of appearance, or their rank, stays the
/// same.
std::string process_of(const Run& run, const RooflinePoint& point) {
  if (!is_observed(point)) return {};
  const Measurement& measurement = *point.measurement;
  if (measurement.rank) return fmt::format(" rank {}", *measurement.rank);
  const auto number = process_number(run, measurement);
  return number && *number > 1 ? fmt::format(" process {}", *number) : "";
}

Key key_of(const Run& run, const RooflinePoint& point, std::size_t device, bool with_experiment) {
  PointId id = point.measurement->point;
  if (!with_experiment) id.experiment.clear();
  return fmt::format("{} on {}{}", range_name(id), device, process_of(run, point));
}

/// For each device of a run, by its place there, the place of what it is compared as.
using PlacesOfDevices = std::map<std::size_t, std::size_t>;

/// For the base run with the number `base`, or for the new run.
PlacesOfDevices places_of(const std::vector<ComparedDevice>& devices, std::optional<std::size_t> base) {
  PlacesOfDevices places;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& place = base ? devices[i].bases[*base] : devices[i].now;
    if (place) places.emplace(*place, i);
  }
  return places;
}

/// A run to compare: the base run with a number, or the new run.
struct Side {
  const AnalysedRun* run = nullptr;
  std::optional<std::size_t> base;
  PlacesOfDevices places;

  template <typename Visit>
  void for_each_point(Visit visit) const {
    for (const ExperimentAnalysis& experiment : run->analysis.experiments) {
      for (const RooflinePoint& point : experiment.points) visit(point, places.at(point.measurement->device));
    }
  }
};

}  // namespace

std::vector<MatchedPoint> matched_points(std::span<const AnalysedRun> baseline, const AnalysedRun& now,
                                         const std::vector<ComparedDevice>& devices) {
  // The order is that of the new plan; points that it no longer has come last.
  std::vector<Side> sides = {{&now, std::nullopt, places_of(devices, std::nullopt)}};
  for (std::size_t base = 0; base < baseline.size(); ++base) {
    sides.push_back({&baseline[base], base, places_of(devices, base)});
  }
  std::set<Key> ambiguous;  // without the experiment: of several points of a run
  for (const Side& side : sides) {
    std::set<Key> met;
    side.for_each_point([&](const RooflinePoint& point, std::size_t device) {
      const Key key = key_of(side.run->run, point, device, false);
      if (!met.insert(key).second) ambiguous.insert(key);
    });
  }
  using Points = std::vector<const RooflinePoint*>;
  std::vector<MatchedPoint> points;
  std::map<Key, std::size_t> places;
  for (const Side& side : sides) {
    side.for_each_point([&](const RooflinePoint& point, std::size_t device) {
      Key key = key_of(side.run->run, point, device, false);
      if (ambiguous.contains(key)) key = key_of(side.run->run, point, device, true);
      const auto [place, is_new] = places.emplace(key, points.size());
      if (is_new) points.push_back({.bases = Points(baseline.size()), .device = device});
      MatchedPoint& matched = points[place->second];
      (side.base ? matched.bases[*side.base] : matched.now) = &point;
    });
  }
  return points;
}

namespace {

/// Without the experiment.
std::string name_in_any_experiment(PointId point) {
  point.experiment.clear();
  return range_name(point);
}

/// Of a group in the base runs that have a time for it.
struct BaseGroup {
  double time_s = 0;  ///< summed over these runs
  double launches = 0;
};

BaseGroup base_group(const PointComparison& point) {
  BaseGroup group;
  for (const RooflinePoint* base : point.bases) {
    group.time_s += whole_time_s(*base);
    group.launches += launch_count(*base->measurement);
  }
  return group;
}

double mean_time_s(const PointComparison& group, const RunComparison& comparison) {
  return base_group(group).time_s / static_cast<double>(comparison.baseline.size());
}

void add_launches(Coverage& result, const PointComparison& point) {
  const BaseGroup group = base_group(point);
  const auto bases = static_cast<double>(point.bases.size());
  const double now = launch_count(*point.now->measurement);
  result.launches_before += group.launches / bases;
  result.launches_now += now;
  result.common_s += group.time_s / bases;
  if (group.launches > 0) result.relaunched_s += now * group.time_s / group.launches;
}

}  // namespace

Coverage coverage(const RunComparison& comparison) {
  Coverage result;
  const PlannedPoints planned(comparison.now->run);
  for (const PointComparison& point : comparison.points) {
    const bool is_group = is_observed(point.base != nullptr ? *point.base : *point.now);
    if (point.bases.empty()) {
      if (is_group && point.base == nullptr) result.added_groups_s += whole_time_s(*point.now);
    } else if (!is_group) {
      ++result.points;
      if (point.now == nullptr && !planned.contains(point.point)) result.missing_points.push_back(&point);
    } else {
      const double share_of_bases =
          static_cast<double>(point.bases.size()) / static_cast<double>(comparison.baseline.size());
      ++result.groups;
      result.mean_groups += share_of_bases;
      result.groups_s += mean_time_s(point, comparison);
      if (point.now != nullptr) {
        add_launches(result, point);
      } else {
        result.mean_missing_groups += share_of_bases;
        result.missing_groups_s += mean_time_s(point, comparison);
        result.missing_groups.push_back(&point);
      }
    }
  }
  std::ranges::stable_sort(result.missing_groups, std::greater(),
                           [&](const PointComparison* group) { return mean_time_s(*group, comparison); });
  return result;
}

double base_share(const PointComparison& group, const RunComparison& comparison, const Coverage& whole) {
  return whole.groups_s > 0 ? mean_time_s(group, comparison) / whole.groups_s : 0;
}

PlannedPoints::PlannedPoints(const Run& run) {
  for (const PointId& point : all_points(run.plan)) names_.insert(name_in_any_experiment(point));
}

bool PlannedPoints::contains(const PointId& point) const {
  return names_.contains(name_in_any_experiment(point));
}

}  // namespace rooflinectl
