// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/counting_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "collector/cupti/profiler.h"
#include "core/error.h"
#include "core/stats/statistics.h"

namespace rooflinectl::injection {

namespace {

/// A kernel may take this many times what it took on average.
constexpr double kTimesExpected = 4;
/// And this many times what one launch of it took.
constexpr double kTimesKnown = 2;
/// A launch that took this many times as long as it was held did not wait for the program to go on.
constexpr double kTimesHeld = 1.3;
/// Until the device is idle: a kernel that waits for the program, and gives up after 2 s, does not do so.
constexpr double kLongestWaitS = 1;
/// No launch holds the program up for longer, whatever it took before: that time may have been spent waiting,
/// too.
constexpr double kLongestHoldS = 2;
/// Unless it took longer in an earlier run.
constexpr double kLongestKnownHoldS = 30;
/// To count launches may take this long altogether, for each of the first ones, and of the time since the
/// first launch: a program that has ever new kernels is counted slowly rather than slowed down.
constexpr double kCountingAtFirstS = 2;
constexpr double kCountingOfLaunchS = 1.5e-3;
constexpr std::uint64_t kMostCharged = 2000;
constexpr double kCountingShare = 0.2;
/// Beside collectives, launches may be instrumented for so long in a process.
constexpr double kOneByOneS = 4;
/// Until the next attempt to change the pass, where the device was not idle.
constexpr double kRetryS = 0.1;
/// Groups with less of the traced time are not worth another pass.
constexpr double kShareThatMatters = 0.01;
/// Nor are groups with less of it that were counted, but not as often as wanted. A pass that was begun goes
/// on for them.
constexpr double kShareToCountMoreOf = 0.05;

/// Of groups that do not always do the same, more launches are counted where they take that part of it.
constexpr double kShareOfDifferent = 0.001;

/// Launches vary where the standard deviation of their times is more than this part of the mean. Times of the
/// same work scatter less, except for the shortest.
constexpr double kVaries = 0.2;
constexpr std::uint64_t kLaunchesToCompare = 6;
constexpr double kLookS = 0.1;
/// Before it is looked again whether a pass has what matters; or half as many launches more.
constexpr double kLookAtStepsS = 0.03;
/// Steps in which the GPU works for less may be a program's start.
constexpr double kLeastStepsS = 0.02;
/// In a later round, for launches that may come rarely; by the clock, as instrumented code may be slow.
constexpr double kLaterPatienceS = 1;
/// What was counted before the program began its work is no reason to rest for long, this often.
constexpr int kMostNewBeginnings = 3;
/// So many times of a group's launches show whether they repeat, and no more are kept.
constexpr std::size_t kTimesForAPeriod = 3 * kLongestPeriod;
/// The pass waits no longer for them where launches differ in their work, not in their times.
constexpr double kLongestWaitForPeriodS = 0.5;
/// For which source lines are sampled.
constexpr double kLinesS = 0.5;
/// A longer pause of the program counts as this long: what it does afterwards may be what it did before.
constexpr double kLongestGapS = 0.05;
/// The trace and instrumented code exclude each other: with both, CUPTI counts nothing.
bool is_traced_in(std::optional<Pass> pass) {
  return pass != Pass::operations;
}

record::Problem not_counted(Pass pass, const Error& error) {
  return {.group = std::nullopt,
          .cause = fmt::format("{} {}: {}", to_string(pass), record::kNotCounted, error.what()),
          .hint = error.hint()};
}

/// The place in `kPasses` of the one that follows.
std::size_t after(Pass pass) {
  return static_cast<std::size_t>(pass) + 1;
}

/// What `call` returns, called without the mutex.
template <typename Lock, typename Call>
auto without(Lock& lock, Call call) {
  class Unlocked {
   public:
    explicit Unlocked(Lock& lock) : lock_(lock) { lock_.unlock(); }
    ~Unlocked() { lock_.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

   private:
    Lock& lock_;
  };
  const Unlocked unlocked(lock);
  require_no_lock_of_launches();
  return call();
}

}  // namespace

/// The turn of the device, if it is taken, until this is destroyed. The mutex is held whenever a member
/// function is called.
class CountingSession::Turn {
 public:
  explicit Turn(CountingSession& session) : session_(session) {}
  ~Turn() {
    if (is_mine_) end();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Whether it is this thread's or can be.
  bool is_free() const {
    return is_mine_ || (session_.device_.owner == nullptr && session_.device_.waiting == 0);
  }
  void take() {
    if (is_mine_) return;
    is_mine_ = true;
    session_.device_.owner = &session_;
    session_.turn_since_s_ = session_.gpu_.now_s();
  }
  /// It does not end with this object, but with that of `resume`.
  void keep() { is_mine_ = false; }
  void resume() { is_mine_ = true; }

 private:
  void end() {
    const double now = session_.gpu_.now_s();
    const auto ns = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
    session_.sink_(record::Held{.device = session_.device_number_,
                                .spans = {{.start_ns = ns(session_.turn_since_s_),
                                           .duration_ns = ns(now - session_.turn_since_s_)}}});
    session_.device_.owner = nullptr;
    session_.device_.ended.notify_all();
  }

  CountingSession& session_;
  bool is_mine_ = false;
};

CountingSession::CountingSession(Gpu& gpu, int device_number, DeviceTurn& device, Sink sink, int samples,
                                 const std::vector<Pass>& passes, Limits limits)
    : gpu_(gpu),
      device_number_(device_number),
      device_(device),
      sink_(std::move(sink)),
      limits_(limits),
      range_(range_calls()),
      sampling_(samples) {
  is_impossible_.fill(true);
  for (const Pass pass : passes) is_impossible_[static_cast<std::size_t>(pass)] = false;
}

/// A launch that is being made is not in a stream yet.
bool CountingSession::is_idle() {
  return device_.in_progress == 0 && gpu_.is_idle(has_collectives_);
}

/// Launches do not wait for the end of a turn whose range is void. One that came between the question whether
/// the device is idle and CUPTI's wait for it would be waited for, even if it waits for the program.
bool CountingSession::close_range_if_idle() {
  class Closing {
   public:
    explicit Closing(DeviceTurn& device) : device_(device) { set(true); }
    ~Closing() {
      set(false);
      device_.closed.notify_all();
    }
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

   private:
    void set(bool is_closing) {
      const std::lock_guard lock(device_.mutex);
      device_.is_closing = is_closing;
    }
    DeviceTurn& device_;
  };
  if (!is_idle()) return false;
  const Closing closing(device_);
  if (!is_idle()) return false;
  gpu_.close_range();
  return true;
}

RangeCalls CountingSession::range_calls() {
  return {
      .idle = [this] { return is_idle(); },
      .open = [this] { gpu_.open_range(opening_); },
      .close_if_idle = [this] { return close_range_if_idle(); },
      .pause = [this] { gpu_.pause(); },
      .now_s = [this] { return gpu_.now_s(); },
  };
}

GroupId CountingSession::add_group(const NewGroup& group) {
  const std::lock_guard lock(device_.mutex);
  Group& added = groups_.emplace_back();
  added.record = group.record;
  added.known_s = group.known_s;
  added.warps = group.warps;
  added.tensor = TensorUse(group.tensor);
  has_new_groups_ = true;
  return sampling_.add_group(launching_s_, group.wish);
}

void CountingSession::launches_collectives() {
  const std::lock_guard lock(device_.mutex);
  if (has_collectives_.exchange(true)) return;
  sampling_.instruments_one_by_one();
  if (!std::exchange(device_.launches_collectives, true)) ++device_.collectives->devices;
}

void CountingSession::make_impossible(Pass pass, const Error& error) {
  is_impossible_[static_cast<std::size_t>(pass)] = true;
  sink_(not_counted(pass, error));
}

bool CountingSession::before_launch(GroupId group, bool may_be_counted) {
  Lock lock(device_.mutex);
  wait_for_turn(lock);
  Turn turn(*this);
  prepare_launch(turn, lock);
  ++groups_[group].launches;
  sampling_.launched(group);
  if (sampling_.was_voided(group)) may_be_stuck_ = true;
  const bool is_wanted = pass_ && !has_to_end() && may_be_counted &&
                         sampling_.wants(group, groups_[group].launches) && may_count_more();
  bool is_counted = false;
  if (is_wanted && !open_ && turn.is_free()) {
    turn.take();
    is_counted = open_range(group, lock);
  }
  ++device_.in_progress;
  if (is_counted) turn.keep();
  return is_counted;
}

/// Ends what is over, and begins what is due.
void CountingSession::prepare_launch(Turn& turn, Lock& lock) {
  tick();
  end_late_range(turn, lock);
  if (!pass_ && !is_traced_ && turn.is_free()) {
    turn.take();
    set_trace(true, lock);
  }
  if (turn.is_free() && is_change_due()) {
    turn.take();
    change_pass(lock);
  }
}

bool CountingSession::before_graph(const std::vector<GroupId>& kernels, ByNodes may_run_by_nodes) {
  Lock lock(device_.mutex);
  wait_for_turn(lock);
  Turn turn(*this);
  prepare_launch(turn, lock);
  const auto is_wanted = [&](GroupId kernel) {
    return may_run_by_nodes == ByNodes::for_any_sample ? sampling_.is_awaited(kernel, *pass_)
                                                       : sampling_.is_missing(kernel, *pass_);
  };
  const bool is_possible =
      may_run_by_nodes != ByNodes::not_at_all && pass_ && !has_to_end() && may_count_more() && !open_;
  if (is_possible && turn.is_free() && std::ranges::any_of(kernels, is_wanted)) {
    turn.take();
    counting_since_s_ = gpu_.now_s();
    const bool is_ready = wait_for_device(lock);
    note_counting(gpu_.now_s());
    if (is_ready) {
      std::map<GroupId, int> nodes;
      for (const GroupId kernel : kernels) ++nodes[kernel];
      for (const auto& [kernel, number] : nodes) sampling_.has_nodes(kernel, number);
      ++device_.by_nodes;
      return true;
    }
  }
  for (const GroupId kernel : kernels) {
    ++groups_[kernel].launches;
    sampling_.launched(kernel);
  }
  ++device_.in_progress;
  return false;
}

void CountingSession::after_nodes() {
  const Lock lock(device_.mutex);
  --device_.by_nodes;
}

void CountingSession::before_other_work() {
  Lock lock(device_.mutex);
  wait_for_turn(lock);
  Turn turn(*this);
  end_late_range(turn, lock);
  ++device_.in_progress;
}

/// Of whichever context of the device has one.
void CountingSession::end_late_range(Turn& turn, Lock& lock) {
  if (device_.late == nullptr || !turn.is_free()) return;
  turn.take();
  device_.late->close_late_range(lock);
}

void CountingSession::wait_for_turn(Lock& lock) const {
  wait_for_owner(lock);
  const auto is_closed = [this] { return !device_.is_closing; };
  const std::chrono::duration<double> limit(limits_.change_s);
  while (!is_closed() && device_.closed.wait_for(lock, limit, is_closed)) wait_for_owner(lock);
}

/// Launches within an open range would be counted with it. They wait for as long as the counted launch may
/// take; if that is not enough, it may be waiting for them, and the range is void, unless it is closed just
/// now. The same holds for a range whose turn is over, if this thread does not get the turn to close it.
void CountingSession::wait_for_owner(Lock& lock) const {
  const auto let_go = [&](CountingSession* session) {
    if (session != nullptr && session->open_) session->open_->is_void = true;
  };
  CountingSession* const owner = device_.owner;
  if (owner == nullptr) {
    if (device_.waiting > 0) let_go(device_.late);
    return;
  }
  if (owner->open_ && owner->open_->is_void) return;
  const double limit_s = owner->open_ ? owner->limit_after_launch(owner->open_->group) : limits_.change_s;
  ++device_.waiting;
  const bool is_over = device_.ended.wait_for(lock, std::chrono::duration<double>(limit_s),
                                              [this] { return device_.owner == nullptr; });
  --device_.waiting;
  if (!is_over && !device_.is_closing) let_go(device_.owner);
  if (device_.waiting > 0) let_go(device_.late);
}

/// Under a turn, before work that would come into the range.
void CountingSession::close_late_range(Lock& lock) {
  try {
    if (has_collectives_ && gpu_.now_s() >= next_long_wait_s_) wait_for_device(lock);
    if (!open_) return;
    without(lock, [this] { range_.close_if_idle(); });
  } catch (const Error& error) {
    return give_up_counting(error, lock);
  }
  if (range_.is_open()) open_->is_void = true;
  if (open_->is_void)
    settle_void();
  else
    settle_late();
  if (range_.is_open()) return;
  open_.reset();
  device_.late = nullptr;
}

/// Nothing else came into the open range, but the launch may have taken so long because it waited for the
/// program, which executes more than it does otherwise.
void CountingSession::settle_late() {
  if (std::exchange(open_->is_settled, true)) return;
  ranges_[open_->range].is_late = true;
  sampling_.voided(open_->group);
}

void CountingSession::settle_void() {
  if (std::exchange(open_->is_settled, true)) return;
  ranges_[open_->range].is_void = true;
  sampling_.voided(open_->group);
  note_void(open_->group);
}

void CountingSession::note_void(GroupId id) {
  Group& group = groups_[id];
  group.was_void = true;
  if (!sampling_.is_left_alone(id) || std::exchange(group.is_left_alone_told, true)) return;
  sink_(
      record::Problem{.group = group.record,
                      .cause = fmt::format("{}: they may be waiting for other launches", record::kLeftAlone),
                      .hint = ""});
}

/// Why groups have no counters although launches of theirs were to be counted.
void CountingSession::report_void() {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const bool is_known = !std::exchange(groups_[id].was_void, false) || sampling_.is_left_alone(id) ||
                          sampling_.samples_of(id, Pass::memory) > 0;
    if (is_known) continue;
    sink_(record::Problem{.group = groups_[id].record,
                          .cause = fmt::format("{}, {:.3g} s, and other work came before it was done",
                                               record::kHeldTooShort, limits_.after_launch_s),
                          .hint = ""});
  }
}

/// While the device is idle: takes what was counted, and the pass goes on.
void CountingSession::make_room(Lock& lock) {
  take(without(lock, [this] { return gpu_.make_room(); }));
  ranges_.clear();
}

bool CountingSession::open_range(GroupId group, Lock& lock) {
  counting_since_s_ = gpu_.now_s();
  bool is_open = false;
  try {
    if (wait_for_device(lock)) {
      if (!gpu_.has_room()) make_room(lock);
      opening_ = ranges_.size();
      opened_s_ = gpu_.now_s();
      is_open = without(
          lock, [this] { return range_.open(limits_.before_launch_s) == CountedRange::Opening::opened; });
    }
  } catch (const Error& error) {
    give_up_counting(error, lock);
    return false;
  }
  note_counting(is_open && instruments_one_by_one() ? opened_s_ : gpu_.now_s());
  if (is_open) {
    ranges_.push_back({group, groups_[group].launches});
    open_ = Open{.group = group, .range = opening_};
  } else {
    sampling_.postponed(group);
  }
  return is_open;
}

/// While all is instrumented and slow, a pause would hold the program up, not the counting.
void CountingSession::note_counting(double until_s) {
  if (pass_ != Pass::operations || is_one_by_one_) counting_s_ += until_s - counting_since_s_;
}

/// A launch was instrumented: by itself, unless it was late or other work came into its range.
void CountingSession::note_instrumented(bool is_alone) {
  const double took_s = gpu_.now_s() - opened_s_;
  const double all_s = device_.collectives->instrumented_s += took_s;
  if (is_impossible(Pass::operations) || (is_alone && all_s + took_s <= kOneByOneS)) return;
  make_impossible(
      Pass::operations,
      Error(ErrorKind::environment,
            is_alone
                ? fmt::format("beside collectives, launches are instrumented for at most {} s", kOneByOneS)
                : "beside collectives, an instrumented launch was not done in time"));
}

void CountingSession::after_launch(GroupId group, bool is_counted, bool has_failed) {
  --device_.in_progress;
  if (!is_counted && !has_failed) return;
  Lock lock(device_.mutex);
  if (has_failed) --groups_[group].launches;
  if (!is_counted) return;
  Turn turn(*this);
  turn.resume();
  const double limit_s = limit_after_launch(group);
  bool is_done = false;
  counting_since_s_ = gpu_.now_s();
  try {
    is_done = without(lock, [&] { return range_.close(limit_s); });
  } catch (const Error& error) {
    return give_up_counting(error, lock);
  }
  if (instruments_one_by_one())
    note_instrumented(is_done && !open_->is_void);
  else
    note_counting(gpu_.now_s());
  if (has_failed) {
    open_->is_settled = true;
    ranges_[open_->range].is_void = true;
    sampling_.postponed(group);
  }
  if (is_done) {
    if (open_->is_void)
      settle_void();
    else if (!open_->is_settled)
      sampling_.counted(group, launching_s_, ranges_[open_->range].ordinal);
    ++counted_;
    open_.reset();
  } else {
    may_be_stuck_ = true;
    device_.late = this;
  }
}

/// What a launch of the group takes, or took if all were held; 0 if that is not known.
double CountingSession::mean_s(const Group& group) {
  if (group.traced > 0) return group.traced_s / static_cast<double>(group.traced);
  return group.traced_held > 0 ? group.traced_held_s / static_cast<double>(group.traced_held) : 0;
}

double CountingSession::limit_after_launch(GroupId group) const {
  const Group& known = groups_[group];
  const double expected_s = known.traced > 0 ? known.traced_s / static_cast<double>(known.traced) : 0;
  const double longest_s = std::max(kTimesExpected * expected_s, kTimesKnown * known.held_s);
  const double limit_s = std::clamp(longest_s, limits_.after_launch_s, kLongestHoldS);
  if (has_collectives_) return limit_s;
  return std::max(limit_s, std::min(kTimesKnown * known.known_s, kLongestKnownHoldS));
}

void CountingSession::traced(GroupId group, double duration_s, bool was_held) {
  const std::lock_guard lock(traced_mutex_);
  newly_traced_.push_back({group, duration_s, was_held});
}

/// Launches that were held do not show how long one takes, unless they took much longer than they were held.
void CountingSession::take_traced() {
  const std::lock_guard lock(traced_mutex_);
  for (const Traced& launch : newly_traced_) {
    Group& group = groups_[launch.group];
    if (group.is_followed && group.times_s.size() < kTimesForAPeriod) {
      group.times_s.push_back(launch.duration_s);
      if (sampling_.is_varying(launch.group)) find_period(launch.group);
    }
    if (launch.was_held) {
      const bool is_known = launch.duration_s > kTimesHeld * limit_after_launch(launch.group);
      if (is_known) group.held_s = std::max(group.held_s, launch.duration_s);
      ++group.traced_held;
      group.traced_held_s += launch.duration_s;
      continue;
    }
    ++group.traced;
    group.traced_s += launch.duration_s;
    group.traced_s2 += launch.duration_s * launch.duration_s;
    if (sampling_.is_wanted(launch.group)) traced_s_ += launch.duration_s;
  }
  newly_traced_.clear();
}

/// Of new groups that matter and whose launches take different times, more launches are counted, in all
/// passes.
void CountingSession::find_varying() {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    const bool matters = group.launches_before_rest == 0 && group.traced >= kLaunchesToCompare &&
                         group.traced_s >= kShareThatMatters * traced_s_;
    if (!matters || sampling_.is_varying(id)) continue;
    const double mean = group.traced_s / static_cast<double>(group.traced);
    const double variance = group.traced_s2 / static_cast<double>(group.traced) - mean * mean;
    if (variance <= kVaries * kVaries * mean * mean) continue;
    sampling_.varies(id);
    groups_[id].is_followed = groups_[id].is_period_awaited = true;
  }
}

/// Launches that repeat are counted at each place of the period. A shorter series could lie within a part of
/// the period that repeats by itself.
void CountingSession::find_period(GroupId id) {
  Group& group = groups_[id];
  if (group.times_s.size() < kTimesForAPeriod) return;
  const std::size_t period = period_of(group.times_s, kLongestPeriod);
  if (period > 1) sampling_.repeats(id, period);
  group.is_followed = group.is_period_awaited = false;
  group.times_s = {};
}

void CountingSession::tick() {
  const double now = gpu_.now_s();
  if (first_launch_s_ == 0) first_launch_s_ = now;
  const double gap_s = std::min(now - std::exchange(last_launch_s_, now), kLongestGapS);
  if (may_count_more()) launching_s_ += gap_s;
  if (now < next_look_s_) return;
  next_look_s_ = now + kLookS;
  take_traced();
  if (pass_ == Pass::memory) find_varying();
}

bool CountingSession::may_count_more() const {
  return (pass_ == Pass::operations && !is_one_by_one_) ||
         counting_s_ <= kCountingAtFirstS +
                            kCountingOfLaunchS * static_cast<double>(std::min(counted_, kMostCharged)) +
                            kCountingShare * (last_launch_s_ - first_launch_s_);
}

/// Whether the pass is over, or another one may begin.
bool CountingSession::is_change_due() {
  if (open_ || device_.by_nodes > 0 || last_launch_s_ < next_change_s_) return false;
  if (lines_until_s_ > 0) return last_launch_s_ >= lines_until_s_;
  if (pass_ && has_to_end()) return true;
  if (!may_count_more()) return false;
  if (pass_) return is_pass_over() || has_what_matters();
  if (device_.counting != nullptr) return false;  // another context of the device
  if (!has_counted_) {
    has_new_groups_ = has_new_groups_ && next_pass(0).has_value();
    return has_new_groups_;
  }
  next_change_s_ = last_launch_s_ + kLookS;
  if (last_launch_s_ < rest_until_s_) return begins_other_work();
  if (pass_worth_a_change(0)) return true;
  rest_until_s_ = last_launch_s_ + rest_s_;
  return false;
}

/// Whether most of what was launched since the last look, by its time, is of groups of which nothing was
/// counted: then the passes are gone through as at the start.
bool CountingSession::begins_other_work() {
  double other_s = 0;
  double all_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    Group& group = groups_[id];
    const auto launches = group.launches - std::exchange(group.launches_at_look, group.launches);
    if (!sampling_.is_wanted(id)) continue;
    const double launched_s = static_cast<double>(launches) * mean_s(group);
    all_s += launched_s;
    if (sampling_.is_missing(id, Pass::memory) && sampling_.samples_of(id, Pass::memory) == 0)
      other_s += launched_s;
  }
  if (other_s <= all_s / 2 || in_use_ || is_impossible(Pass::memory)) return false;
  if (new_beginnings_ == kMostNewBeginnings) return false;
  is_first_round_ = true;
  return true;
}

