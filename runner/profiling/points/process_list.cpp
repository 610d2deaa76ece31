// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runner/profiling/points/groups.h"

namespace rooflinectl {

std::size_t ProcessList::collective(const CollectiveKernel& kernel) {
  const auto [place, is_new] = places_.try_emplace(kernel, kernels_.size());
  if (is_new) kernels_.push_back(kernel);
  return place->second;
}

namespace {

using Launches = std::vector<CollectiveLaunch>;

/// The end of those before `newest` that ranks may have delayed. They are all held at about the same time.
Launches::iterator end_of_held(Launches& collectives, const std::vector<Hold>& holds,
                               Launches::iterator newest) {
  if (holds.empty()) return collectives.begin();
  const std::uint64_t last_ns = 2 * holds.back().end_ns() - holds.front().start_ns;
  const auto most = std::min(newest, collectives.begin() + kMostHeldCollectives);
  return std::partition_point(collectives.begin(), most,
                              [&](const CollectiveLaunch& launch) { return launch.start_ns <= last_ns; });
}

}  // namespace

void ProcessList::add(const record::Process& process, std::vector<std::size_t> devices,
                      std::vector<CollectiveLaunch> collectives, const std::vector<Hold>& all_holds) {
  Holds holds(all_holds);
  holds.join_to(kMostHolds);
  std::sort(collectives.begin(), collectives.end(),
            [](const CollectiveLaunch& a, const CollectiveLaunch& b) { return a.start_ns < b.start_ns; });
  if (collectives.size() > kMostCollectives) {
    const auto newest = collectives.end() - kMostCollectives;
    collectives.erase(end_of_held(collectives, holds.list(), newest), newest);
  }
  processes_.emplace(process.start_ns, ProgramProcess{.id = process.process,
                                                      .rank = process.rank,
                                                      .ranks = process.ranks,
                                                      .host = host_of(process),
                                                      .devices = std::move(devices),
                                                      .collectives = std::move(collectives),
                                                      .holds = holds.list()});
}

std::size_t ProcessList::host_of(const record::Process& process) {
  const auto known = std::find_if(hosts_.begin(), hosts_.end(), [&](const ProgramHost& host) {
    return host.name == process.host && host.boot_id == process.boot_id;
  });
  if (known != hosts_.end()) return static_cast<std::size_t>(known - hosts_.begin());
  hosts_.push_back({.name = process.host, .boot_id = process.boot_id, .clock_ns = 0, .uncertainty_s = 0});
  return hosts_.size() - 1;
}

void ProcessList::complete(Application& application, std::uint64_t zero_ns) const {
  application.hosts = hosts_;
  for (ProgramHost& host : application.hosts) host.clock_ns = zero_ns;
  application.collectives = kernels_;
  for (const auto& [start_ns, process] : processes_) {
    ProgramProcess& added = application.processes.emplace_back(process);
    for (CollectiveLaunch& launch : added.collectives) launch.start_ns -= zero_ns;
    for (Hold& hold : added.holds) {
      const std::uint64_t end_ns = std::max(hold.end_ns(), zero_ns) - zero_ns;
      hold.start_ns = std::max(hold.start_ns, zero_ns) - zero_ns;
      hold.duration_ns = end_ns - hold.start_ns;
    }
  }
}

namespace {

bool is_same(const record::Kernel& a, const record::Kernel& b) {
  const bool is_same_module = !a.code || !b.code || a.code == b.code;
  return is_same_module && a.registers_per_thread == b.registers_per_thread &&
         a.static_shared_bytes == b.static_shared_bytes &&
         a.local_bytes_per_thread == b.local_bytes_per_thread;
}

}  // namespace

std::uint64_t KernelCodes::number(const std::string& chip, const std::string& name,
                                  const record::Kernel& kernel) {
  if (kernel.graph_nodes) return 1;
  std::vector<record::Kernel>& all = known_[{chip, name}];
  auto place = std::find_if(all.begin(), all.end(),
                            [&](const record::Kernel& known) { return is_same(known, kernel); });
  if (place == all.end()) place = all.insert(place, kernel);
  if (!place->code) place->code = kernel.code;
  return static_cast<std::uint64_t>(place - all.begin()) + 1;
}

}  // namespace rooflinectl
