// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/collective_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

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

/// A time in which a process was held.
struct Hold {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// When counting held any of the processes: from the beginning of a pass to the last launch that was counted,
/// and where it ended. By their starts; none overlaps another.
std::vector<Hold> holds_of(const Application& application) {
  const auto ns = [](double s) { return static_cast<std::uint64_t>(s * 1e9); };
  std::vector<Hold> all;
  for (const PassUse& pass : application.passes) {
    const ProgramProcess* process = find_process(application.processes, pass.process);
    if (process == nullptr || !is_aligned(application, *process)) continue;
    all.push_back({ns(pass.start_s), ns(pass.counted_until_s.value_or(pass.end_s))});
    all.push_back({ns(pass.end_s), ns(pass.end_s)});
  }
  std::sort(all.begin(), all.end(), [](const Hold& a, const Hold& b) { return a.start_ns < b.start_ns; });
  std::vector<Hold> holds;
  for (const Hold& hold : all) {
    if (!holds.empty() && hold.start_ns <= holds.back().end_ns) {
      holds.back().end_ns = std::max(holds.back().end_ns, hold.end_ns);
    } else {
      holds.push_back(hold);
    }
  }
  return holds;
}

std::uint64_t tolerance_of(const Application& application) {
  double uncertainty_s = 0;
  for (const ProgramHost& host : application.hosts) {
    uncertainty_s = std::max(uncertainty_s, host.uncertainty_s.value_or(0));
  }
  return kTogetherNs + static_cast<std::uint64_t>(2 * uncertainty_s * 1e9);
}

/// One collective: the launch of each of its processes. `holds` are by their starts.
void add_collective(const std::vector<Launch>& same, const std::vector<Hold>& holds, CollectiveWaits& waits) {
  if (same.size() < 2) return;
  std::uint64_t since_ns = same.front().previous_end_ns;
  for (const Launch& one : same) since_ns = std::min(since_ns, one.previous_end_ns);
  const auto hold = std::lower_bound(holds.begin(), holds.end(), since_ns,
                                     [](const Hold& a, std::uint64_t ns) { return a.end_ns < ns; });
  if (hold != holds.end() && hold->start_ns <= same.back().launch->end_ns()) {
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
                              .duration_ns = one.launch->duration_ns,
                              .wait_ns = one.launch->duration_ns - shortest->launch->duration_ns,
                              .is_last = &one == &*shortest});
  }
}

}  // namespace

CollectiveWaits collective_waits(const Application& application) {
  CollectiveWaits waits;
  const std::uint64_t tolerance_ns = tolerance_of(application);
  const std::vector<Hold> holds = holds_of(application);
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