/// Nothing was new for a while, and in a later round there was time for what comes rarely.
bool CountingSession::is_pass_over() const {
  const double patience_s = *pass_ == Pass::memory ? limits_.first_patience_s : limits_.patience_s;
  if (is_first_round_) return sampling_.is_over(launching_s_, patience_s);
  return last_launch_s_ - pass_begun_s_ > kLaterPatienceS && sampling_.quiet_s(launching_s_) > patience_s;
}

/// Whether the pass has counted what takes nearly all of the time of the program's steps, or seems to: the
/// first pass shows which these are, and `shows_its_steps` looks closer. In later rounds, whether it lacks
/// little that still comes.
bool CountingSession::has_what_matters() {
  if (!is_first_round_) {
    if (last_launch_s_ < next_look_at_steps_s_) return false;
    next_look_at_steps_s_ = last_launch_s_ + kLookAtStepsS;
    return !lacks(*pass_, kShareThatMatters);
  }
  if (*pass_ == Pass::memory) {
    const bool is_worth_a_look =
        last_launch_s_ >= next_look_at_steps_s_ || sampling_.steps().launches() >= next_look_at_launches_;
    return is_worth_a_look && sampling_.steps().have_repeated(launching_s_);
  }
  if (steps_s_ == 0 || (counted_ == counted_at_look_ && last_launch_s_ < next_look_at_steps_s_)) return false;
  counted_at_look_ = counted_;
  next_look_at_steps_s_ = last_launch_s_ + kLookAtStepsS;
  double missing_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (sampling_.is_missing(id, *pass_)) missing_s += groups_[id].steps_s;
  }
  return missing_s < kShareThatMatters * steps_s_;
}

