// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/files/files.h"
#include "core/stats/repeated_counters.h"
#include "core/stats/statistics.h"
#include "runner/importing/importing.h"
#include "runner/profiling/points/groups.h"
#include "runner/profiling/points/merge.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

constexpr double kP95 = 0.95;
constexpr std::size_t kKeptTimes = 101;
/// Of a block, on all chips.
constexpr std::uint64_t kMostThreads = 1024;

/// What becomes a point.
struct Group {
  const ImportedLaunch* first = nullptr;
  std::string subject;
  Axes axes;
  bool is_of_one_process = true;
  std::uint64_t count = 0;
  std::vector<double> times;
  double total_s = 0;
  AveragedCounters counters;
  std::uint64_t counted = 0;
};

class Grouping {
 public:
  Grouping(const std::vector<ImportedLaunch>& launches, const std::string& experiment)
      : experiment_(experiment), paths_(paths_of(launches)) {
    for (const ImportedLaunch& launch : launches) add(launch);
  }

  std::vector<Measurement> points(std::vector<std::string>& problems) && {
    std::ranges::stable_sort(groups_, std::greater(), &Group::total_s);
    if (groups_.size() > kMaxProfiledPoints) {
      problems.push_back(
          fmt::format("{} launch groups, those with the least time, are left out: "
                      "a run holds at most {}",
                      groups_.size() - kMaxProfiledPoints, kMaxProfiledPoints));
      groups_.resize(kMaxProfiledPoints);
    }
    std::vector<Measurement> points;
    for (const Group& group : groups_) points.push_back(point_of(group));
    return points;
  }

 private:
  static std::map<std::string, std::string> paths_of(const std::vector<ImportedLaunch>& launches) {
    std::set<std::string> paths;
    for (const ImportedLaunch& launch : launches) paths.insert(launch.path);
    return collapsed_paths(paths);
  }

  void add(const ImportedLaunch& launch) {
    const record::Kernel kernel = {.symbol = launch.kernel.empty() ? "unknown kernel" : launch.kernel};
    const record::Group shape = {.grid = launch.grid,
                                 .block = launch.block,
                                 .cluster = launch.cluster,
                                 .dynamic_shared_bytes = launch.dynamic_shared_bytes};
    const std::string subject = subject_of(kernel);
    const Axes axes = axes_of(shape, !launch.is_kernel, 1, paths_.at(launch.path));
    const auto [place, is_new] =
        places_.try_emplace(std::tuple(launch.device, subject, axes), groups_.size());
    if (is_new) groups_.push_back({.first = &launch, .subject = subject, .axes = axes});
    Group& group = groups_[place->second];
    group.is_of_one_process = group.is_of_one_process && launch.process == group.first->process;
    ++group.count;
    if (const auto time_s = launch.time_s.value(); time_s && *time_s > 0) {
      group.times.push_back(*time_s);
      group.total_s += *time_s;
    }
    if (launch.counters.empty()) return;
    group.counters.add(launch.counters);
    ++group.counted;
  }

  Measurement point_of(const Group& group) const {
    const ImportedLaunch& first = *group.first;
    Measurement point;
    point.point = {.experiment = experiment_, .subject = group.subject, .axes = group.axes};
    point.device = first.device;
    if (group.is_of_one_process) point.process = first.process;
    if (first.is_kernel) {
      point.launch.grid = volume(first.grid);
      point.launch.block = static_cast<int>(std::min(volume(first.block), kMostThreads));
    }
    point.resources = first.resources;
    LaunchStatistics launches;
    const bool is_symbol = first.kernel.find_first_of(" (<") == std::string::npos;
    if (is_symbol) launches.symbol = cut_name(first.kernel, kMaxSubjectLength);
    launches.count = group.count;
    launches.traced = group.times.size();
    launches.total_s = group.total_s;
    launches.counted = group.counted;
    if (group.times.empty()) {
      point.cause = first.time_s.reason();
    } else {
      point.time = time_of_launches(group.times, kKeptTimes);
      launches.p95_s = quantile(group.times, kP95);
    }
    point.launches = std::move(launches);
    const RepeatedCounters counted = group.counters.result();
    point.counters = counted.counters;
    point.counter_spread = counted.spread;
    point.counter_repeats = counted.repeats;
    return point;
  }

  const std::string& experiment_;
  const std::map<std::string, std::string> paths_;
  std::vector<Group> groups_;
  std::map<std::tuple<std::size_t, std::string, Axes>, std::size_t> places_;
};

}  // namespace

std::vector<Measurement> imported_points(const std::vector<ImportedLaunch>& launches,
                                         const std::string& experiment, std::vector<std::string>& problems) {
  return Grouping(launches, experiment).points(problems);
}

record::Extent extent_from(const std::string& text) {
  constexpr std::uint32_t kMost = 0x7fff'ffff;  // of a grid's first dimension, which is the longest
  record::Extent extent = {1, 1, 1};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint32_t& length : extent) {
    const auto [next, error] = std::from_chars(at, end, length);
    if (error != std::errc() || length > kMost) return {};
    if (next == end) return extent;
    if (*next != 'x') return {};
    at = next + 1;
  }
  return {};
}

}  // namespace rooflinectl
