// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collector/injection/counted_range.h"
#include "collector/injection/launch_sampling.h"
#include "collector/injection/tensor_use.h"
#include "core/error.h"
#include "core/model/counters.h"
#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// What a session needs of CUDA and CUPTI. Nothing waits for the GPU except where a comment allows it.
class Gpu {
 public:
  struct CountedRange {
    std::uint64_t range = 0;
    Counters counters;
  };

  virtual ~Gpu() = default;

  /// Whether all work that the process has given to its devices is done.
  virtual bool is_idle() = 0;
  /// Begins or ends the trace of everything that runs on the devices.
  virtual void trace(bool on) = 0;
  /// Sets the counters to a pass of about `ranges` ranges, while the device is idle. Throws
  /// Error(environment), and cupti::CountersInUse where it may succeed later.
  virtual void begin_pass(Pass pass, std::size_t ranges) = 0;
  /// Ends it, while the device is idle, and returns what was counted and not yet taken.
  virtual std::vector<CountedRange> end_pass() = 0;
  /// Whether there is no room for another range until the pass is begun anew.
  virtual bool is_full() = 0;
  virtual void open_range(std::uint64_t range) = 0;
  virtual void close_range() = 0;
  /// Begins to sample the device where that is wanted.
  virtual void begin_timeline() = 0;
  /// Whether it is sampled, or was: then nothing is counted on it any more, in whatever context. False where
  /// it cannot be sampled.
  virtual bool is_sampled() = 0;

  virtual double now_s() = 0;
  /// For less than a millisecond.
  virtual void pause() = 0;
};

/// Goes through the passes while a program launches its kernels: counts chosen launches, and traces all of
/// them, except in the passes that cannot be traced. After the first round the device may be sampled. Member
/// functions may be called from any thread.
class Session {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  /// How long the program may be held up.
  struct Limits {
    double before_launch_s = 0.02;  ///< until earlier work is done, after that has once taken too long
    double after_launch_s =
        0.05;  ///< until the launch is done; longer where its group is known to take longer
    /// Of launching without anything new, after which a pass is over; the first pass waits for the trace,
    /// which shows what varies.
    double first_patience_s = 0.5;
    double patience_s = 0.1;
  };

  /// `passes`: those that are gone through, in the order of `kPasses`.
  Session(Gpu& gpu, Sink sink, int samples, const std::vector<Pass>& passes, Limits limits);

  /// The group's first launch is about to come.
  GroupId add_group(LaunchSampling::Wish wish);

  /// The process launches kernels that wait for those of others: nothing is instrumented any more, and a wait
  /// for the device may fail because another process is held up, too.
  void launches_collectives();

  /// A launch is about to be made. If this returns true, which it does only if the launch may be counted, its
  /// thread calls `after_launch` when it has been made.
  bool before_launch(GroupId group, bool may_be_counted);
  void after_launch();
  /// A launch that is in no group is about to be made.
  void before_other_launch();

  /// The trace has a launch of that group, for which the program was not held up. Waits for nothing: CUPTI
  /// calls this while it is called itself.
  void traced(GroupId group, double duration_s);

  /// The process is about to end: takes what was counted, if the device is idle.
  void finish();

 private:
  struct Open {
    GroupId group = 0;
    std::uint64_t range = 0;
    bool is_void = false;      // another launch came into it
    bool is_launched = false;  // and its thread has continued
  };
  struct Group {
    std::uint64_t launches = 0;
    std::uint64_t launches_before_rest = 0;  // when the last pass ended
    std::uint64_t untraced = 0;              // not yet in a record
    std::uint64_t traced = 0;
    double traced_s = 0;
    double traced_s2 = 0;  // sum of squares
    TensorUse tensor;
  };
  struct Range {
    GroupId group = 0;
    std::uint64_t ordinal = 0;
    bool is_void = false;
  };

  RangeCalls range_calls();
  struct Traced {
    GroupId group = 0;
    double duration_s = 0;
  };

  void hold_while_another_is_counted(std::unique_lock<std::mutex>& lock);
  void take_traced();
  void find_varying();
  bool open_range(GroupId group);
  void go_on();
  bool end_pass();
  bool wait_for_device();
  std::size_t expected_ranges(Pass pass) const;
  void begin_pass(std::optional<Pass> next);
  bool is_impossible(Pass pass) const { return is_impossible_[static_cast<std::size_t>(pass)]; }
  void make_impossible(Pass pass, const Error& error);
  void rest();
  void set_trace(bool on);
  std::optional<Pass> next_pass(std::size_t from) const;
  std::optional<Pass> pass_worth_a_change(std::size_t from) const;
  bool is_worth_a_change(Pass pass) const;
  void take(const std::vector<Gpu::CountedRange>& counted);
  void report_untraced();
  double limit_after_launch(GroupId group) const;

  Gpu& gpu_;
  const Sink sink_;
  const Limits limits_;

  std::mutex traced_mutex_;
  std::vector<Traced> newly_traced_;

  std::mutex mutex_;  // for everything below; locked before the other
  std::condition_variable closed_;
  LaunchSampling sampling_;
  CountedRange range_;
  std::optional<Open> open_;
  std::vector<Group> groups_;
  std::vector<Range> ranges_;  // by their ids
  double traced_s_ = 0;        // of all groups
  double next_look_s_ = 0;     // for groups that vary
  double last_launch_s_ = 0;
  double launching_s_ = 0;  // time that the program has spent launching: pauses count little

  bool has_counted_ = false;    // or tried to
  bool is_first_round_ = true;  // in which every group is counted, however little it matters
  bool has_collectives_ = false;
  bool may_wait_long_ = true;    // until a device was not idle even after that
  double next_long_wait_s_ = 0;  // in a process with collectives
  double between_long_waits_s_ = 1;
  bool may_be_stuck_ = false;  // a kernel that waits for the program may be running
  bool is_traced_ = false;
  std::optional<Pass> pass_;                          // nothing between passes
  std::optional<record::Problem> in_use_;             // since when another process has the counters
  std::array<bool, kPasses.size()> is_impossible_{};  // passes that failed
  double next_change_s_ = 0;                          // when a pass may be begun or ended again
  double rest_s_ = 1;                                 // until new groups are looked for; longer each time
};

}  // namespace rooflinectl::injection
