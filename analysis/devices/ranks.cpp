// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text/kernel_name.h"

namespace rooflinectl {

namespace {

constexpr double kSlower = 1.05;
constexpr std::uint64_t kFewestTimed = 5;
/// From this share of a rank's time on, being slower matters.
constexpr double kStragglerShare = 0.01;

/// The groups of all processes, by the name of the range: from measurements, and from what a merged run has
/// in place of those that it leaves out.
std::vector<RankGroup> all_groups(const Run& run) {
  std::vector<RankGroup> groups;
  std::unordered_map<std::string, std::size_t> places;
  const auto ranks_of = [&](const PointId& point) -> std::vector<RankLaunches>& {
    const auto [place, is_new] = places.try_emplace(range_name(point), groups.size());
    if (is_new) groups.push_back({.point = point, .ranks = {}});
    return groups[place->second].ranks;
  };
  for (const Measurement& measurement : run.measurements) {
    if (!measurement.launches || !measurement.process) continue;
    const LaunchStatistics& all = *measurement.launches;
    const TimeResult time = measurement.time.value_or(TimeResult{});
    ranks_of(measurement.point)
        .push_back({.process = *measurement.process,
                    .count = all.count,
                    .traced = all.traced,
                    .total_s = all.total_s,
                    .median_s = time.median_s,
                    .ci_low_s = time.ci_low_s,
                    .ci_high_s = time.ci_high_s,
                    .overlapped_s = all.overlapped_s});
  }
  for (const RankGroup& rest : run.application->other_ranks) {
    std::vector<RankLaunches>& ranks = ranks_of(rest.point);
    ranks.insert(ranks.end(), rest.ranks.begin(), rest.ranks.end());
  }
  return groups;
}

/// The processes that launched anything, by rank, then by start.
std::vector<RankUse> ranks_of(const Run& run, const std::vector<RankGroup>& groups) {
  std::set<int> used;
  for (const RankGroup& group : groups) {
    for (const RankLaunches& launches : group.ranks) used.insert(launches.process);
  }
  const std::vector<ProgramProcess>& processes = run.application->processes;
  std::vector<RankUse> ranks;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!used.contains(processes[i].id)) continue;
    RankUse& rank = ranks.emplace_back();
    rank.process = &processes[i];
    rank.name =
        processes[i].rank ? fmt::format("rank {}", *processes[i].rank) : fmt::format("process {}", i + 1);
  }
  const auto number_of = [](const RankUse& rank) { return rank.process->rank.value_or(0); };
  std::ranges::stable_sort(ranks, {}, number_of);
  return ranks;
}

/// The median of `sorted` without one that equals `value`.
double median_without(const std::vector<double>& sorted, double value) {
  const auto place =
      static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  const auto at = [&](std::size_t i) { return sorted[i < place ? i : i + 1]; };
  const std::size_t rest = sorted.size() - 1;
  return rest % 2 == 1 ? at(rest / 2) : (at(rest / 2 - 1) + at(rest / 2)) / 2;
}

bool was_traced(const RankTime& time) {
  return time.mean.time_s > 0;
}

/// A process that launched the group on several devices is as slow as on the slowest of them.
void add_launches(RankGroupUse& group, std::size_t rank, const RankLaunches& launches) {
  const auto known = std::ranges::find(group.ranks, rank, &RankTime::rank);
  const LaunchTime mean = mean_launch(launches);
  if (known == group.ranks.end()) {
    group.ranks.push_back({.rank = rank, .launches = launches, .mean = mean});
    return;
  }
  if (mean.time_s > known->mean.time_s) known->mean = mean;
  RankLaunches& all = known->launches;
  all.count += launches.count;
  all.traced += launches.traced;
  all.total_s += launches.total_s;
  all.overlapped_s += launches.overlapped_s;
}

/// Fills in the spread over ranks, and who is slower.
void compare_ranks(RankGroupUse& group, std::vector<RankUse>& ranks) {
  std::vector<double> means;
  std::vector<double> highs;
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const RankTime& time = group.ranks[i];
    if (!was_traced(time)) continue;
    means.push_back(time.mean.time_s);
    highs.push_back(time.mean.high_s);
    if (time.mean.time_s <= group.max_s) continue;
    group.max_s = time.mean.time_s;
    group.slowest = i;
  }
  if (means.empty()) return;
  std::ranges::sort(means);
  std::ranges::sort(highs);
  group.min_s = means.front();
  group.median_s = median(means);
  if (group.is_collective || means.size() < 2) return;
  for (RankTime& time : group.ranks) {
    const RankLaunches& launches = time.launches;
    if (!was_traced(time) || launches.traced < kFewestTimed) continue;
    const double others_s = median_without(means, time.mean.time_s);
    const double others_high_s = median_without(highs, time.mean.high_s);
    time.is_slower = time.mean.time_s >= kSlower * others_s && time.mean.low_s > others_high_s;
    if (!time.is_slower) continue;
    time.slow_s = static_cast<double>(launches.traced) * (time.mean.time_s - others_s);
    ++ranks[time.rank].slow_groups;
    ranks[time.rank].slow_s += time.slow_s;
  }
}

