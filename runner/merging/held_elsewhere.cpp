// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/machine/ranks.h"
#include "runner/merging/merging.h"

namespace rooflinectl {

namespace {

bool is_aligned(const Application& application, const ProgramProcess& process) {
  return application.hosts[process.host].uncertainty_s.has_value();
}

using Key = std::tuple<int, std::string, std::string>;  // process, kernel and NVTX path

Key key_of(const GroupInProcess& group) {
  return {group.process, group.point->subject, std::string(group.point->axes.text("path").value_or(""))};
}

std::map<Key, HeldLaunches> all_held_elsewhere(const Application& application,
                                               const std::vector<std::size_t>& parts) {
  const std::vector<ProgramProcess>& processes = application.processes;
  std::vector<Hold> everywhere;
  std::map<std::size_t, std::vector<Hold>> of_parts;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::vector<Hold>& holds = processes[i].holds;
    std::vector<Hold>& of_part = of_parts[parts[i]];
    of_part.insert(of_part.end(), holds.begin(), holds.end());
    if (is_aligned(application, processes[i]))
      everywhere.insert(everywhere.end(), holds.begin(), holds.end());
  }
  const Holds all(std::move(everywhere));
  std::map<Key, HeldLaunches> result;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const ProgramProcess& process = processes[i];
    if (!is_aligned(application, process)) continue;
    const Holds own(of_parts[parts[i]]);
    std::vector<CollectiveLaunch> by_end = process.collectives;
    std::ranges::sort(by_end, {}, &CollectiveLaunch::end_ns);
    std::uint64_t previous_end_ns = 0;
    for (const CollectiveLaunch& launch : by_end) {
      if (all.delay(previous_end_ns, launch.end_ns()) && !own.delay(previous_end_ns, launch.end_ns())) {
        const CollectiveKernel& kernel = application.collectives[launch.kernel];
        HeldLaunches& held = result[{process.id, kernel.subject, kernel.path}];
        ++held.count;
        held.total_s += static_cast<double>(launch.duration_ns) * 1e-9;
      }
      previous_end_ns = launch.end_ns();
    }
  }
  return result;
}

}  // namespace

std::vector<HeldLaunches> held_elsewhere(const Application& application,
                                         const std::vector<std::size_t>& parts,
                                         const std::vector<GroupInProcess>& groups) {
  const std::map<Key, HeldLaunches> all = all_held_elsewhere(application, parts);
  std::map<Key, std::uint64_t> traced;
  for (const GroupInProcess& group : groups) traced[key_of(group)] += group.traced;
  std::map<Key, std::uint64_t> traced_before;
  std::vector<HeldLaunches> result;
  for (const GroupInProcess& group : groups) {
    const Key key = key_of(group);
    HeldLaunches& launches = result.emplace_back();
    const auto held = all.find(key);
    if (held == all.end() || traced[key] == 0) continue;
    const std::uint64_t count = std::min(held->second.count, traced[key]);
    std::uint64_t& before = traced_before[key];
    const double share = static_cast<double>(count) / static_cast<double>(traced[key]);
    const auto until = [&](std::uint64_t launch) {
      return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(launch)));
    };
    launches.count = std::min(until(before + group.traced) - until(before), group.traced);
    before += group.traced;
    launches.total_s =
        held->second.total_s * static_cast<double>(launches.count) / static_cast<double>(held->second.count);
  }
  return result;
}

namespace {

/// Problems with one cause are listed for up to this many processes; of more, how many there are.
constexpr std::size_t kMostNamedProcesses = 3;

}  // namespace

void SharedProblems::add(ApplicationProblem problem) {
  const std::optional<int> process = std::exchange(problem.process, std::nullopt);
  auto same = std::ranges::find(problems_, problem, &Shared::problem);
  if (same == problems_.end())
    same = problems_.insert(same, {.problem = std::move(problem), .processes = {}});
  if (process) same->processes.insert(*process);
}

std::vector<ApplicationProblem> SharedProblems::all() const {
  std::vector<ApplicationProblem> all;
  for (const auto& [problem, processes] : problems_) {
    if (processes.empty() || processes.size() > kMostNamedProcesses) all.push_back(problem);
    if (processes.size() > kMostNamedProcesses) {
      all.back().cause += fmt::format(" (in {} processes)", processes.size());
      continue;
    }
    for (const int process : processes) all.emplace_back(problem).process = process;
  }
  return all;
}

}  // namespace rooflinectl
