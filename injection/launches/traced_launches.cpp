// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/traced_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

namespace rooflinectl::injection {

void TracedLaunches::announce(const AnnouncedLaunch& launch) {
  const std::lock_guard lock(announced_mutex_);
  announced_.push_back(launch);
  if (announced_.size() <= kMostAwaited) return;
  ++never_delivered_[announced_.front().group.record];
  announced_.pop_front();
}

void TracedLaunches::retract(std::uint32_t correlation) {
  const std::lock_guard lock(announced_mutex_);
  const auto last = std::find_if(announced_.rbegin(), announced_.rend(), [&](const AnnouncedLaunch& launch) {
    return launch.correlation == correlation;
  });
  if (last != announced_.rend())
    announced_.erase(std::next(last).base());
  else
    retracted_.push_back(correlation);  // it was taken meanwhile
}

void TracedLaunches::take_announced() {
  std::deque<AnnouncedLaunch> calls;
  std::vector<std::uint32_t> retracted;
  {
    const std::lock_guard lock(announced_mutex_);
    calls = std::exchange(announced_, {});
    retracted = std::exchange(retracted_, {});
  }
  for (const AnnouncedLaunch& call : calls) {
    awaited_[call.correlation] = {
        .group = call.group, .is_counted = call.is_counted, .is_graph = call.is_graph};
    awaited_in_order_.push_back(call.correlation);
  }
  for (const std::uint32_t correlation : retracted) awaited_.erase(correlation);
  while (awaited_.size() > kMostAwaited) {
    give_up(awaited_in_order_.front());
    awaited_in_order_.pop_front();
  }
  if (awaited_in_order_.size() > 2 * kMostAwaited) {
    std::erase_if(awaited_in_order_,
                  [this](std::uint32_t correlation) { return !awaited_.contains(correlation); });
  }
}

void TracedLaunches::give_up(std::uint32_t correlation) {
  const auto found = awaited_.find(correlation);
  if (found == awaited_.end()) return;
  const std::lock_guard lock(announced_mutex_);
  ++never_delivered_[found->second.group.record];
  awaited_graphs_.erase(correlation);
  awaited_.erase(found);
}

void TracedLaunches::tell_session(const Awaited& awaited, std::uint64_t duration_ns) {
  awaited.group.session->traced(awaited.group.id, static_cast<double>(duration_ns) * 1e-9,
                                awaited.is_counted);
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

    const KernelId inside = kernels_.in_graph(kernel.symbol).id;
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
  std::map<std::uint64_t, std::uint64_t> launches;  // by group
  {
    const std::lock_guard announced(announced_mutex_);
    launches = std::exchange(never_delivered_, {});
  }
  for (const auto& [correlation, awaited] : awaited_) ++launches[awaited.group.record];
  if (launches.empty()) return;
  std::uint64_t missing = 0;
  for (const auto& [group, count] : launches) {
    sink_(record::Untraced{.group = group, .launches = count});
    missing += count;
  }
  sink_(record::Problem{
      .group = std::nullopt,
      .cause = fmt::format("the trace did not deliver {} launches: they are missing from all times", missing),
      .hint = "the program's own profiler, such as torch.profiler, takes the trace: turn it off; bodies "
              "of conditional graph nodes are not in it"});
}

}  // namespace rooflinectl::injection