/// Short names, with the grid where a kernel has several shapes within one path.
void name_groups(std::vector<RankGroupUse>& groups, const std::vector<RankGroup>& launched) {
  std::vector<std::string> subjects;
  for (const RankGroup& group : launched) subjects.push_back(group.point.subject);
  const std::vector<std::string> names = distinct_short_names(subjects);
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> shapes;
  for (std::size_t i = 0; i < groups.size(); ++i) ++shapes[{names[i], groups[i].path}];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool is_alone = shapes[{names[i], groups[i].path}] == 1;
    groups[i].kernel = is_alone
                           ? names[i]
                           : fmt::format("{} grid {}", names[i], launched[i].point.axes.written(axis::kGrid));
  }
}

/// How much longer the slowest rank takes than the median rank, over its timed launches.
double lost_s(const RankGroupUse& group) {
  if (group.is_collective) return 0;
  return static_cast<double>(group.ranks[group.slowest].launches.traced) * (group.max_s - group.median_s);
}

void add_phases(RankAnalysis& analysis, const std::vector<RankGroupUse>& groups) {
  std::map<std::string, RankPhase> phases;
  for (const RankGroupUse& group : groups) {
    const std::string of_kernels = group.path.empty() ? "no range" : group.path;
    const std::string name = group.is_collective ? "collectives" : of_kernels;
    RankPhase& phase = phases[name];
    phase.name = name;
    phase.is_collectives = group.is_collective;
    phase.times_s.resize(analysis.ranks.size());
    phase.slow_s.resize(analysis.ranks.size());
    for (const RankTime& time : group.ranks) {
      phase.times_s[time.rank] += time.launches.total_s;
      phase.slow_s[time.rank] += time.slow_s;
    }
  }
  for (auto& [name, phase] : phases) analysis.phases.push_back(std::move(phase));
  const auto total_s = [](const RankPhase& phase) {
    return std::accumulate(phase.times_s.begin(), phase.times_s.end(), 0.0);
  };
  std::ranges::stable_sort(analysis.phases, std::greater(), total_s);
}

void add_collectives(RankAnalysis& analysis, const std::vector<RankGroupUse>& groups, const Run& run) {
  const Application& application = *run.application;
  std::map<std::string, CollectiveUse> uses;
  for (const RankGroupUse& group : groups) {
    if (!group.is_collective) continue;
    CollectiveUse& use = uses[group.path];
    use.path = group.path;
    for (const RankTime& time : group.ranks) {
      use.total_s += time.launches.total_s;
      use.overlapped_s += time.launches.overlapped_s;
    }
  }
  std::unordered_map<const ProgramProcess*, RankUse*> ranks;
  for (RankUse& rank : analysis.ranks) ranks[rank.process] = &rank;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.launches) analysis.held_collectives += measurement.launches->held;
  }
  const CollectiveWaits waits = collective_waits(application);
  analysis.judged_collectives = waits.judged.size();
  analysis.collective_sizes = collective_sizes(run, waits.judged);
  analysis.set_aside_collectives = waits.set_aside;
  for (const CollectiveWait& wait : waits.launches) {
    const auto rank = ranks.find(&application.processes[wait.process]);
    if (rank == ranks.end()) continue;
    const double duration_s = static_cast<double>(wait.duration_ns) * 1e-9;
    const double wait_s = static_cast<double>(wait.wait_ns) * 1e-9;
    ++rank->second->collectives;
    rank->second->judged_s += duration_s;
    rank->second->wait_s += wait_s;
    if (wait.is_last) ++rank->second->last;
    rank->second->caused_s += static_cast<double>(wait.caused_ns) * 1e-9;
    const auto use = uses.find(application.collectives[wait.kernel].path);
    if (use == uses.end()) continue;
    ++use->second.judged;
    use->second.judged_s += duration_s;
    use->second.wait_s += wait_s;
  }
  for (auto& [path, use] : uses) analysis.collectives.push_back(std::move(use));
  std::ranges::stable_sort(analysis.collectives, std::greater(), &CollectiveUse::total_s);
}

void add_stragglers(RankAnalysis& analysis) {
  const auto& ranks = analysis.ranks;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].slow_groups > 0 && ranks[i].slow_share() >= kStragglerShare)
      analysis.stragglers.push_back(i);
  }
  std::ranges::stable_sort(analysis.stragglers, std::greater(),
                           [&](std::size_t rank) { return ranks[rank].slow_share(); });
}

