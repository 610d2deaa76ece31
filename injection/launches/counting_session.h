// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/counters/counters.h"
#include "core/error.h"
#include "core/program/profile_record.h"
#include "injection/launches/counted_range.h"
#include "injection/launches/launch_sampling.h"
#include "injection/launches/tensor_use.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// What a session needs of CUDA and CUPTI. Nothing waits for the GPU except where a comment allows it. Only
/// the thread that has the turn of the device calls these, except `now_s`.
class Gpu {
 public:
  struct CountedRange {
    std::uint64_t range = 0;
    Counters counters;
  };
  struct SourceLines {
    std::vector<record::SampledKernel> kernels;
    bool are_unknown = false;  ///< kernels ran, and CUPTI knows none of them
  };

  virtual ~Gpu() = default;

  /// Whether all work that the process has given to this device is done, or that of all its devices. Throws
  /// Error if work has failed: it never will be.
  virtual bool is_idle(bool of_all_devices) = 0;
  /// Begins or ends the trace of everything that runs on the devices.
  virtual void trace(bool on) = 0;
  /// Delivers what was traced and is done.
  virtual void deliver_trace() = 0;
  /// Sets the counters to a pass of about `ranges` ranges, while the device is idle. If
  /// `only_within_ranges`, each range starts the profiler and stops it, which takes long, and nothing else is
  /// instrumented. Throws Error(environment), and cupti::CountersInUse where it may succeed later.
  virtual void begin_pass(Pass pass, std::size_t ranges, bool only_within_ranges) = 0;
  /// Ends it, while the device is idle, and returns what was counted and not yet taken. Throws
  /// Error(environment), as do the functions for ranges.
  virtual std::vector<CountedRange> end_pass() = 0;
  /// Gives up the pass and what was counted in it: something failed.
  virtual void abandon_pass() = 0;
  /// Whether there is room for another range in the pass.
  virtual bool has_room() = 0;
  /// Makes room, while the device is idle, and returns what was counted and not yet taken.
  virtual std::vector<CountedRange> make_room() = 0;
  virtual void open_range(std::uint64_t range) = 0;
  virtual void close_range() = 0;
  /// Begins to sample the device where that is wanted.
  virtual void begin_timeline() = 0;
  /// Whether it is sampled, or was: then nothing is counted on it any more, in whatever context. False where
  /// it cannot be sampled.
  virtual bool is_sampled() = 0;

  /// Begins to sample where the warps of all kernels are, outside of passes and while the device is idle.
  /// Returns false, and does nothing, if no machine code tells the lines of its source. Throws Error.
  virtual bool begin_lines() = 0;
  /// Ends it, likewise, and returns what was sampled. Throws Error.
  virtual SourceLines end_lines() = 0;
  /// In place of `end_lines`, if the program's work has failed or does not end: CUPTI may go on.
  virtual void abandon_lines() = 0;

  virtual double now_s() = 0;
  /// For less than a millisecond.
  virtual void pause() = 0;
};

class CountingSession;

/// What the kernels of a graph may be launched one by one for, in place of the graph.
enum class ByNodes { not_at_all, for_first_samples, for_any_sample };

/// What the devices of a process share beside collectives.
struct Collectives {
  std::atomic<double> instrumented_s{0};  // how long launches that were instrumented one by one held it
  std::atomic<int> devices{0};            // that launch any
};

/// A device as its contexts share it: the counters are the device's, so that one thread at a time works with
/// them, and launches on the device wait for it, for a limited time.
struct DeviceTurn {
  OrderedMutex<LockOrder::device> mutex;  // guards the sessions of the device too
  std::condition_variable_any ended;
  std::condition_variable_any closed;
  CountingSession* owner = nullptr;     // whose turn it is
  CountingSession* late = nullptr;      // has a range open although its turn is over: its launch is not done
  CountingSession* counting = nullptr;  // whose pass it is: the counters serve one context at a time
  int by_nodes = 0;                     // graphs whose nodes are launched one by one: all in one pass
  int waiting = 0;                      // threads that wait for the end of the turn: they go first
  bool is_closing = false;              // a range, for which CUPTI waits for the device: no launch may begin
  std::atomic<int> in_progress{0};      // calls that give the device work or change graphs
  bool launches_collectives = false;
  std::shared_ptr<Collectives> collectives = std::make_shared<Collectives>();
};

