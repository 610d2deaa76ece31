// SPDX-License-Identifier: Apache-2.0
#include "analysis/collective_waits.h"

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
};

/// By the name of the kernel, whatever its NVTX ranges, by their ends.
std::map<std::string_view, std::vector<Launch>> launches_by_end(const Application& application) {
  std::map<std::string_view, std::vector<Launch>> launches;
  for (std::size_t i = 0; i < application.processes.size(); ++i) {
    const ProgramProcess& process = application.processes[i];
    const bool is_aligned =
        process.host < application.hosts.size() && application.hosts[process.host].uncertainty_s;
    if (!is_aligned) continue;
    for (const CollectiveLaunch& launch : process.collectives) {
      launches[application.collectives[launch.kernel].subject].push_back({i, &launch});
    }
  }
  for (auto& [name, all] : launches) {
    std::stable_sort(all.begin(), all.end(), [](const Launch& a, const Launch& b) {
      return a.launch->end_ns() < b.launch->end_ns();
    });
  }
  return launches;
}

std::uint64_t tolerance_of(const Application& application) {
  double uncertainty_s = 0;
  for (const ProgramHost& host : application.hosts) {
    uncertainty_s = std::max(uncertainty_s, host.uncertainty_s.value_or(0));
  }
  return kTogetherNs + static_cast<std::uint64_t>(2 * uncertainty_s * 1e9);
}

/// One collective: of each of its processes the launch.
void add_waits(const std::vector<Launch>& same, std::vector<CollectiveWait>& waits) {
  if (same.size() < 2) return;
  const auto shortest = std::min_element(same.begin(), same.end(), [](const Launch& a, const Launch& b) {
    return a.launch->duration_ns < b.launch->duration_ns;
  });
  for (const Launch& one : same) {
    waits.push_back({.process = one.process,
                     .kernel = one.launch->kernel,
                     .duration_ns = one.launch->duration_ns,
                     .wait_ns = one.launch->duration_ns - shortest->launch->duration_ns,
                     .is_last = &one == &*shortest});
  }
}

}  // namespace

std::vector<CollectiveWait> collective_waits(const Application& application) {
  std::vector<CollectiveWait> waits;
  const std::uint64_t tolerance_ns = tolerance_of(application);
  for (const auto& [name, launches] : launches_by_end(application)) {
    std::vector<Launch> same;
    std::set<std::size_t> processes;
    for (const Launch& launch : launches) {
      const bool is_another =
          !same.empty() && (processes.contains(launch.process) ||
                            launch.launch->end_ns() > same.front().launch->end_ns() + tolerance_ns);
      if (is_another) {
        add_waits(same, waits);
        same.clear();
        processes.clear();
      }
      same.push_back(launch);
      processes.insert(launch.process);
    }
    add_waits(same, waits);
  }
  return waits;
}

}  // namespace rooflinectl