void add_gpus(RankAnalysis& analysis, const Run& run) {
  std::set<std::string> names;
  for (const RankUse& rank : analysis.ranks) {
    for (const std::size_t device : rank.process->devices) names.insert(run.devices[device].name);
  }
  analysis.gpus.assign(names.begin(), names.end());
}

}  // namespace

std::optional<std::size_t> RankPhase::slowest() const {
  const auto slowest = std::ranges::max_element(slow_s);
  if (slowest == slow_s.end() || *slowest <= 0) return std::nullopt;
  return static_cast<std::size_t>(slowest - slow_s.begin());
}

std::vector<double> RankPhase::sorted_times_s() const {
  std::vector<double> times;
  std::ranges::copy_if(times_s, std::back_inserter(times), [](double time_s) { return time_s > 0; });
  std::ranges::sort(times);
  return times;
}

double RankPhase::spread() const {
  const std::vector<double> times = sorted_times_s();
  return times.empty() ? 0 : portion_of(times.back() - times.front(), median(times));
}

std::size_t RankGroupUse::slower() const {
  return static_cast<std::size_t>(std::ranges::count_if(ranks, &RankTime::is_slower));
}

const RankTime* RankGroupUse::of(std::size_t rank) const {
  const auto found = std::ranges::find(ranks, rank, &RankTime::rank);
  return found == ranks.end() ? nullptr : &*found;
}

RankUse RankAnalysis::sum() const {
  RankUse sum;
  for (const RankUse& rank : ranks) {
    sum.compute_s += rank.compute_s;
    sum.collective_s += rank.collective_s;
    sum.overlapped_s += rank.overlapped_s;
    sum.slow_groups += rank.slow_groups;
    sum.slow_s += rank.slow_s;
    sum.collectives += rank.collectives;
    sum.last += rank.last;
    sum.judged_s += rank.judged_s;
    sum.wait_s += rank.wait_s;
    sum.caused_s += rank.caused_s;
  }
  return sum;
}

std::pair<const RankUse*, const RankUse*> RankAnalysis::latest() const {
  std::vector<const RankUse*> all;
  for (const RankUse& rank : ranks) all.push_back(&rank);
  std::ranges::stable_sort(all, std::greater(), &RankUse::caused_s);
  return {all.at(0), all.at(1)};
}

const RankGroupUse* RankAnalysis::slowest_group(std::size_t rank) const {
  const RankGroupUse* slowest = nullptr;
  double most_s = 0;
  for (const RankGroupUse& group : groups) {
    const RankTime* time = group.of(rank);
    if (time == nullptr || !time->is_slower || (slowest != nullptr && time->slow_s <= most_s)) continue;
    slowest = &group;
    most_s = time->slow_s;
  }
  return slowest;
}

std::vector<int> ranks_on(const Run& run, const std::set<std::size_t>& devices) {
  std::vector<int> ranks;
  if (!run.application) return ranks;
  for (const ProgramProcess& process : run.application->processes) {
    const bool is_user =
        std::ranges::any_of(process.devices, [&](std::size_t device) { return devices.contains(device); });
    if (process.rank && is_user) ranks.push_back(*process.rank);
  }
  return ranks;
}

std::optional<RankAnalysis> rank_analysis(const Run& run) {
  if (!run.application) return std::nullopt;
  const std::vector<RankGroup> launched = all_groups(run);
  RankAnalysis analysis;
  analysis.ranks = ranks_of(run, launched);
  if (analysis.ranks.size() < 2) return std::nullopt;
  std::unordered_map<int, std::size_t> places;
  for (std::size_t i = 0; i < analysis.ranks.size(); ++i) places[analysis.ranks[i].process->id] = i;

  std::vector<RankGroupUse> groups;
  for (const RankGroup& one : launched) {
    RankGroupUse& group = groups.emplace_back();
    group.path = one.point.axes.written(axis::kPath);
    group.is_collective = is_collective(one.point.subject);
    for (const RankLaunches& launches : one.ranks) {
      const auto place = places.find(launches.process);
      if (place != places.end()) add_launches(group, place->second, launches);
    }
    std::ranges::sort(group.ranks, {}, &RankTime::rank);
    for (const RankTime& time : group.ranks) {
      RankUse& rank = analysis.ranks[time.rank];
      (group.is_collective ? rank.collective_s : rank.compute_s) += time.launches.total_s;
      if (group.is_collective) rank.overlapped_s += time.launches.overlapped_s;
    }
    compare_ranks(group, analysis.ranks);
  }
  name_groups(groups, launched);
  add_phases(analysis, groups);
  add_collectives(analysis, groups, run);
  add_stragglers(analysis);
  add_gpus(analysis, run);
  for (RankGroupUse& group : groups) {
    if (group.ranks.size() > 1) {
      analysis.groups.push_back(std::move(group));
    } else {
      ++analysis.single_groups;
    }
  }
  std::ranges::stable_sort(analysis.groups, std::greater(), lost_s);
  return analysis;
}

}  // namespace rooflinectl
