// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/devices/devices_together.h"
#include "analysis/devices/ranks.h"
#include "core/machine/ranks.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

constexpr std::uint64_t kTogetherNs = 50'000;

struct Launch {
  std::size_t process = 0;
  const CollectiveLaunch* launch = nullptr;
  std::uint64_t previous_end_ns = 0;  ///< of the process's collective before; 0 where none is known
};

std::uint64_t end_ns(const Launch& launch) {
  return launch.launch->end_ns();
}

/// Whether the clock of its host is known.
bool is_aligned(const Application& application, const ProgramProcess& process) {
  return process.host < application.hosts.size() && application.hosts[process.host].uncertainty_s.has_value();
}

std::vector<Launch> own_launches(const ProgramProcess& process, std::size_t place) {
  std::vector<Launch> launches;
  for (const CollectiveLaunch& launch : process.collectives)
    launches.push_back({.process = place, .launch = &launch});
  std::ranges::stable_sort(launches, {}, end_ns);
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
  for (auto& [name, all] : by_name) std::ranges::stable_sort(all, {}, end_ns);
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
  const auto shortest =
      std::ranges::min_element(same, {}, [](const Launch& one) { return one.launch->duration_ns; });
  waits.judged.push_back({.kernel = shortest->launch->kernel,
                          .processes = same.size(),
                          .shortest_ns = shortest->launch->duration_ns});
  const std::uint64_t shortest_ns = shortest->launch->duration_ns;
  std::uint64_t wait_ns = 0;
  for (const Launch& one : same) wait_ns += one.launch->duration_ns - shortest_ns;
  for (const Launch& one : same) {
    const bool is_last = &one == &*shortest;
    waits.launches.push_back({.process = one.process,
                              .kernel = one.launch->kernel,
                              .start_ns = one.launch->start_ns,
                              .duration_ns = one.launch->duration_ns,
                              .wait_ns = one.launch->duration_ns - shortest_ns,
                              .is_last = is_last,
                              .caused_ns = is_last ? wait_ns : 0});
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

namespace {

/// From the names of NCCL's kernels: `ncclDevKernel_AllReduce_Sum_f32_RING_LL`.
std::optional<Collective> collective_of(std::string_view kernel) {
  for (const auto& [name, kind] : {std::pair(std::string_view("_AllReduce_"), Collective::all_reduce),
                                   std::pair(std::string_view("_AllGather_"), Collective::all_gather),
                                   std::pair(std::string_view("_ReduceScatter_"), Collective::reduce_scatter),
                                   std::pair(std::string_view("_Broadcast_"), Collective::broadcast)}) {
    if (kernel.find(name) != std::string_view::npos) return kind;
  }
  return std::nullopt;
}

/// Those of the whole array: NCCL gives those of one rank's part in an all-gather or reduce-scatter.
double array_bytes(Collective kind, std::uint64_t message_bytes, std::size_t ranks) {
  const bool is_part = kind == Collective::all_gather || kind == Collective::reduce_scatter;
  return static_cast<double>(message_bytes) * (is_part ? static_cast<double>(ranks) : 1);
}

/// How long it takes alone, if that was measured over as many devices.
std::optional<double> alone_s(const Run& run, Collective kind, double bytes, std::size_t ranks) {
  if (!run.collectives || run.devices.size() != ranks) return std::nullopt;
  for (const CollectiveTimes& times : run.collectives->times) {
    if (times.collective == kind) return interpolated_time_s(times, bytes);
  }
  return std::nullopt;
}

}  // namespace

double CollectiveSize::bus_bytes_per_s() const {
  return rooflinectl::bus_bytes_per_s(collective, time, ranks);
}

std::optional<double> CollectiveSize::alone_bus_bytes_per_s() const {
  if (!alone_s) return std::nullopt;
  return rooflinectl::bus_bytes_per_s(collective,
                                      {.bytes = time.bytes, .time_s = *alone_s, .relative_spread = 0}, ranks);
}

std::optional<AgainstAlone> against_alone(const std::vector<CollectiveSize>& sizes) {
  AgainstAlone all;
  for (const CollectiveSize& size : sizes) {
    if (!size.alone_s) continue;
    const auto times = static_cast<double>(size.count);
    all.count += size.count;
    all.time_s += times * size.time.time_s;
    all.alone_s += times * *size.alone_s;
  }
  return all.count == 0 ? std::nullopt : std::optional(all);
}

std::vector<CollectiveSize> collective_sizes(const Run& run,
                                             const std::vector<MatchedCollective>& collectives) {
  std::map<std::tuple<Collective, double, std::size_t>, std::vector<double>> times;
  for (const MatchedCollective& one : collectives) {
    const CollectiveKernel& kernel = run.application->collectives[one.kernel];
    const std::optional<Collective> kind = collective_of(kernel.subject);
    if (!kind || kernel.bytes.value_or(0) == 0 || one.shortest_ns == 0) continue;
    times[{*kind, array_bytes(*kind, *kernel.bytes, one.processes), one.processes}].push_back(
        static_cast<double>(one.shortest_ns) * 1e-9);
  }
  std::vector<CollectiveSize> sizes;
  for (const auto& [key, all] : times) {
    const auto& [kind, bytes, ranks] = key;
    sizes.push_back({.collective = kind,
                     .ranks = ranks,
                     .count = all.size(),
                     .time = {.bytes = bytes, .time_s = median(all), .relative_spread = 0},
                     .alone_s = alone_s(run, kind, bytes, ranks)});
  }
  const auto total_s = [](const CollectiveSize& size) {
    return static_cast<double>(size.count) * size.time.time_s;
  };
  std::ranges::stable_sort(sizes, std::greater(), total_s);
  return sizes;
}

}  // namespace rooflinectl
