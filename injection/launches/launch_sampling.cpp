// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/launch_sampling.h"

#include <algorithm>

namespace rooflinectl::injection {

void ProgramSteps::begin(double now) {
  restart(now);
  for (Group& group : groups_) group.new_in = restarts_;
}

void ProgramSteps::add_group(double now, bool may_begin_steps, bool has_new_kernel) {
  constexpr std::uint64_t kOneNewIn = 8;
  const bool begins_steps = may_begin_steps && (has_new_kernel || kOneNewIn * lately_new_ >= lately_);
  if (begins_steps) restart(now);
  groups_.push_back({.new_in = restarts_, .began_steps = begins_steps});
}

void ProgramSteps::restart(double now) {
  since_s_ = now;
  ++restarts_;
  launches_ = launched_groups_ = launched_once_ = 0;
  lately_ = lately_new_ = 0;
}

void ProgramSteps::launched(GroupId id) {
  constexpr std::uint64_t kMostLately = 1024;
  Group& group = groups_[id];
  if (!is_current(id)) {
    group.restarts = restarts_;
    group.launches = 0;
    group.samples = 0;
    group.first = launches_;
  }
  group.last = launches_++;
  ++group.launches;
  const bool is_new = group.new_in == restarts_;
  const bool may_repeat = !is_new || group.began_steps;  // of the others, each may be launched once
  if (may_repeat && group.launches == 1) {
    ++launched_groups_;
    ++launched_once_;
  } else if (may_repeat && group.launches == 2) {
    --launched_once_;
  }
  ++lately_;
  if (is_new) ++lately_new_;
  if (lately_ == kMostLately) {
    lately_ /= 2;
    lately_new_ /= 2;
  }
}

bool ProgramSteps::have_repeated(double now) const {
  constexpr std::uint64_t kManyOfEach = 8;
  constexpr std::uint64_t kOneOnceIn = 50;
  const bool is_enough = duration_s(now) >= kLongS || launches_ >= kManyOfEach * launched_groups_;
  return launches_ > 0 && is_enough && kOneOnceIn * launched_once_ <= launches_;
}

/// What is launched in each step is launched in both halves of some steps.
bool ProgramSteps::is_steady(GroupId id, double now) const {
  constexpr double kShownS = 0.5;
  const Group& group = groups_[id];
  return is_current(id) &&
         (duration_s(now) < kShownS || (2 * group.first <= launches_ && 2 * (group.last + 1) >= launches_));
}

bool ProgramSteps::comes_within(double limit_s, GroupId group, int launches, double now) const {
  return is_steady(group, now) &&
         launches * duration_s(now) <= limit_s * static_cast<double>(launches_of(group));
}

/// A burst of launches ahead of the device shows little: it is taken for `kLongS`.
std::uint64_t ProgramSteps::launches_within(double limit_s, double now) const {
  const double took_s = std::max(duration_s(now), kLongS);
  return static_cast<std::uint64_t>(static_cast<double>(launches_) * limit_s / took_s);
}

template <typename Change>
void LaunchSampling::change(GroupId group, Change change) {
  const bool was_awaited = is_awaited(group, pass_);
  change(groups_[group], groups_[group].states[static_cast<std::size_t>(pass_)]);
  awaited_ = awaited_ - (was_awaited ? 1 : 0) + (is_awaited(group, pass_) ? 1 : 0);
}

GroupId LaunchSampling::add_group(double now, Wish wish) {
  const auto group = static_cast<GroupId>(groups_.size());
  Group& added = groups_.emplace_back();
  added.kernel = wish.kernel;
  added.is_known_to_end = wish.is_known_to_end;
  added.is_in_graph = wish.is_in_graph;
  added.may_be_instrumented_alone = wish.may_be_instrumented_alone;
  const bool is_new_kernel = voids_.try_emplace(wish.kernel, 0).second;
  for (const Pass pass : {Pass::memory, Pass::operations, Pass::tensor, Pass::stalls, Pass::pipes}) {
    added.needed[static_cast<std::size_t>(pass)] = wish.is_counted;
  }
  const bool is_news = is_awaited(group, pass_);
  if (is_news) {
    ++awaited_;
    last_news_ = now;
  }
  steps_.add_group(now, is_news, is_new_kernel);
  return group;
}

void LaunchSampling::need(GroupId group, Pass pass) {
  change(group, [&](Group& changed, State&) { changed.needed[static_cast<std::size_t>(pass)] = true; });
}

void LaunchSampling::begin(Pass pass, double now) {
  pass_ = pass;
  begun_ = last_news_ = now;
  steps_.begin(now);
  for (Group& group : groups_) {
    group.launches = 0;
    group.enough_of_steps = group.least_samples = 0;
    group.states[static_cast<std::size_t>(pass)].next = 1;
  }
  find_awaited();
}

void LaunchSampling::launched(GroupId group) {
  ++launches_;
  steps_.launched(group);
}

void LaunchSampling::find_awaited() {
  awaited_ = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (is_awaited(id, pass_)) ++awaited_;
  }
}

bool LaunchSampling::wants(GroupId id, std::uint64_t ordinal) {
  Group& group = groups_[id];
  ++group.launches;
  if (!is_awaited(id, pass_) || group.launches < state(id, pass_).next) return false;
  return group.period == 0 || !state(id, pass_).places[ordinal % group.period];
}

void LaunchSampling::counted(GroupId group, double now, std::uint64_t ordinal) {
  change(group, [&](Group& changed, State& state) {
    ++state.counted;
    if (changed.period > 0)
      state.places[ordinal % changed.period] = true;
    else
      state.ordinals.push_back(ordinal);
    state.next = next_after(changed);
  });
  steps_.counted(group);
  voids_[groups_[group].kernel] = 0;
  last_news_ = now;
}