/// Goes through the passes while a program launches its kernels: counts chosen launches, and traces all of
/// them, except in the passes that cannot be traced. After the first round the device may be sampled. Member
/// functions may be called from any thread.
///
/// The mutex of the device guards what the session knows, for some instructions at a time. Whatever needs
/// CUDA or CUPTI, or waits for the device, is done in a turn: without the mutex, while other launches wait
/// until the turn is over, or until they have waited long enough; then they make the counted launch void.
///
/// Instrumented collectives would keep other ranks waiting. In a process that launches them, the pass
/// `operations` instruments nothing but the launches that it counts, which are neither collectives nor
/// graphs, and no more once that has taken long.
class CountingSession {
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
    /// Until a pass has changed. CUPTI takes half a second; should it ever take longer, others go on.
    double change_s = 20;
  };

  /// `device`: the number for records, and what it shares with the device's other contexts. `passes`: those
  /// that are gone through, in the order of `kPasses`.
  CountingSession(Gpu& gpu, int device_number, DeviceTurn& device, Sink sink, int samples,
                  const std::vector<Pass>& passes, Limits limits);

  /// What must be known about a group before its first launch.
  struct NewGroup {
    std::uint64_t record = 0;  ///< its id in records
    LaunchSampling::Wish wish;
    double known_s = 0;  ///< what a launch took in an earlier run; 0 if that is unknown
    double warps = 0;    ///< of a launch
    std::optional<DecodedTensor> tensor = std::nullopt;
  };
  /// The group's first launch is about to come.
  GroupId add_group(const NewGroup& group);

  /// The process launches kernels that wait for those of others: launches are instrumented one by one from
  /// now on, and a wait for the device may fail because another process is held up, too.
  void launches_collectives();

  /// A launch is about to be made. Returns whether it is counted, which it is only if it may be.
  bool before_launch(GroupId group, bool may_be_counted);
  /// It has been made; `has_failed` if the driver refused it, so that nothing runs.
  void after_launch(GroupId group, bool is_counted, bool has_failed);
  /// A CUDA graph is about to be launched, whose kernels are in these groups (as often as it launches them).
  /// Returns whether they are to be launched one by one in place of it, which they are only if they may be:
  /// then all work of the device is done, and `before_launch` follows for each of them. Otherwise
  /// `after_other_work` follows.
  bool before_graph(const std::vector<GroupId>& kernels, ByNodes may_run_by_nodes);
  /// The kernels of the graph were launched one by one.
  void after_nodes();
  /// Other work is given to the device: a copy, a launch that is in no group.
  void before_other_work();
  void after_other_work() { --device_.in_progress; }

  /// The trace has a launch of that group. Waits for nothing: CUPTI calls this while it is called itself.
  void traced(GroupId group, double duration_s, bool was_held);

  /// The process or the context is about to end: takes what was counted, if the device is idle. Launches may
  /// still come.
  void finish();

 private:
  using Lock = std::unique_lock<OrderedMutex<LockOrder::device>>;
  class Turn;

  struct Open {
    GroupId group = 0;
    std::uint64_t range = 0;
    bool is_void = false;     // something else came into it
    bool is_settled = false;  // the sampling knows what became of it
  };
  struct Group {
    std::uint64_t record = 0;
    std::uint64_t launches = 0;
    std::uint64_t launches_before_rest = 0;  // when the last pass ended
    std::uint64_t launches_before_round = 0;
    std::uint64_t launches_at_look = 0;  // at whether other work begins
    bool is_in_steps = false;            // the program's, as they were last seen
    double steps_s = 0;                  // of the GPU, in these
    std::uint64_t traced = 0;
    double traced_s = 0;
    double traced_s2 = 0;           // sum of squares
    std::uint64_t traced_held = 0;  // launches that were held
    double traced_held_s = 0;
    double held_s = 0;   // what a launch took that was not done when the program was let go
    double known_s = 0;  // what a launch took in an earlier run
    bool was_void = false;
    bool is_left_alone_told = false;
    TensorUse tensor;
    double warps = 0;
    int compared = 0;                   // launches of which the hardware counted the instructions
    double instructions = 0;            // of warps, in the last of these
    double efficiency = 0;              // of these warps
    bool differs = false;               // launches of the group do not do the same
    int same = 0;                       // the last of those compared that do, to the instruction
    int alike = 0;                      // that do nearly the same
    double first_alike = 0;             // the instructions of the first of these
    bool differs_instrumented = false;  // from those that the hardware counted
    bool is_followed = false;           // whether it is yet to be seen if its launches repeat
    bool is_period_awaited = false;     // by the pass
    std::vector<double> times_s;        // of all launches since then
  };
  struct Range {
    GroupId group = 0;
    std::uint64_t ordinal = 0;
    bool is_void = false;
    bool is_late = false;  // counts if the trace shows that the launch did not wait for the program
  };
  struct Traced {
    GroupId group = 0;
    double duration_s = 0;
    bool was_held = false;
  };
  RangeCalls range_calls();
  bool is_idle();
  bool close_range_if_idle();
  void wait_for_turn(Lock& lock) const;
  void wait_for_owner(Lock& lock) const;
  void tick();
  void take_traced();
  void find_varying();
  void find_period(GroupId id);
  bool shows_its_steps(Lock& lock);
  bool has_samples_of_steps(Lock& lock);
  bool lacks_samples_of_steps();
  bool follow_unsettled();
  void find_steps();
  bool begins_other_work();
  bool has_what_matters();
  bool is_pass_over() const;
  void prepare_launch(Turn& turn, Lock& lock);
  void make_room(Lock& lock);
  bool open_range(GroupId group, Lock& lock);
  void end_late_range(Turn& turn, Lock& lock);
  void close_late_range(Lock& lock);
  void settle_late();
  void settle_void();
  void note_void(GroupId group);
  bool is_change_due();
  bool instruments_one_by_one() const { return is_one_by_one_ && pass_ == Pass::operations; }
  bool has_to_end_for_collectives() const;
  bool has_to_end() const { return is_impossible(*pass_) || has_to_end_for_collectives(); }
  void change_pass(Lock& lock);
  bool end_pass(Lock& lock);
  bool wait_for_device(Lock& lock);
  bool is_done_in_time(Lock& lock);
  std::size_t expected_ranges(Pass pass) const;
  void begin_pass(std::optional<Pass> next, Lock& lock);
  bool is_impossible(Pass pass) const { return is_impossible_[static_cast<std::size_t>(pass)]; }
  void make_impossible(Pass pass, const Error& error);
  void give_up_counting(const Error& error, Lock& lock);
  void end_counting();
  void rest(Lock& lock);
  bool begin_lines(Lock& lock);
  bool end_lines(Lock& lock);
  void take_lines(Lock& lock);
  void abandon_lines(Lock& lock);
  void no_lines(std::string_view why, const std::string& hint = "");
  record::PassBegun pass_begun();
  std::optional<Pass> following_pass(std::size_t from) const;
  void report_void();
  void set_trace(bool on, Lock& lock);
  std::optional<Pass> next_pass(std::size_t from) const;
  std::optional<Pass> pass_worth_a_change(std::size_t from) const;
  bool lacks(Pass pass, double share) const;
  void take(const std::vector<Gpu::CountedRange>& counted);
  void compare_work(Group& group, const Counters& counters);
  void find_same();
  bool may_differ(GroupId id) const;
  bool has_settled(GroupId id) const;
  void follow();
  void find_different();
  bool may_count_more() const;
  void note_counting(double until_s);
  void note_instrumented(bool is_alone);
  static double mean_s(const Group& group);
  double limit_after_launch(GroupId group) const;

  Gpu& gpu_;
  const int device_number_;
  DeviceTurn& device_;
  const Sink sink_;
  const Limits limits_;
  std::atomic<bool> has_collectives_ = false;

  OrderedMutex<LockOrder::measured> traced_mutex_;
  std::vector<Traced> newly_traced_;

  // The thread that has the turn works with these, without the mutex.
  CountedRange range_;
  std::uint64_t opening_ = 0;  // the range that is opened

  // For everything below: the mutex of the device.
  double turn_since_s_ = 0;
  double counting_since_s_ = 0;  // it waits, before the launch that is counted or after it
  double counting_s_ = 0;        // all such waits, and what made room
  double opened_s_ = 0;          // when the range was to be opened
  std::uint64_t counted_ = 0;
  double first_launch_s_ = 0;
  LaunchSampling sampling_;
  std::optional<Open> open_;
  std::vector<Group> groups_;
  std::vector<Range> ranges_;  // by their ids
  double traced_s_ = 0;        // of all groups
  double steps_s_ = 0;         // of the GPU, in the program's last steps; 0 if these are not known
  double next_look_s_ = 0;     // for groups that vary
  double last_launch_s_ = 0;
  double pass_begun_s_ = 0;
  double round_begun_s_ = 0;  // of passes
  double launching_s_ = 0;    // time that the program has spent launching: pauses count little

  bool has_new_groups_ = false;  // since it was asked whether there is something to count
  bool has_counted_ = false;     // or tried to
  bool is_first_round_ = true;   // in which every group is counted, however little it matters
  bool may_wait_long_ = true;    // until a device was not idle even after that
  double next_long_wait_s_ = 0;  // in a process with collectives
  double between_long_waits_s_ = 1;
  bool may_be_stuck_ = false;  // a kernel that waits for the program may be running
  bool is_traced_ = false;
  std::optional<Pass> pass_;                          // nothing between passes
  bool is_one_by_one_ = false;                        // only the launches that it counts are instrumented
  std::optional<record::Problem> in_use_;             // since when another process has the counters
  std::array<bool, kPasses.size()> is_impossible_{};  // passes that failed
  double next_change_s_ = 0;                          // when a pass may be begun or ended again
  double rest_s_ = 1;                                 // until new groups are looked for; longer each time
  double rest_until_s_ = 0;
  double lines_until_s_ = 0;  // while source lines are sampled
  bool are_lines_done_ = false;
  bool has_failed_ = false;  // the program's work
  int new_beginnings_ = 0;
  double next_look_at_steps_s_ = 0;
  std::uint64_t next_look_at_launches_ = 0;
  std::uint64_t counted_at_look_ = 0;
  bool lacks_samples_ = true;  // of the program's steps, when it was last looked
};

}  // namespace rooflinectl::injection
