// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/program/profile_record.h"
#include "injection/cuda/activities.h"
#include "injection/launches/graph_launches.h"
#include "injection/launches/kernels.h"
#include "injection/launches/launch_groups.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// A call that was made while the trace was on.
struct AnnouncedLaunch {
  std::uint32_t correlation = 0;
  LaunchGroup group;
  bool is_counted = false;
  bool is_graph = false;
  /// Of a graph whose kernels are in groups of their own: these, and `group` is none.
  std::shared_ptr<const GraphGroups> kernels = nullptr;
};

/// What the trace delivers, as records: of the launches that were announced to it, and of transfers. Member
/// functions may be called from any thread.
class TracedLaunches {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  /// Launches that are awaited at a time. If the trace does not deliver that many, because another profiler
  /// has it, the oldest are given up.
  static constexpr std::size_t kMostAwaited = std::size_t{1} << 18;

  /// `kernels` must outlive it, and so must the sessions of the groups.
  TracedLaunches(Kernels& kernels, Sink sink) : kernels_(kernels), sink_(std::move(sink)) {}

  /// The launch is being made. It is held up for a moment only.
  void announce(const AnnouncedLaunch& launch);
  /// The driver refused it.
  void retract(std::uint32_t correlation);
  void add(const activities::Kernel& kernel);
  void add(const record::Transfer& transfer);
  /// Writes what was added since the last call.
  void write();
  /// All graphs have ended, since the trace has.
  void end_graphs();
  /// Writes which launches the trace has nothing of, although it was on.
  void report_undelivered();

 private:
  /// A call whose launches the trace has not delivered yet.
  struct Awaited {
    LaunchGroup group;
    bool is_counted = false;
    bool is_graph = false;
    record::Launch launch;  ///< of a graph, as far as its kernels were delivered
    std::shared_ptr<const GraphGroups> kernels;
    std::vector<std::uint64_t> missing;  ///< that are not delivered yet, of each of these groups
    std::uint64_t all_missing = 0;       ///< the sum of these
    bool has_news = false;               ///< since the last delivery
  };
  struct GraphKernelKey {
    std::uint64_t group = 0;
    KernelId kernel = 0;
    auto operator<=>(const GraphKernelKey&) const =
        default;  // NOLINT(modernize-use-nullptr): there is no null
  };

  void take_announced();
  static Awaited awaited(const AnnouncedLaunch& call);
  bool add_in_groups(Awaited& awaited, const activities::Kernel& kernel);
  void add_in_graph(Awaited& awaited, const activities::Kernel& kernel);
  void deliver(const LaunchGroup& group, bool is_counted, const record::Launch& launch);
  static void add_missing(const Awaited& awaited, std::map<std::uint64_t, std::uint64_t>& by_group);
  void give_up(std::uint32_t correlation);
  void give_up_graph_launches(bool all);

  Kernels& kernels_;
  const Sink sink_;

  OrderedMutex<LockOrder::announced> announced_mutex_;  // guards what follows
  std::deque<AnnouncedLaunch> announced_;
  std::vector<std::uint32_t> retracted_;
  std::map<std::uint64_t, std::uint64_t> never_delivered_;  // by group

  OrderedMutex<LockOrder::delivery> delivered_mutex_;  // guards what follows
  std::unordered_map<std::uint32_t, Awaited> awaited_;
  std::deque<std::uint32_t> awaited_in_order_;  // may have some that were delivered
  std::set<std::uint32_t> awaited_graphs_;
  record::Launches launches_;
  record::Transfers transfers_;
  std::map<GraphKernelKey, record::GraphKernel> graph_kernels_;
  std::uint64_t unknown_in_graphs_ = 0;  // kernels like none of the graph's
};

}  // namespace rooflinectl::injection