/// Whether the program repeats its steps, nearly all of which was counted, and no more is to be learnt about
/// launches that differ.
bool CountingSession::shows_its_steps(Lock& lock) {
  without(lock, [this] { gpu_.deliver_trace(); });
  take_traced();
  find_varying();
  find_steps();
  double open_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    const bool is_missing = sampling_.is_missing(id, Pass::memory);
    if (is_missing && group.is_in_steps && mean_s(group) == 0) return false;
    const bool is_period_awaited = group.is_period_awaited && group.launches >= kTimesForAPeriod / 4;
    if (is_missing || is_period_awaited || group.traced < kLaunchesToCompare) open_s += group.steps_s;
  }
  const bool is_enough = sampling_.steps().duration_s(launching_s_) >= ProgramSteps::kLongS
                             ? steps_s_ >= kLeastStepsS
                             : steps_s_ >= ProgramSteps::kLongS;
  return is_enough && has_samples_of_steps(lock) && open_s < kShareThatMatters * steps_s_;
}

/// Whether enough launches of the program's steps were counted. Once they were, a look at what they did shows
/// whether they differ, so that more are needed.
bool CountingSession::has_samples_of_steps(Lock& lock) {
  const bool was_lacking = lacks_samples_;
  lacks_samples_ = lacks_samples_of_steps();
  if (was_lacking && !lacks_samples_ && !ranges_.empty()) {
    counting_since_s_ = gpu_.now_s();
    make_room(lock);
    note_counting(gpu_.now_s());
    lacks_samples_ = lacks_samples_of_steps() || follow_unsettled();
  }
  return !lacks_samples_;
}

