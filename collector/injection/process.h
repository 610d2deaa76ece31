// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "collector/injection/activities.h"
#include "collector/injection/kernels.h"
#include "collector/injection/launch_call.h"
#include "collector/injection/nvtx_paths.h"
#include "collector/injection/record_file.h"
#include "collector/injection/session.h"
#include "collector/injection/streams.h"
#include "collector/injection/traced_launches.h"
#include "collector/sampling/sampling_thread.h"
#include "core/error.h"
#include "core/model/profile_settings.h"
#include "core/text/launch_filter.h"

namespace rooflinectl::injection {

/// The process that this library was loaded into: hears of every launch before and after it is made, lets a
/// session per context count some, and writes down what they and the trace give. It must live until the
/// process ends.
class Process : public activities::Listener {
 public:
  explicit Process(ProfileSettings settings);
  ~Process() override;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  NvtxPaths& paths() { return paths_; }

  /// From now on every launch is noticed; CUDA is being initialised. What fails is written down.
  void observe();
  /// The process is about to end in an orderly way.
  void finish();
  /// This is a child that was forked: CUDA, CUPTI and the file, if there are any yet, are its parent's.
  void switch_off() {
    if (!file_) return;
    is_child_ = true;
    is_active_ = false;
  }
  /// Something went wrong that nobody expected: it is written down, and nothing more is done.
  void give_up(const std::exception& error);

  // What CUPTI tells.
  void called(CUpti_CallbackId function, const CUpti_CallbackData& call);
  void changed(CUpti_CallbackId change, const CUpti_ResourceData& resource);
  void traced(const activities::Kernel& kernel) override;
  void traced(const record::Transfer& transfer) override { traced_launches_.add(transfer); }
  void delivered() override;
  void lost(std::uint64_t count) override { lost_ += count; }

 private:
  struct Context;
  struct GroupKey;
  /// Paths that differ in numbers only.
  struct PathPattern {
    PathId first = 0;
    int paths = 0;
  };

  void before(CUpti_CallbackId function, const CUpti_CallbackData& call);
  Context& context_of(const CUpti_CallbackData& call);
  LaunchGroup group_of(Context& context, const LaunchCall& launch, const CUpti_CallbackData& call,
                       PathId path);
  std::optional<std::uint64_t> message_bytes(KernelId kernel) const;
  PathId path_to_sample(PathId path);
  GroupId add_to_session(Context& context, const LaunchGroup& group, KernelId kernel, PathId path);
  bool is_captured_by_plan(PathId path);
  bool takes_turn();
  void trace(const Context& context, bool on);
  void start_writing();
  std::unique_ptr<SamplingThread> sampling_thread(int device);
  void begin_timeline(int device);
  bool is_sampled(int device);
  void end_timeline(int device);
  void in_profiler_range(bool is_inside);
  void problem(const char* what, const Error& error);
  void finish(Context& context);

  const ProfileSettings settings_;
  const LaunchFilter filter_;
  const std::set<std::string> only_;
  std::atomic<bool> is_active_ = true;
  std::atomic<bool> is_child_ = false;
  NvtxPaths paths_;
  std::optional<RecordFile> file_;  // where there is CUDA
  Kernels kernels_;
  TracedLaunches traced_launches_;
  Streams streams_;
  CUpti_SubscriberHandle subscriber_ = nullptr;

  std::mutex mutex_;  // guards what follows
  std::map<CUcontext, std::unique_ptr<Context>> contexts_;
  std::map<GroupKey, LaunchGroup> groups_;
  std::set<int> devices_;  // that are written down
  std::unordered_map<std::string, PathPattern> path_patterns_;
  std::unordered_map<PathId, PathId> sampled_paths_;  // whose launches each path's are sampled with
  std::vector<std::uint64_t> launches_of_kernels_;    // so far, by KernelId
  std::uint64_t group_count_ = 0;
  std::uint64_t selected_launches_ = 0;

  std::mutex timelines_mutex_;  // guards what follows
  /// By device; nothing where the next captured part is awaited.
  std::map<int, std::unique_ptr<SamplingThread>> timelines_;

  std::atomic<bool> is_in_profiler_range_ = false;  // between cuProfilerStart and cuProfilerStop
  std::atomic<std::uint64_t> lost_ = 0;

  std::mutex trace_mutex_;             // guards what follows
  std::set<const Context*> untraced_;  // contexts that want no trace now
  std::atomic<bool> is_traced_ = false;

  std::mutex writer_mutex_;
  std::condition_variable writer_wakes_;
  bool is_finished_ = false;
  std::thread writer_;
};

}  // namespace rooflinectl::injection
