// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "collector/cupti/counters_in_use.h"
#include "core/error.h"

namespace rooflinectl::injection {

namespace {

/// A kernel may take this many times what it took on average.
constexpr double kTimesExpected = 4;
/// No launch holds the program up for longer, whatever it took before: that time may have been spent waiting,
/// too.
constexpr double kLongestHoldS = 2;
/// Until the next attempt to change the pass, where the device was not idle.
constexpr double kRetryS = 0.1;
/// Groups with less of the traced time are not worth another pass.
constexpr double kShareThatMatters = 0.01;

/// Launches vary where the standard deviation of their times is more than this part of the mean. Times of the
/// same work scatter less, except for the shortest.
constexpr double kVaries = 0.2;
constexpr std::uint64_t kLaunchesToCompare = 8;
constexpr double kLookS = 0.1;
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

}  // namespace

Session::Session(Gpu& gpu, Sink sink, int samples, const std::vector<Pass>& passes, Limits limits)
    : gpu_(gpu), sink_(std::move(sink)), limits_(limits), sampling_(samples), range_(range_calls()) {
  is_impossible_.fill(true);
  for (const Pass pass : passes) is_impossible_[static_cast<std::size_t>(pass)] = false;
}

RangeCalls Session::range_calls() {
  return {
      .idle = [this] { return gpu_.is_idle(); },
      .open = [this] { gpu_.open_range(ranges_.size() - 1); },
      .close = [this] { gpu_.close_range(); },
      .pause = [this] { gpu_.pause(); },
      .now_s = [this] { return gpu_.now_s(); },
  };
}

GroupId Session::add_group(LaunchSampling::Wish wish) {
  const std::lock_guard lock(mutex_);
  groups_.emplace_back();
  return sampling_.add_group(launching_s_, wish);
}

void Session::launches_collectives() {
  const std::lock_guard lock(mutex_);
  has_collectives_ = true;
  if (is_impossible(Pass::operations)) return;
  make_impossible(
      Pass::operations,
      Error(ErrorKind::environment, "instrumented code of collective kernels keeps the other ranks waiting"));
}

void Session::make_impossible(Pass pass, const Error& error) {
  is_impossible_[static_cast<std::size_t>(pass)] = true;
  sink_(not_counted(pass, error));
}

bool Session::before_launch(GroupId group, bool may_be_counted) {
  std::unique_lock lock(mutex_);
  hold_while_another_is_counted(lock);
  go_on();
  ++groups_[group].launches;
  if (!is_traced_) ++groups_[group].untraced;
  if (sampling_.was_voided(group)) may_be_stuck_ = true;
  return pass_ && may_be_counted && sampling_.wants(group) && !open_ && open_range(group);
}

void Session::before_other_launch() {
  std::unique_lock lock(mutex_);
  hold_while_another_is_counted(lock);
}

/// Launches within an open range would be counted with it. They wait for as long as the counted launch may
/// take; if that is not enough, it may be waiting for them, and the range is void.
void Session::hold_while_another_is_counted(std::unique_lock<std::mutex>& lock) {
  if (!open_) return;
  const auto limit = std::chrono::duration<double>(limit_after_launch(open_->group));
  const auto is_over = [this] { return !open_ || open_->is_launched; };
  if (!closed_.wait_for(lock, limit, is_over)) {
    open_->is_void = true;
    return;
  }
  if (has_collectives_ && gpu_.now_s() >= next_long_wait_s_) wait_for_device();
  range_.close_if_idle();
  if (!range_.is_open()) open_.reset();
}

bool Session::open_range(GroupId group) {
  if (gpu_.is_full()) {
    if (end_pass()) begin_pass(pass_);
    if (!pass_ || gpu_.is_full()) return false;
  }
  ranges_.push_back({group, groups_[group].launches});
  if (!wait_for_device() || range_.open(limits_.before_launch_s) != CountedRange::Opening::opened) {
    ranges_.pop_back();
    sampling_.postponed(group);
    return false;
  }
  open_ = Open{.group = group, .range = ranges_.size() - 1};
  return true;
}

void Session::after_launch() {
  const std::lock_guard lock(mutex_);
  const bool is_done = range_.close(limit_after_launch(open_->group));
  open_->is_launched = true;
  if (is_done && !open_->is_void) {
    sampling_.counted(open_->group, launching_s_);
  } else {
    may_be_stuck_ = !is_done;
    ranges_[open_->range].is_void = true;
    sampling_.voided(open_->group);
    if (sampling_.is_left_alone(open_->group)) {
      sink_(record::Problem{.group = open_->group,
                            .cause = "its launches did not finish while the program was held for them: they "
                                     "may be waiting for other launches",
                            .hint = ""});
    }
  }
  if (is_done) open_.reset();
  closed_.notify_all();
}

double Session::limit_after_launch(GroupId group) const {
  const Group& known = groups_[group];
  const double expected = known.traced > 0 ? known.traced_s / static_cast<double>(known.traced) : 0;
  return std::clamp(kTimesExpected * expected, limits_.after_launch_s, kLongestHoldS);
}

void Session::traced(GroupId group, double duration_s) {
  const std::lock_guard lock(traced_mutex_);
  newly_traced_.push_back({group, duration_s});
}

void Session::take_traced() {
  const std::lock_guard lock(traced_mutex_);
  for (const Traced& launch : newly_traced_) {
    ++groups_[launch.group].traced;
    groups_[launch.group].traced_s += launch.duration_s;
    groups_[launch.group].traced_s2 += launch.duration_s * launch.duration_s;
    traced_s_ += launch.duration_s;
  }
  newly_traced_.clear();
}

/// Of new groups that matter and whose launches take different times, more launches are counted, in all
/// passes.
void Session::find_varying() {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[id];
    const bool matters = group.launches_before_rest == 0 && group.traced >= kLaunchesToCompare &&
                         group.traced_s >= kShareThatMatters * traced_s_;
    if (!matters || sampling_.is_varying(id)) continue;
    const double mean = group.traced_s / static_cast<double>(group.traced);
    const double variance = group.traced_s2 / static_cast<double>(group.traced) - mean * mean;
    if (variance > kVaries * kVaries * mean * mean) sampling_.varies(id);
  }
}