/// Whether groups that matter were counted too rarely since the program's steps began. How many launches are
/// enough depends on whether the group's have differed.
bool CountingSession::lacks_samples_of_steps() {
  constexpr int kEnoughThatDoTheSame = 2;
  double lacking_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    const int enough = sampling_.is_varying(id) ? LaunchSampling::kEnoughToSettle
                       : group.differs          ? LaunchSampling::kEnoughThatVary + 1
                                                : kEnoughThatDoTheSame;
    if (group.steps_s > 0 && sampling_.lacks_samples_of_steps(id, enough, launching_s_))
      lacking_s += group.steps_s;
  }
  return lacking_s >= kShareThatMatters * steps_s_;
}

/// Of groups whose launches differ in the program's steps, too, more are counted. Returns whether there are
/// any.
bool CountingSession::follow_unsettled() {
  bool has_found = false;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    Group& group = groups_[id];
    const bool is_unsettled = group.steps_s > 0 && group.differs && !has_settled(id) && may_differ(id);
    const auto comes_within = [&](double limit_s, int launches) {
      return sampling_.steps().comes_within(limit_s, id, launches, launching_s_);
    };
    if (!is_unsettled || !comes_within(LaunchSampling::kSoonS, LaunchSampling::kVaryingSamples)) continue;
    sampling_.varies(id);
    group.is_followed = true;
    group.is_period_awaited = comes_within(kLongestWaitForPeriodS, kTimesForAPeriod);
    has_found = true;
  }
  return has_found;
}

