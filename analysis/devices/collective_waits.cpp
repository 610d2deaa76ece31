// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/collective_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/model/holds.h"

namespace rooflinectl {

namespace {

constexpr std::uint64_t kTogetherNs = 50'000;

struct Launch {
  std::size_t process = 0;
  const CollectiveLaunch* launch = nullptr;
  std::uint64_t previous_end_ns = 0;  ///< of the process's collective before; 0 where none is known
};

bool ends_before(const Launch& a, const Launch& b) {
  return a.launch->end_ns() < b.launch->end_ns();
}

/// Whether the clock of its host is known.
bool is_aligned(const Application& application, const ProgramProcess& process) {
  return process.host < application.hosts.size() && application.hosts[process.host].uncertainty_s.has_value();
}

std::vector<Launch> own_launches(const ProgramProcess& process, std::size_t place) {
  std::vector<Launch> launches;
  for (const CollectiveLaunch& launch : process.collectives)
    launches.push_back({.process = place, .launch = &launch});
  std::stable_sort(launches.begin(), launches.end(), ends_before);
  for (std::size_t i = 1; i < launches.size(); ++i) {
    launches[i].previous_end_ns = launches[i - 1].launch->end_ns();
  }
  return launches;
}

/// By the name of the kernel, whatever its NVTX ranges, in the order of their ends.
std::map<std::string_view, std::vector<Launch>> launches_by_end(const Application& application) {
  std::map<std::string_view, std::vector<Launch>> by_name;
  for (std::size_t i = 0; i < application.processes.size(); ++i) {
    const ProgramProcess& process = application.processes[i];
    if (!is_aligned(application, process)) continue;
    for (const Launch& launch : own_launches(process, i)) {
      by_name[application.collectives[launch.launch->kernel].subject].push_back(launch);
    }
  }
  for (auto& [name, all] : by_name) std::stable_sort(all.begin(), all.end(), ends_before);
  return by_name;
}

/// When any of the processes was held. Of an older run: from the beginning of each pass to the last launch
/// that was counted in it, and where the pass ended.
Holds holds_of(const Application& application) {
  std::vector<Hold> holds;
  std::set<int> with_holds;
  for (const ProgramProcess& process : application.processes) {
    if (process.holds.empty() || !is_aligned(application, process)) continue;
    with_holds.insert(process.id);
    holds.insert(holds.end(), process.holds.begin(), process.holds.end());
  }
  const auto ns = [](double s) { return static_cast<std::uint64_t>(s * 1e9); };
  for (const PassUse& pass : application.passes) {
    const ProgramProcess* process = find_process(application.processes, pass.process);
    if (process == nullptr || !is_aligned(application, *process) || with_holds.contains(pass.process)) {
      continue;
    }
    const std::uint64_t start_ns = ns(pass.start_s);
    const std::uint64_t until_ns = std::max(start_ns, ns(pass.counted_until_s.value_or(pass.end_s)));
    holds.push_back({start_ns, until_ns - start_ns});
    holds.push_back({ns(pass.end_s), 0});
  }
  return Holds(std::move(holds));
}

std::uint64_t tolerance_of(const Application& application) {
  double uncertainty_s = 0;
  for (const ProgramHost& host : application.hosts) {
    uncertainty_s = std::max(uncertainty_s, host.uncertainty_s.value_or(0));
  }
  return kTogetherNs + static_cast<std::uint64_t>(2 * uncertainty_s * 1e9);
}

/// One collective: the launch of each of its processes.
void add_collective(const std::vector<Launch>& same, const Holds& holds, CollectiveWaits& waits) {
  if (same.size() < 2) return;
  std::uint64_t since_ns = same.front().previous_end_ns;
  for (const Launch& one : same) since_ns = std::min(since_ns, one.previous_end_ns);
  if (holds.delay(since_ns, same.back().launch->end_ns())) {
    ++waits.set_aside;
    return;
  }
  const auto shortest = std::min_element(same.begin(), same.end(), [](const Launch& a, const Launch& b) {
    return a.launch->duration_ns < b.launch->duration_ns;
  });
  waits.judged.push_back({.kernel = shortest->launch->kernel,
                          .processes = same.size(),
                          .shortest_ns = shortest->launch->duration_ns});
  for (const Launch& one : same) {
    waits.launches.push_back({.process = one.process,
                              .kernel = one.launch->kernel,
                              .start_ns = one.launch->start_ns,
                              .duration_ns = one.launch->duration_ns,
                              .wait_ns = one.launch->duration_ns - shortest->launch->duration_ns,
                              .is_last = &one == &*shortest});
  }
}

}  // namespace

CollectiveWaits collective_waits(const Application& application) {
  CollectiveWaits waits;
  const std::uint64_t tolerance_ns = tolerance_of(application);
  const Holds holds = holds_of(application);
  for (const auto& [name, launches] : launches_by_end(application)) {
    std::vector<Launch> same;
    std::set<std::size_t> processes;
    for (const Launch& launch : launches) {
      const bool is_another =
          !same.empty() && (processes.contains(launch.process) ||
                            launch.launch->end_ns() > same.front().launch->end_ns() + tolerance_ns);
      if (is_another) {
        add_collective(same, holds, waits);
        same.clear();
        processes.clear();
      }
      same.push_back(launch);
      processes.insert(launch.process);
    }
    add_collective(same, holds, waits);
  }
  return waits;
}

}  // namespace rooflinectl