void Session::go_on() {
  const double now = gpu_.now_s();
  launching_s_ += std::min(now - std::exchange(last_launch_s_, now), kLongestGapS);
  if (now >= next_look_s_) {
    next_look_s_ = now + kLookS;
    take_traced();
    if (pass_ == Pass::memory) find_varying();
  }
  if (open_ || now < next_change_s_) return;
  if (!pass_) set_trace(true);
  if (gpu_.is_sampled()) {
    next_change_s_ = now + kLookS;
    return;
  }
  if (!has_counted_) {
    const auto first = next_pass(0);
    if (!first) return;
    has_counted_ = true;
    if (end_pass()) begin_pass(first);
  } else if (pass_) {
    const double patience_s = *pass_ == Pass::memory ? limits_.first_patience_s : limits_.patience_s;
    const bool is_over = sampling_.is_over(launching_s_, patience_s) || is_impossible(*pass_);
    if (is_over && end_pass()) {
      const std::size_t following = after(*pass_);
      begin_pass(is_first_round_ ? next_pass(following) : pass_worth_a_change(following));
    }
  } else if (const auto pass = pass_worth_a_change(0)) {
    if (end_pass()) begin_pass(pass);
  } else {
    next_change_s_ = now + rest_s_;
  }
}

std::optional<Pass> Session::next_pass(std::size_t from) const {
  for (std::size_t next = from; next < kPasses.size(); ++next) {
    if (!is_impossible(kPasses[next]) && sampling_.has_awaited(kPasses[next])) return kPasses[next];
  }
  return std::nullopt;
}

std::optional<Pass> Session::pass_worth_a_change(std::size_t from) const {
  for (std::size_t next = from; next < kPasses.size(); ++next) {
    if (!is_impossible(kPasses[next]) && is_worth_a_change(kPasses[next])) return kPasses[next];
  }
  return std::nullopt;
}

/// Whether groups that matter, and were launched since the last pass of the first round, await that pass.
bool Session::is_worth_a_change(Pass pass) const {
  bool is_awaited = false;
  double awaited_s = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    const bool still_comes = groups_[id].launches > groups_[id].launches_before_rest;
    if (!still_comes || !sampling_.is_awaited(id, pass)) continue;
    is_awaited = true;
    awaited_s += groups_[id].traced_s;
  }
  return is_awaited && awaited_s >= kShareThatMatters * traced_s_;
}