/// How long the GPU has worked for each group of the program's steps.
void CountingSession::find_steps() {
  steps_s_ = 0;
  const ProgramSteps& steps = sampling_.steps();
  const bool has_repeated = steps.have_repeated(launching_s_);
  for (GroupId id = 0; id < groups_.size(); ++id) {
    Group& group = groups_[id];
    group.is_in_steps = has_repeated && sampling_.is_wanted(id) && steps.is_steady(id, launching_s_);
    group.steps_s = group.is_in_steps ? static_cast<double>(steps.launches_of(id)) * mean_s(group) : 0;
    steps_s_ += group.steps_s;
  }
}

/// The pass instruments everything, although there are collectives now.
bool CountingSession::has_to_end_for_collectives() const {
  return pass_ == Pass::operations && has_collectives_ && !is_one_by_one_;
}

/// Under a turn. What follows depends on what the pass has shown.
void CountingSession::change_pass(Lock& lock) {
  if (lines_until_s_ > 0) {
    if (end_lines(lock)) begin_pass(following_pass(after(Pass::memory)), lock);
    return;
  }
  if (without(lock, [this] { return gpu_.is_sampled(); })) {
    next_change_s_ = gpu_.now_s() + kLookS;
    return;
  }
  if (pass_ && !wait_for_device(lock)) {
    next_change_s_ = gpu_.now_s() + kRetryS;
    return;
  }
  try {
    const bool seeks_steps = pass_ == Pass::memory && is_first_round_ && !is_impossible(*pass_);
    if (seeks_steps && !shows_its_steps(lock) && !is_pass_over()) {
      next_look_at_steps_s_ = gpu_.now_s() + kLookAtStepsS;
      next_look_at_launches_ = sampling_.steps().launches() * 3 / 2;
      return;
    }
  } catch (const Error& error) {
    return give_up_counting(error, lock);
  }
  if (!pass_ && has_counted_ && is_first_round_) ++new_beginnings_;
  if (!pass_) {
    round_begun_s_ = gpu_.now_s();
    for (Group& group : groups_) group.launches_before_round = group.launches;
  }
  has_counted_ = true;
  if (!end_pass(lock)) return;
  std::size_t following = pass_ ? after(*pass_) : 0;
  if (has_to_end_for_collectives()) following = static_cast<std::size_t>(Pass::operations);
  if (pass_ == Pass::memory) {
    find_same();
    if (begin_lines(lock)) return;
  }
  if (pass_ == Pass::operations) follow();
  begin_pass(following_pass(following), lock);
}

