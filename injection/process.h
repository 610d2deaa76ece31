// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/program/profile_settings.h"
#include "injection/cuda/activities.h"
#include "injection/driver.h"
#include "injection/launch.h"
#include "injection/launches/counting_session.h"
#include "injection/launches/graph_launches.h"
#include "injection/launches/kernels.h"
#include "injection/launches/launch_groups.h"
#include "injection/launches/traced_launches.h"
#include "injection/lock_order.h"
#include "injection/ranges/nvtx_paths.h"
#include "injection/record_file.h"
#include "injection/timelines.h"

namespace rooflinectl::injection {

/// The process that this library was loaded into: hears of every launch before and after it is made, lets a
/// session per context count some, and writes down what they and the trace give. It knows neither CUDA nor
/// CUPTI, which call it (`cupti_callbacks.h`) and are called by it (`Driver`). It must live until the process
/// ends. Member functions may be called from any thread.
class Process : public activities::Listener {
 public:
  explicit Process(ProfileSettings settings, std::size_t most_groups = LaunchGroups::kMostGroups);
  ~Process() override;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  NvtxPaths& paths() { return paths_; }

  /// CUDA is being initialised: from now on there is a file of records.
  void observe(Driver& driver);
  /// The process is about to end in an orderly way. Waits for a limited time.
  void finish();
  /// CUPTI does not tell what the program does, for this reason.
  void see_nothing(const Error& error);
  /// Something went wrong that nobody expected: it is written down, and nothing more is done.
  void give_up(const std::exception& error);
  bool is_active() const { return is_active_; }

  // Around a fork. In the child of a process that uses CUDA everything is the parent's: nothing is done
  // there.
  void before_fork() { paths_.before_fork(); }
  void after_fork_in_parent() { paths_.after_fork_in_parent(); }
  void after_fork_in_child();
  bool is_child() const { return is_child_; }

  // What the program does. Each call of `entered…` is followed by one of `left` on the same thread.

  /// A launch is about to be made, and may be held for a while.
  void entered(const Launch& launch);
  /// Whether the kernels in graphs are to be counted.
  bool counts_graph_kernels() const { return !settings_.whole_graphs; }
  /// Whether it may share CUPTI, which counts and samples for one tool of a process alone.
  bool may_share_cupti() const {
    return settings_.limit == 0U && settings_.passes.empty() && !settings_.timeline_interval_ns;
  }
  /// Whether it samples source lines, if any code tells them.
  bool may_sample_lines() const {
    return settings_.capture == Capture::all && settings_.limit != 0U && !settings_.passes.empty();
  }
  /// A graph is about to be launched that launches these kernels. Returns the path of ranges in which they
  /// are to be launched one by one in place of it: then `entered_other_work` follows in place of the launch.
  /// Otherwise `left` follows.
  std::optional<PathId> entered_graph(const Launch& launch, const std::shared_ptr<const GraphNodes>& nodes);
  /// What this thread launches from now on are the nodes of a graph, in that path, until `end_nodes`.
  void begin_nodes(PathId path);
  void end_nodes();
  /// By the thread that called `entered_graph`: all nodes were launched.
  void left_graph();
  /// A launch is about to be made that is in no group, or a copy.
  void entered_other_work(Handle context);
  /// An executable graph, whose kernels may be of any device, is about to be made, changed or destroyed.
  void entered_graph_change();
  /// It was made. `error`: the driver's name of the error if it refused, else null.
  void left(const char* error);
  void graph_made(Handle executable, const std::string& name, std::uint64_t nodes);
  void graph_destroyed(Handle executable);
  /// Threads that make or launch graphs no longer wait for each other.
  void graphs_are_unguarded();
  void module_unloaded();
  /// The context is about to be destroyed; nothing of the driver is locked yet.
  void context_ends(Handle context);
  /// The device's primary context may be destroyed.
  void primary_context_ends(int device);
  /// It is being destroyed. Waits for nothing: the driver calls this with its own locks.
  void context_destroyed(Handle context);
  /// cuProfilerStart or cuProfilerStop.
  void in_profiler_range(bool is_inside);

  // What CUPTI delivers.
  void traced(const activities::Kernel& kernel) override {
    if (kernel.symbol != activities::kKernelOfCupti) traced_launches_.add(kernel);
  }
  void traced(const record::Transfer& transfer) override { traced_launches_.add(transfer); }
  void delivered() override { traced_launches_.write(); }
  void lost(std::uint64_t count) override { lost_ += count; }