void LaunchSampling::varies(GroupId group) {
  change(group, [&](Group& changed, State& state) {
    changed.is_varying = true;
    changed.has_settled = false;
    state.next = next_after(changed);
  });
}

void LaunchSampling::does_the_same(GroupId group) {
  change(group, [](Group& changed, State&) { changed.does_the_same = true; });
}

void LaunchSampling::settles(GroupId group, bool has_settled) {
  change(group, [&](Group& changed, State&) { changed.has_settled = has_settled; });
}

bool LaunchSampling::lacks_samples_of_steps(GroupId id, int enough, double now) {
  Group& group = groups_[id];
  const int lacking = enough - steps_.samples_of(id);
  const bool is_new_wish = enough > group.enough_of_steps && lacking > 0;
  if (is_new_wish && !group.is_in_graph && group.period == 0 &&
      steps_.comes_within(kSoonS, id, lacking, now)) {
    change(id, [&](Group& changed, State& state) {
      changed.enough_of_steps = enough;
      changed.least_samples = state.counted + lacking;
      changed.awaited_until = launches_ + steps_.launches_within(kSoonS, now);
      state.next = changed.launches + 1;
    });
  }
  if (!is_awaited(id, Pass::memory) || samples_of(id, Pass::memory) >= group.least_samples) return false;
  if (launches_ <= group.awaited_until) return true;
  change(id, [](Group& changed, State&) { changed.least_samples = 0; });
  return false;
}

void LaunchSampling::instruments_one_by_one() {
  is_one_by_one_ = true;
  find_awaited();
}

void LaunchSampling::has_nodes(GroupId group, int nodes) {
  change(group, [&](Group& changed, State&) { changed.nodes = std::min(nodes, kVaryingSamples); });
}

void LaunchSampling::repeats(GroupId group, std::size_t period) {
  change(group, [&](Group& changed, State&) {
    const auto samples = static_cast<std::size_t>(std::max(samples_, 1));
    changed.period = period * ((samples + period - 1) / period);
    for (State& state : changed.states) {
      state.places.assign(changed.period, false);
      for (const std::uint64_t ordinal : state.ordinals) state.places[ordinal % changed.period] = true;
      state.ordinals.clear();
      state.counted = static_cast<int>(std::ranges::count(state.places, true));
      state.next = 1;
    }
  });
}

int LaunchSampling::samples_for(GroupId group, Pass pass) const {
  const Group& known = groups_[group];
  const bool is_alone = is_one_by_one_ && pass == Pass::operations;
  if (is_alone && (known.does_the_same || known.has_settled || !known.is_varying)) return 1;
  if (known.period > 0) return static_cast<int>(known.period);
  if (is_alone) return kEnoughThatVary;
  if (pass == Pass::memory)
    return std::max({samples_, known.is_varying ? kVaryingSamples : known.nodes, known.least_samples});
  if (known.is_varying && !known.has_settled) return std::max(samples_, kVaryingSamples);
  if (pass == Pass::operations) return known.does_the_same ? 1 : std::max(samples_, known.nodes);
  return std::max(samples_, known.is_varying ? kEnoughThatVary : known.nodes);
}

std::uint64_t LaunchSampling::next_after(const Group& group) const {
  const bool is_of_steps = pass_ == Pass::memory && group.least_samples > 0;
  return group.is_varying || group.is_in_graph || is_of_steps ? group.launches + 1 : 2 * group.launches;
}

void LaunchSampling::postponed(GroupId group) {
  change(group, [&](Group& changed, State& state) { state.next = next_after(changed); });
}

void LaunchSampling::voided(GroupId group) {
  constexpr std::uint64_t kLaunchesToPass = 2;
  change(group, [](Group& changed, State& state) { state.next = changed.launches + 1 + kLaunchesToPass; });
  if (++voids_[groups_[group].kernel] == kMostVoids) find_awaited();
}

bool LaunchSampling::is_over(double now, double least_patience_s) const {
  constexpr double kMostPatienceS = 2;
  const double patience_s = std::clamp(last_news_ - begun_, least_patience_s, kMostPatienceS);
  return !groups_.empty() && quiet_s(now) > (awaited_ == 0 ? least_patience_s : patience_s);
}

bool LaunchSampling::is_complete(GroupId group, Pass pass) const {
  const bool is_out_of_reach =
      is_one_by_one_ && pass == Pass::operations && !groups_[group].may_be_instrumented_alone;
  return !groups_[group].needed[static_cast<std::size_t>(pass)] || is_out_of_reach ||
         state(group, pass).counted >= samples_for(group, pass);
}

bool LaunchSampling::is_awaited(GroupId group, Pass pass) const {
  const bool is_known_to_end =
      pass == Pass::memory || groups_[group].is_known_to_end || samples_of(group, Pass::memory) > 0;
  return is_known_to_end && !is_left_alone(group) && !is_complete(group, pass);
}

bool LaunchSampling::is_missing(GroupId group, Pass pass) const {
  const Group& known = groups_[group];
  const int counted = samples_of(group, pass);
  const bool is_enough =
      (known.is_in_graph && counted > 0) ||
      (known.is_varying && known.period == 0 && pass != Pass::memory && counted >= kEnoughThatVary);
  return is_awaited(group, pass) && !is_enough;
}

std::size_t LaunchSampling::awaited_samples(Pass pass) const {
  std::size_t samples = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (is_awaited(id, pass))
      samples += static_cast<std::size_t>(samples_for(id, pass) - samples_of(id, pass));
  }
  return samples;
}

bool LaunchSampling::has_awaited(Pass pass) const {
  for (GroupId id = 0; id < groups_.size(); ++id) {
    if (is_awaited(id, pass)) return true;
  }
  return false;
}

}  // namespace rooflinectl::injection