std::optional<Pass> CountingSession::following_pass(std::size_t from) const {
  return is_first_round_ ? next_pass(from) : pass_worth_a_change(from);
}

std::optional<Pass> CountingSession::next_pass(std::size_t from) const {
  for (std::size_t next = from; next < kPasses.size(); ++next) {
    if (!is_impossible(kPasses[next]) && sampling_.has_awaited(kPasses[next])) return kPasses[next];
  }
  return std::nullopt;
}

std::optional<Pass> CountingSession::pass_worth_a_change(std::size_t from) const {
  for (std::size_t next = from; next < kPasses.size(); ++next) {
    if (!is_impossible(kPasses[next]) && lacks(kPasses[next], kShareToCountMoreOf)) return kPasses[next];
  }
  return std::nullopt;
}

/// Whether that pass lacks groups that were launched since the last pass of the first round and matter:
/// those of which nothing was counted, or these and others with `share` of the time. A round that has lasted
/// a while does not wait for what has not come in it.
bool CountingSession::lacks(Pass pass, double share) const {
  const bool shows_what_comes = pass_ && last_launch_s_ - round_begun_s_ > kLaterPatienceS;
  bool is_any = false;
  double uncounted_s = 0;
  double all_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    const std::uint64_t before = shows_what_comes ? group.launches_before_round : group.launches_before_rest;
    if (group.launches <= before || !sampling_.is_missing(id, pass)) continue;
    is_any = true;
    all_s += group.traced_s;
    if (sampling_.samples_of(id, pass) == 0) uncounted_s += group.traced_s;
  }
  return is_any && (uncounted_s >= kShareThatMatters * traced_s_ || all_s >= share * traced_s_);
}

/// Waits until the device has done what the program gave it ahead of time, which may be a lot. Where it is
/// not done then, a kernel may be waiting for the program, and so long a wait is not tried again. There is no
/// wait at all behind a kernel that was seen to wait for the program; but a collective that waited for
/// another rank is done once that rank has continued, so there another long wait follows, less and less
/// often. If work has failed, the device is never done, and nothing more is counted.
bool CountingSession::wait_for_device(Lock& lock) {
  try {
    return is_done_in_time(lock);
  } catch (const Error& error) {
    const bool may_have_counted = std::ranges::count(is_impossible_, false) > 0;
    if (pass_)
      give_up_counting(error, lock);
    else if (may_have_counted)
      sink_(record::Problem{.group = std::nullopt, .cause = error.what(), .hint = ""});
    is_impossible_.fill(true);
    has_failed_ = true;
    return false;
  }
}