  /// Writes what is known to disk.
  void write();

 private:
  struct Context;
  struct Call;

  /// Adds records to the file, which there is by then.
  std::function<void(const ProfileRecord&)> sink() {
    return [this](const ProfileRecord& record) { file_->add(record); };
  }
  void problem(std::string_view what, const Error& error);
  static Call& call_of_thread();
  Context* find_context(Handle context);
  Context& context_of(const Launch& launch);
  Context& make_context(Handle context);
  std::shared_ptr<const GraphGroups> groups_of(Context& context,
                                               const std::shared_ptr<const GraphNodes>& nodes, PathId path);
  std::optional<LaunchGroup> group_of(Context& context, const Launch& launch, PathId path, bool is_in_graph);
  Kernel& kernel_of(const Launch& launch);
  bool is_captured_by_plan(PathId path) const;
  bool takes_turn();
  void trace(const Context& context, bool on);
  void finish(Context& context);
  bool has_others(const Context& context) const;
  void start_writing();
  void deliver_trace();
  void write_tallies();

  const ProfileSettings settings_;
  std::atomic<bool> is_active_ = true;
  std::atomic<bool> is_observed_ = false;
  std::atomic<bool> is_child_ = false;
  std::atomic<bool> is_in_profiler_range_ = false;  // between cuProfilerStart and cuProfilerStop
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint64_t> left_out_ = 0;
  std::atomic<std::uint64_t> selected_launches_ = 0;
  Driver* driver_ = nullptr;  // once CUDA is there, as the file
  std::optional<RecordFile> file_;
  NvtxPaths paths_;
  Kernels kernels_;
  LaunchGroups groups_;
  GraphLaunches graph_launches_;
  TracedLaunches traced_launches_;
  Timelines timelines_;

  OrderedMutex<LockOrder::contexts> contexts_mutex_;  // guards what follows
  std::map<Handle, std::unique_ptr<Context>> contexts_;
  std::vector<std::unique_ptr<Context>> ended_;  // launches that are still awaited point to them
  std::map<int, DeviceTurn> devices_;
  const std::shared_ptr<Collectives> collectives_ = std::make_shared<Collectives>();
  /// Of what threads remember: contexts, and handles of functions. A value is never that of another object.
  std::atomic<std::uint64_t> changes_;

  OrderedMutex<LockOrder::trace> trace_mutex_;  // guards what follows
  std::set<const Context*> untraced_;           // contexts that want no trace now
  std::atomic<bool> is_traced_ = false;

  OrderedMutex<LockOrder::tallies> tallies_mutex_;                                  // guards what follows
  std::map<std::uint64_t, std::uint64_t> untraced_launches_;                        // by group
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> failed_launches_;  // by group and error

  std::mutex writer_mutex_;  // guards what follows; launching threads take it rarely
  std::condition_variable writer_wakes_;
  std::condition_variable delivered_;
  std::uint64_t wanted_deliveries_ = 0;  // of what was traced
  std::uint64_t deliveries_ = 0;
  bool is_finished_ = false;
  std::thread writer_;
  std::atomic<bool> is_writing_ = false;
};

/// What this thread does on our behalf is none of the program's doing: callbacks that come meanwhile are
/// ignored.
class OurOwnCall {
 public:
  OurOwnCall() : before_(is_own) { is_own = true; }
  ~OurOwnCall() { is_own = before_; }
  OurOwnCall(const OurOwnCall&) = delete;
  OurOwnCall& operator=(const OurOwnCall&) = delete;

  static bool is_one() { return is_own; }
  /// From now on everything that this thread does is.
  static void on_this_thread() { is_own = true; }

 private:
  friend class ProgramsCall;

  static thread_local bool is_own;
  const bool before_;
};

/// What this thread does is the program's doing again: it is done in place of a call of the program.
class ProgramsCall {
 public:
  ProgramsCall() : before_(OurOwnCall::is_own) { OurOwnCall::is_own = false; }
  ~ProgramsCall() { OurOwnCall::is_own = before_; }
  ProgramsCall(const ProgramsCall&) = delete;
  ProgramsCall& operator=(const ProgramsCall&) = delete;

 private:
  const bool before_;
};

}  // namespace rooflinectl::injection
