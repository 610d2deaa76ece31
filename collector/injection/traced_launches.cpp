// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/traced_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rooflinectl::injection {

void TracedLaunches::announce(const AnnouncedLaunch& launch) {
  const std::lock_guard lock(announced_mutex_);
  announced_.push_back(launch);
}

void TracedLaunches::take_announced() {
  std::vector<AnnouncedLaunch> calls;
  {
    const std::lock_guard lock(announced_mutex_);
    calls = std::exchange(announced_, {});
  }
  for (const AnnouncedLaunch& call : calls) {
    awaited_[call.correlation] = {
        .group = call.group, .is_counted = call.is_counted, .is_graph = call.is_graph};
  }
}

/// Launches that were held up do not show how long one takes.
void TracedLaunches::tell_session(const Awaited& awaited, std::uint64_t duration_ns) {
  if (awaited.is_counted) return;
  awaited.group.session->traced(awaited.group.id, static_cast<double>(duration_ns) * 1e-9);
}

void TracedLaunches::add(const activities::Kernel& kernel) {
  const std::lock_guard lock(delivered_mutex_);
  auto found = awaited_.find(kernel.correlation);
  if (found == awaited_.end()) {
    take_announced();
    found = awaited_.find(kernel.correlation);
  }
  if (found == awaited_.end()) return;
  Awaited& awaited = found->second;
  if (awaited.is_graph) {
    record::Launch& launch = awaited.launch;
    const bool is_first = launch.start_ns == 0;
    const std::uint64_t end = std::max(launch.start_ns + launch.duration_ns, kernel.end_ns);
    launch.start_ns = is_first ? kernel.start_ns : std::min(launch.start_ns, kernel.start_ns);
    launch.duration_ns = end - launch.start_ns;
    launch.stream = kernel.stream;
    awaited.has_news = true;
    awaited_graphs_.insert(kernel.correlation);

    const KernelId inside = kernels_.of(kernel.symbol);
    record::GraphKernel& sum = graph_kernels_[{awaited.group.record, inside}];
    sum.group = awaited.group.record;
    sum.kernel = inside;
    ++sum.launches;
    sum.duration_ns += kernel.end_ns - kernel.start_ns;
    return;
  }
  const std::uint64_t duration_ns = kernel.end_ns - kernel.start_ns;
  tell_session(awaited, duration_ns);
  launches_.launches.push_back({.group = awaited.group.record,
                                .stream = kernel.stream,
                                .start_ns = kernel.start_ns,
                                .duration_ns = duration_ns,
                                .is_counted = awaited.is_counted});
  awaited_.erase(found);
}

void TracedLaunches::add(const record::Transfer& transfer) {
  const std::lock_guard lock(delivered_mutex_);
  transfers_.transfers.push_back(transfer);
}

void TracedLaunches::write() {
  const std::lock_guard lock(delivered_mutex_);
  give_up_graph_launches(false);
  if (!launches_.launches.empty()) sink_(std::exchange(launches_, {}));
  if (!transfers_.transfers.empty()) sink_(std::exchange(transfers_, {}));
  if (!graph_kernels_.empty()) {
    record::GraphKernels kernels;
    for (const auto& [key, kernel] : graph_kernels_) kernels.kernels.push_back(kernel);
    sink_(kernels);
    graph_kernels_.clear();
  }
  for (const record::Ranges& closed : paths_.take_closed()) sink_(closed);
}

/// Graphs of which the last delivery had nothing have ended.
void TracedLaunches::give_up_graph_launches(bool all) {
  std::erase_if(awaited_graphs_, [&](std::uint32_t correlation) {
    Awaited& awaited = awaited_.at(correlation);
    if (std::exchange(awaited.has_news, false) && !all) return false;
    awaited.launch.group = awaited.group.record;
    awaited.launch.is_counted = awaited.is_counted;
    tell_session(awaited, awaited.launch.duration_ns);
    launches_.launches.push_back(awaited.launch);
    awaited_.erase(correlation);
    return true;
  });
}

void TracedLaunches::end_graphs() {
  const std::lock_guard lock(delivered_mutex_);
  give_up_graph_launches(true);
}

void TracedLaunches::report_undelivered() {
  const std::lock_guard lock(delivered_mutex_);
  take_announced();
  const std::size_t missing = awaited_.size();
  if (missing == 0) return;
  sink_(record::Problem{
      .group = std::nullopt,
      .cause = fmt::format("the trace did not deliver {} launches: they are missing from all times", missing),
      .hint = "the program's own profiler, such as torch.profiler, takes the trace: turn it off; bodies "
              "of conditional graph nodes are not in it"});
  std::map<std::uint64_t, std::uint64_t> launches;  // by group
  for (const auto& [correlation, awaited] : awaited_) ++launches[awaited.group.record];
  for (const auto& [group, count] : launches) {
    sink_(record::Untraced{.group = group, .launches = count});
  }
}

}  // namespace rooflinectl::injection