bool CountingSession::is_done_in_time(Lock& lock) {
  if (has_collectives_ && gpu_.now_s() >= next_long_wait_s_) {
    may_be_stuck_ = false;
    may_wait_long_ = true;
  }
  const auto is_idle_within = [&](double limit_s) {
    return without(lock, [&] { return range_.wait_until_idle(limit_s); });
  };
  if (may_be_stuck_) may_be_stuck_ = !is_idle_within(0);
  if (may_be_stuck_) return false;
  if (!may_wait_long_) return is_idle_within(limits_.before_launch_s);
  // Ranks that are processes come by themselves. What another device of this process waits for may be the
  // very launch that is held.
  const bool are_ranks_here = device_.collectives->devices > 1;
  may_wait_long_ = is_idle_within(are_ranks_here ? limits_.before_launch_s : kLongestWaitS);
  if (!may_wait_long_) {
    next_long_wait_s_ = gpu_.now_s() + between_long_waits_s_;
    between_long_waits_s_ *= 2;
  }
  return may_wait_long_;
}

/// Ends the pass, if there is one. Returns whether the device was idle, without which nothing can be changed.
bool CountingSession::end_pass(Lock& lock) {
  if (!wait_for_device(lock)) {
    next_change_s_ = gpu_.now_s() + kRetryS;
    return false;
  }
  if (!pass_) return true;
  try {
    take(without(lock, [this] { return gpu_.end_pass(); }));
  } catch (const Error& error) {
    give_up_counting(error, lock);
    return false;
  }
  ranges_.clear();
  return true;
}

/// CUPTI or the program's work failed within a pass: nothing more is counted, and the trace goes on.
void CountingSession::give_up_counting(const Error& error, Lock& lock) {
  sink_(not_counted(pass_.value_or(Pass::memory), error));
  is_impossible_.fill(true);
  end_counting();
  open_.reset();
  if (device_.late == this) device_.late = nullptr;
  ranges_.clear();
  without(lock, [this] {
    gpu_.abandon_pass();
    range_ = CountedRange(range_calls());
  });
  set_trace(true, lock);
}

/// At first no group is known yet, and there may be any number.
std::size_t CountingSession::expected_ranges(Pass pass) const {
  return pass == Pass::memory ? std::numeric_limits<std::size_t>::max() : 2 * sampling_.awaited_samples(pass);
}

void CountingSession::set_trace(bool on, Lock& lock) {
  if (is_traced_ == on) return;
  is_traced_ = on;
  without(lock, [&] { gpu_.trace(on); });
}

void CountingSession::end_counting() {
  pass_.reset();
  if (device_.counting == this) device_.counting = nullptr;
}

/// Only the trace continues for a while.
void CountingSession::rest(Lock& lock) {
  end_counting();
  set_trace(true, lock);
  rest_until_s_ = gpu_.now_s() + rest_s_;
  rest_s_ *= 2;
}

/// Once, after the first pass has ended, and before one without the trace: CUPTI then no longer knows the
/// functions that are launched. Returns whether source lines are sampled now.
bool CountingSession::begin_lines(Lock& lock) {
  if (!is_first_round_ || are_lines_done_) return false;
  try {
    if (!without(lock, [this] { return gpu_.begin_lines(); })) return false;
  } catch (const Error& error) {
    no_lines(error.what(), error.hint());
    return false;
  }
  pass_.reset();  // the device stays this session's
  lines_until_s_ = gpu_.now_s() + kLinesS;
  sink_(pass_begun());
  return true;
}

/// Returns whether the device was idle, without which nothing can be changed.
bool CountingSession::end_lines(Lock& lock) {
  if (wait_for_device(lock)) {
    take_lines(lock);
    return true;
  }
  next_change_s_ = gpu_.now_s() + kRetryS;
  if (has_failed_) abandon_lines(lock);
  return false;
}

void CountingSession::take_lines(Lock& lock) {
  lines_until_s_ = 0;
  are_lines_done_ = true;
  end_counting();
  try {
    const Gpu::SourceLines lines = without(lock, [this] { return gpu_.end_lines(); });
    for (const record::SampledKernel& kernel : lines.kernels) sink_(kernel);
    if (lines.are_unknown) no_lines("CUPTI does not know the kernels that ran");
  } catch (const Error& error) {
    no_lines(error.what(), error.hint());
  }
}

void CountingSession::abandon_lines(Lock& lock) {
  lines_until_s_ = 0;
  end_counting();
  no_lines(has_failed_ ? "the program's work has failed" : "the GPU was still busy when the program ended");
  without(lock, [this] { gpu_.abandon_lines(); });
}

void CountingSession::no_lines(std::string_view why, const std::string& hint) {
  are_lines_done_ = true;
  sink_(record::Problem{.group = std::nullopt,
                        .cause = fmt::format("source lines could not be sampled: {}", why),
                        .hint = hint});
}

record::PassBegun CountingSession::pass_begun() {
  return {.pass = pass_ ? std::string(to_string(*pass_)) : "",
          .is_traced = is_traced_,
          .at_ns = static_cast<std::uint64_t>(gpu_.now_s() * 1e9)};
}

void CountingSession::begin_pass(std::optional<Pass> next, Lock& lock) {
  while (next) {
    pass_ = next;
    is_one_by_one_ = next == Pass::operations && has_collectives_;
    device_.counting = this;
    set_trace(is_traced_in(next), lock);
    try {
      const std::size_t ranges = expected_ranges(*next);
      without(lock, [&] { gpu_.begin_pass(*next, ranges, is_one_by_one_); });
      sampling_.begin(*next, launching_s_);
      last_launch_s_ = pass_begun_s_ = gpu_.now_s();
      in_use_.reset();
      lacks_samples_ = true;
      break;
    } catch (const cupti::CountersInUse& error) {
      in_use_ = not_counted(*next, error);
      rest(lock);
      break;
    } catch (const Error& error) {
      make_impossible(*next, error);
      end_counting();
      next = *next == Pass::memory ? std::nullopt : next_pass(after(*next));
    }
  }
  if (!next) {
    is_first_round_ = false;
    find_different();
    rest(lock);
    without(lock, [this] { gpu_.begin_timeline(); });
    for (Group& group : groups_) group.launches_before_rest = group.launches;
  }
  sink_(pass_begun());
}

