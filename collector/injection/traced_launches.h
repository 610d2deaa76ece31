// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/injection/activities.h"
#include "collector/injection/kernels.h"
#include "collector/injection/nvtx_paths.h"
#include "collector/injection/session.h"
#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// Launches of one kernel, of one shape, under one NVTX path, in one context.
struct LaunchGroup {
  Session* session = nullptr;  ///< of the context
  std::uint64_t record = 0;    ///< its id in the file
  GroupId id = 0;              ///< in the session
};

/// A call that was made while the trace was on.
struct AnnouncedLaunch {
  std::uint32_t correlation = 0;
  LaunchGroup group;
  bool is_counted = false;
  bool is_graph = false;
};

/// What the trace delivers, as records: of the launches that were announced to it, and of transfers. Member
/// functions may be called from any thread.
class TracedLaunches {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  /// `kernels` and `paths` must outlive it, and so must the sessions of the groups.
  TracedLaunches(Kernels& kernels, NvtxPaths& paths, Sink sink)
      : kernels_(kernels), paths_(paths), sink_(std::move(sink)) {}

  /// The launch is being made. It is held up for a moment only.
  void announce(const AnnouncedLaunch& launch);
  void add(const activities::Kernel& kernel);
  void add(const record::Transfer& transfer);
  /// Writes what was added since the last call, and the NVTX ranges that were closed.
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
    bool has_news = false;  ///< since the last delivery
  };
  struct GraphKernelKey {
    std::uint64_t group = 0;
    KernelId kernel = 0;
    auto operator<=>(const GraphKernelKey&) const =
        default;  // NOLINT(modernize-use-nullptr): there is no null
  };

  void take_announced();
  static void tell_session(const Awaited& awaited, std::uint64_t duration_ns);
  void give_up_graph_launches(bool all);

  Kernels& kernels_;
  NvtxPaths& paths_;
  const Sink sink_;

  std::mutex announced_mutex_;  // guards what follows; held for a moment only, as launches take it
  std::vector<AnnouncedLaunch> announced_;

  std::mutex delivered_mutex_;  // guards what follows; launches do not take it
  std::unordered_map<std::uint32_t, Awaited> awaited_;
  std::set<std::uint32_t> awaited_graphs_;
  record::Launches launches_;
  record::Transfers transfers_;
  std::map<GraphKernelKey, record::GraphKernel> graph_kernels_;
};

}  // namespace rooflinectl::injection
