// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"

namespace rooflinectl::injection {

namespace {

/// A kernel may take so many times what it took on average.
constexpr double kTimesExpected = 4;
/// No launch holds the program for longer, whatever it took before: that may have been spent waiting too.
constexpr double kLongestHoldS = 2;
/// After the device was not idle, the next attempt to change the pass.
constexpr double kRetryS = 0.1;
/// Groups with less of the traced time are not worth another pass.
constexpr double kShareThatMatters = 0.01;

/// The trace and instrumented code exclude each other: with both, CUPTI counts nothing.
bool is_traced_in(std::optional<Pass> pass) {
  return pass != Pass::operations;
}

/// The passes that count what these counters of the memory pass have seen.
std::vector<Pass> tensor_passes(const Counters& counters) {
  if (tensor_instructions(counters).value_or(0) <= 0) return {};
  return {Pass::tensor_bf16, Pass::tensor_f16, Pass::tensor_tf32, Pass::tensor_i8, Pass::tensor_f64};
}

}  // namespace

Session::Session(Gpu& gpu, Sink sink, int samples, Limits limits)
    : gpu_(gpu), sink_(std::move(sink)), limits_(limits), sampling_(samples), range_(range_calls()) {}

RangeCalls Session::range_calls() {
  return {
      .idle = [this] { return gpu_.is_idle(); },
      .open = [this] { gpu_.open_range(ranges_.size() - 1); },
      .close = [this] { gpu_.close_range(); },
      .pause = [this] { gpu_.pause(); },
      .now_s = [this] { return gpu_.now_s(); },
  };
}

GroupId Session::add_group() {
  const std::lock_guard lock(mutex_);
  groups_.emplace_back();
  return sampling_.add_group(gpu_.now_s());
}

bool Session::before_launch(GroupId group) {
  std::unique_lock lock(mutex_);
  hold_while_another_is_counted(lock);
  go_on();
  ++groups_[group].launches;
  if (!is_traced_) ++groups_[group].untraced;
  return pass_ && sampling_.wants(group) && !open_ && open_range(group);
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
  range_.close_if_idle();
  if (!range_.is_open()) open_.reset();
}

bool Session::open_range(GroupId group) {
  if (gpu_.is_full()) {
    change_pass(pass_);
    if (!pass_ || gpu_.is_full()) return false;
  }
  ranges_.push_back({group, groups_[group].launches});
  if (range_.open(limits_.before_launch_s) != CountedRange::Opening::opened) {
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
    sampling_.counted(open_->group, gpu_.now_s());
  } else {
    ranges_[open_->range].is_void = true;
    sampling_.voided(open_->group);
    if (sampling_.is_left_alone(open_->group)) {
      sink_(record::Problem{
          .group = open_->group,
          .cause = "its launches were not done while the program waited for them: they may wait for others",
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
  const std::lock_guard lock(mutex_);
  ++groups_[group].traced;
  groups_[group].traced_s += duration_s;
  traced_s_ += duration_s;
}

void Session::go_on() {
  const double now = gpu_.now_s();
  if (open_ || now < next_change_s_) return;
  if (!has_begun_) {
    has_begun_ = true;
    is_traced_ = true;
    gpu_.trace(true);
    change_pass(Pass::memory);
  } else if (pass_) {
    if (sampling_.is_over(now, limits_.patience_s)) change_pass(next_pass());
  } else if (const auto pass = pass_worth_a_change()) {
    change_pass(pass);
  } else {
    next_change_s_ = now + rest_s_;
  }
}

std::optional<Pass> Session::next_pass() const {
  for (auto next = static_cast<std::size_t>(*pass_) + 1; next < kPasses.size(); ++next) {
    if (!is_impossible_[next] && sampling_.has_awaited(kPasses[next])) return kPasses[next];
  }
  return std::nullopt;
}

std::optional<Pass> Session::pass_worth_a_change() const {
  for (const Pass pass : kPasses) {
    if (is_impossible_[static_cast<std::size_t>(pass)]) continue;
    bool is_awaited = false;
    double awaited_s = 0;
    for (GroupId id = 0; id < groups_.size(); ++id) {
      const bool still_comes = groups_[id].launches > groups_[id].launches_before_rest;
      if (!still_comes || !sampling_.is_awaited(id, pass)) continue;
      is_awaited = true;
      awaited_s += groups_[id].traced_s;
    }
    if (is_awaited && awaited_s >= kShareThatMatters * traced_s_) return pass;
  }
  return std::nullopt;
}

void Session::change_pass(std::optional<Pass> next) {
  if (!range_.wait_until_idle(limits_.before_launch_s)) {
    next_change_s_ = gpu_.now_s() + kRetryS;
    return;
  }
  if (pass_) take(gpu_.end_pass());
  begin_pass(next);
}

void Session::begin_pass(std::optional<Pass> next) {
  while (true) {
    pass_ = next;
    if (is_traced_ != is_traced_in(next)) {
      is_traced_ = !is_traced_;
      gpu_.trace(is_traced_);
      if (is_traced_) report_untraced();
    }
    const double now = gpu_.now_s();
    if (!next) {
      next_change_s_ = now + rest_s_;
      rest_s_ *= 2;
      for (Group& group : groups_) group.launches_before_rest = group.launches;
      break;
    }
    try {
      gpu_.begin_pass(*next);
      sampling_.begin(*next, gpu_.now_s());
      break;
    } catch (const Error& error) {
      is_impossible_[static_cast<std::size_t>(*next)] = true;
      sink_(record::Problem{.group = std::nullopt,
                            .cause = fmt::format("{} was not counted: {}", to_string(*next), error.what()),
                            .hint = error.hint()});
      next = *next == Pass::memory ? std::nullopt : next_pass();
    }
  }
  sink_(record::PassBegun{.pass = pass_ ? std::string(to_string(*pass_)) : "",
                          .is_traced = is_traced_,
                          .at_ns = static_cast<std::uint64_t>(gpu_.now_s() * 1e9)});
}

void Session::take(const std::vector<Gpu::CountedRange>& counted) {
  for (const Gpu::CountedRange& launch : counted) {
    const Range& range = ranges_.at(launch.range);
    if (range.is_void) continue;
    sink_(record::Counted{.group = range.group,
                          .pass = std::string(to_string(*pass_)),
                          .ordinal = range.ordinal,
                          .counters = launch.counters});
    if (pass_ != Pass::memory) continue;
    for (const Pass tensor : tensor_passes(launch.counters)) sampling_.need(range.group, tensor);
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
  if (!range_.is_open() && range_.wait_until_idle(limits_.before_launch_s)) {
    open_.reset();
    if (pass_) take(gpu_.end_pass());
    if (is_traced_) gpu_.trace(false);
    pass_.reset();
    is_traced_ = false;
  }
  report_untraced();
}

}  // namespace rooflinectl::injection