void CountingSession::take(const std::vector<Gpu::CountedRange>& counted) {
  take_traced();
  for (Range& range : ranges_) {
    if (!range.is_late) continue;
    if (groups_[range.group].held_s > 0) {
      sampling_.counted(range.group, launching_s_, range.ordinal);
    } else {
      range.is_void = true;
      note_void(range.group);
    }
  }
  for (const Gpu::CountedRange& launch : counted) {
    const Range& range = ranges_.at(launch.range);
    if (range.is_void) continue;
    groups_[range.group].tensor.add(*pass_, launch.counters);
    compare_work(groups_[range.group], launch.counters);
  }
  for (const Gpu::CountedRange& launch : counted) {
    const Range& range = ranges_.at(launch.range);
    if (range.is_void) continue;
    const record::Counted record = {.group = groups_[range.group].record,
                                    .pass = std::string(to_string(*pass_)),
                                    .ordinal = range.ordinal,
                                    .counters = launch.counters};
    if (const auto next = groups_[range.group].tensor.next(*pass_)) sampling_.need(range.group, *next);
    sink_(record);
  }
}

/// Launches of the same work execute as many instructions, but for some that the trace adds, and those of
/// warps that wait in loops, which execute more if they are instrumented.
void CountingSession::compare_work(Group& group, const Counters& counters) {
  const auto hardware = value_of(counters, counter::kWarpInstructions);
  const auto executed = value_of(counters, counter::kWarpInstructionsSass);
  if (hardware) {
    const double efficiency = value_of(counters, counter::kWarpExecutionEfficiency).value_or(0);
    const bool is_alike = group.compared > 0 && record::is_similar_work(*hardware, group.first_alike);
    if (group.compared > 0 && !is_alike) group.differs = true;
    group.alike = is_alike ? group.alike + 1 : 1;
    if (!is_alike) group.first_alike = *hardware;
    const bool is_same = group.compared > 0 &&
                         record::is_same_work(*hardware, efficiency, group.instructions, group.efficiency);
    group.same = is_same ? group.same + 1 : 1;
    ++group.compared;
    group.instructions = *hardware;
    group.efficiency = efficiency;
  } else if (executed.value_or(0) > 0 && group.compared > 0) {
    const double more = group.instructions - *executed;
    const double most_added = record::kMostTraceInstructions * group.warps + record::kOwnInstructions;
    const bool may_wait = group.same < group.compared;  // since the hardware's numbers vary
    const double most = may_wait ? record::kMostPolling : 1 + record::kMostDifference;
    if (*executed > most * group.instructions || more > record::kMostDifference * *executed + most_added)
      group.differs_instrumented = true;
  }
}

/// What instrumented code counts of one launch is then true of all, or of all but the first.
void CountingSession::find_same() {
  constexpr int kFewestLaunches = 3;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    if (group.same == group.compared && group.compared >= kFewestLaunches) sampling_.does_the_same(id);
    sampling_.settles(id, has_settled(id));
  }
}

/// Whether only the first launches have differed, as far as is known.
bool CountingSession::has_settled(GroupId id) const {
  const Group& group = groups_[id];
  const int enough =
      sampling_.is_varying(id) ? LaunchSampling::kEnoughToSettle : LaunchSampling::kEnoughThatVary;
  return group.alike >= enough && !group.differs_instrumented;
}

bool CountingSession::may_differ(GroupId id) const {
  return groups_[id].traced_s >= kShareOfDifferent * traced_s_ && !sampling_.is_varying(id);
}

/// All launches are traced from now on: if they turn out to differ, it is known whether they repeat.
void CountingSession::follow() {
  for (GroupId id = 0; id < groups_.size(); ++id) groups_[id].is_followed |= may_differ(id);
}

/// Launches in which a group did something else than in others were not seen to vary by their times: more of
/// them are counted, unless only the first did.
void CountingSession::find_different() {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (sampling_.is_varying(id)) {
      sampling_.settles(id, has_settled(id));
      continue;
    }
    Group& group = groups_[id];
    const bool differs = group.differs || group.differs_instrumented;
    group.is_followed = differs && !has_settled(id) && may_differ(id);
    if (group.is_followed) {
      sampling_.varies(id);
      find_period(id);
    } else {
      group.times_s = {};
    }
  }
}

void CountingSession::finish() {
  Lock lock(device_.mutex);
  const auto is_free = [this] { return device_.owner == nullptr; };
  if (device_.ended.wait_for(lock, std::chrono::duration<double>(2 * kLongestHoldS), is_free)) {
    Turn turn(*this);
    turn.take();
    const bool is_idle = wait_for_device(lock);
    if (lines_until_s_ > 0 && is_idle) take_lines(lock);
    if (lines_until_s_ > 0) abandon_lines(lock);
    if (open_) close_late_range(lock);
    if (is_idle && !open_ && end_pass(lock)) {
      rest(lock);  // others may still be there
    }
  }
  if (in_use_) sink_(*std::exchange(in_use_, std::nullopt));
  report_void();
}

}  // namespace rooflinectl::injection
