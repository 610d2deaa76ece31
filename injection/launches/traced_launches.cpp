// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/traced_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

namespace rooflinectl::injection {

namespace {

record::Launch launch_of(const activities::Kernel& kernel) {
  return {
      .stream = kernel.stream, .start_ns = kernel.start_ns, .duration_ns = kernel.end_ns - kernel.start_ns};
}

}  // namespace

void TracedLaunches::announce(const AnnouncedLaunch& launch) {
  const std::lock_guard lock(announced_mutex_);
  announced_.push_back(launch);
  if (announced_.size() <= kMostAwaited) return;
  add_missing(awaited(announced_.front()), never_delivered_);
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

TracedLaunches::Awaited TracedLaunches::awaited(const AnnouncedLaunch& call) {
  Awaited made = {.group = call.group, .is_counted = call.is_counted, .is_graph = call.is_graph};
  made.kernels = call.kernels;
  if (!call.kernels) return made;
  for (const GraphGroups::Member& member : call.kernels->members()) {
    made.missing.push_back(member.kernels);
    made.all_missing += member.kernels;
  }
  return made;
}

void TracedLaunches::add_missing(const Awaited& awaited, std::map<std::uint64_t, std::uint64_t>& by_group) {
  if (!awaited.kernels) {
    ++by_group[awaited.group.record];
    return;
  }
  for (std::size_t i = 0; i < awaited.missing.size(); ++i) {
    if (awaited.missing[i] > 0) by_group[awaited.kernels->members()[i].group.record] += awaited.missing[i];
  }
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
    awaited_[call.correlation] = awaited(call);
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
  add_missing(found->second, never_delivered_);
  awaited_graphs_.erase(correlation);
  awaited_.erase(found);
}

void TracedLaunches::deliver(const LaunchGroup& group, bool is_counted, const record::Launch& launch) {
  group.session->traced(group.id, static_cast<double>(launch.duration_ns) * 1e-9, is_counted);
  launches_.launches.push_back(launch);
  launches_.launches.back().group = group.record;
  launches_.launches.back().is_counted = is_counted;
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
  if (awaited.kernels) {
    if (add_in_groups(awaited, kernel)) awaited_.erase(found);
    return;
  }
  if (awaited.is_graph) return add_in_graph(awaited, kernel);
  deliver(awaited.group, awaited.is_counted, launch_of(kernel));
  awaited_.erase(found);
}

/// Returns whether it was the last one of the launch.
bool TracedLaunches::add_in_groups(Awaited& awaited, const activities::Kernel& kernel) {
  const auto place = awaited.kernels->find(kernel);
  if (!place) {
    ++unknown_in_graphs_;
    return false;
  }
  deliver(awaited.kernels->members()[*place].group, awaited.is_counted, launch_of(kernel));
  if (awaited.missing[*place] > 0) {
    --awaited.missing[*place];
    --awaited.all_missing;
  }
  return awaited.all_missing == 0;
}

void TracedLaunches::add_in_graph(Awaited& awaited, const activities::Kernel& kernel) {
  record::Launch& launch = awaited.launch;
  const bool is_first = launch.start_ns == 0;
  const std::uint64_t end = std::max(launch.start_ns + launch.duration_ns, kernel.end_ns);
  launch.start_ns = is_first ? kernel.start_ns : std::min(launch.start_ns, kernel.start_ns);
  launch.duration_ns = end - launch.start_ns;
  launch.stream = kernel.stream;
  awaited.has_news = true;
  awaited_graphs_.insert(kernel.correlation);

  const Kernel& known = kernels_.in_graph(kernel.symbol);
  if (known.is_left_out) return;
  const KernelId inside = known.id;
  record::GraphKernel& sum = graph_kernels_[{awaited.group.record, inside}];
  sum.group = awaited.group.record;
  sum.kernel = inside;
  ++sum.launches;
  sum.duration_ns += kernel.end_ns - kernel.start_ns;
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
    deliver(awaited.group, awaited.is_counted, awaited.launch);
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
  for (const auto& [correlation, awaited] : awaited_) add_missing(awaited, launches);
  if (unknown_in_graphs_ > 0) {
    sink_(record::Problem{.group = std::nullopt,
                          .cause = fmt::format("{} kernels that ran in CUDA graphs are in no group: nodes of "
                                               "the graph do not launch them",
                                               unknown_in_graphs_),
                          .hint = ""});
  }
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