/// Waits until the device has done what the program gave it ahead of time, which may be a lot. Where it is
/// not done then, a kernel may be waiting for the program, and so long a wait is not tried again. There is no
/// wait at all behind a kernel that was seen to wait for the program; but a collective that waited for
/// another rank is done once that rank has continued, so there another long wait follows, less and less
/// often.
bool Session::wait_for_device() {
  if (has_collectives_ && gpu_.now_s() >= next_long_wait_s_) {
    may_be_stuck_ = false;
    may_wait_long_ = true;
  }
  if (may_be_stuck_) may_be_stuck_ = !gpu_.is_idle();
  if (may_be_stuck_) return false;
  if (!may_wait_long_) return range_.wait_until_idle(limits_.before_launch_s);
  may_wait_long_ = range_.wait_until_idle(kLongestHoldS);
  if (!may_wait_long_) {
    next_long_wait_s_ = gpu_.now_s() + between_long_waits_s_;
    between_long_waits_s_ *= 2;
  }
  return may_wait_long_;
}

/// Ends the pass, if there is one. Returns whether the device was idle, without which nothing can be changed.
bool Session::end_pass() {
  if (!wait_for_device()) {
    next_change_s_ = gpu_.now_s() + kRetryS;
    return false;
  }
  if (pass_) take(gpu_.end_pass());
  return true;
}

/// At first no group is known yet, and there may be any number.
std::size_t Session::expected_ranges(Pass pass) const {
  return pass == Pass::memory ? std::numeric_limits<std::size_t>::max() : 2 * sampling_.awaited_samples(pass);
}

void Session::set_trace(bool on) {
  if (is_traced_ == on) return;
  is_traced_ = on;
  gpu_.trace(on);
  if (on) report_untraced();
}

/// Only the trace continues for a while.
void Session::rest() {
  pass_.reset();
  set_trace(true);
  next_change_s_ = gpu_.now_s() + rest_s_;
  rest_s_ *= 2;
}

void Session::begin_pass(std::optional<Pass> next) {
  while (next) {
    pass_ = next;
    set_trace(is_traced_in(next));
    try {
      gpu_.begin_pass(*next, expected_ranges(*next));
      sampling_.begin(*next, launching_s_);
      last_launch_s_ = gpu_.now_s();
      in_use_.reset();
      break;
    } catch (const cupti::CountersInUse& error) {
      in_use_ = not_counted(*next, error);
      rest();
      break;
    } catch (const Error& error) {
      make_impossible(*next, error);
      next = *next == Pass::memory ? std::nullopt : next_pass(after(*next));
    }
  }
  if (!next) {
    is_first_round_ = false;
    rest();
    gpu_.begin_timeline();
    for (Group& group : groups_) group.launches_before_rest = group.launches;
  }
  sink_(record::PassBegun{.pass = pass_ ? std::string(to_string(*pass_)) : "",
                          .is_traced = is_traced_,
                          .at_ns = static_cast<std::uint64_t>(gpu_.now_s() * 1e9)});
}

void Session::take(const std::vector<Gpu::CountedRange>& counted) {
  for (const Gpu::CountedRange& launch : counted) {
    const Range& range = ranges_.at(launch.range);
    if (!range.is_void) groups_[range.group].tensor.add(*pass_, launch.counters);
  }
  for (const Gpu::CountedRange& launch : counted) {
    const Range& range = ranges_.at(launch.range);
    if (range.is_void) continue;
    const record::Counted record = {.group = range.group,
                                    .pass = std::string(to_string(*pass_)),
                                    .ordinal = range.ordinal,
                                    .counters = launch.counters};
    if (const auto next = groups_[range.group].tensor.next(*pass_)) sampling_.need(range.group, *next);
    const bool is_uninstrumented = *pass_ == Pass::tensor && is_impossible(Pass::operations);
    if (is_uninstrumented || value_of(record.counters, counter::kWarpInstructionsSass) == 0) {
      sampling_.need(range.group, Pass::pipes);  // as for graphs
    }
    sink_(record);
  }
}

void Session::report_untraced() {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (groups_[id].untraced == 0) continue;
    sink_(record::Untraced{.group = id, .launches = std::exchange(groups_[id].untraced, 0)});
  }
}

void Session::finish() {
  const std::lock_guard lock(mutex_);
  range_.close_if_idle();
  if (!range_.is_open() && wait_for_device()) {
    open_.reset();
    if (pass_) take(gpu_.end_pass());
    if (pass_ && !is_traced_) gpu_.trace(true);  // others may still be there
    pass_.reset();
    is_traced_ = true;
  }
  if (in_use_) sink_(*std::exchange(in_use_, std::nullopt));
  report_untraced();
}

}  // namespace rooflinectl::injection
