// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/launch_sampling.h"

#include <algorithm>
#include <utility>

namespace rooflinectl::injection {

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
  voids_.try_emplace(wish.kernel, 0);
  for (const Pass pass : {Pass::memory, Pass::operations, Pass::tensor, Pass::stalls, Pass::pipes}) {
    added.needed[static_cast<std::size_t>(pass)] = wish.is_counted;
  }
  if (is_awaited(group, pass_)) {
    ++awaited_;
    last_news_ = now;
    forget_recent(now);
  }
  return group;
}

void LaunchSampling::need(GroupId group, Pass pass) {
  change(group, [&](Group& changed, State&) { changed.needed[static_cast<std::size_t>(pass)] = true; });
}

void LaunchSampling::begin(Pass pass, double now) {
  pass_ = pass;
  begun_ = last_news_ = now;
  forget_recent(now);
  for (Group& group : groups_) {
    group.launches = 0;
    if (pass == Pass::memory) group.enough_of_steps = 0;
    group.states[static_cast<std::size_t>(pass)].next = 1;
  }
  find_awaited();
}

void LaunchSampling::forget_recent(double now) {
  recent_since_s_ = now;
  ++forgotten_;
  recent_ = recent_groups_ = recent_once_ = 0;
}

void LaunchSampling::launched(GroupId id) {
  Group& group = groups_[id];
  if (std::exchange(group.forgotten, forgotten_) != forgotten_) {
    group.recent = 0;
    group.recent_samples = 0;
  }
  ++recent_;
  ++group.recent;
  if (group.recent == 1) {
    ++recent_groups_;
    ++recent_once_;
  } else if (group.recent == 2) {
    --recent_once_;
  }
}

std::uint64_t LaunchSampling::recent_launches(GroupId group) const {
  return groups_[group].forgotten == forgotten_ ? groups_[group].recent : 0;
}

bool LaunchSampling::has_repeated(double now) const {
  constexpr std::uint64_t kManyOfEach = 8;
  constexpr std::uint64_t kOfThemOnce = 50;
  const bool is_enough = now - recent_since_s_ >= kLongS || recent_ >= kManyOfEach * recent_groups_;
  return recent_ > 0 && is_enough && kOfThemOnce * recent_once_ <= recent_;
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
    ++changed.recent_samples;
    if (changed.period > 0)
      state.places[ordinal % changed.period] = true;
    else
      state.ordinals.push_back(ordinal);
    state.next = next_after(changed);
  });
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

bool LaunchSampling::comes_soon(GroupId group, int launches, double now) const {
  return launches * recent_s(now) <= kSoonS * static_cast<double>(recent_launches(group));
}

bool LaunchSampling::lacks_samples_of_steps(GroupId id, int enough, double now) {
  Group& group = groups_[id];
  const int of_steps = group.forgotten == forgotten_ ? group.recent_samples : 0;
  if (group.is_in_graph || group.period > 0 || !comes_soon(id, enough - of_steps, now)) return false;
  if (std::exchange(group.enough_of_steps, std::max(enough, group.enough_of_steps)) < enough &&
      of_steps < enough) {
    change(id, [&](Group& changed, State& state) {
      changed.least_samples = state.counted + enough - of_steps;
      state.next = changed.launches + 1;
    });
  }
  return is_awaited(id, Pass::memory) && samples_of(id, Pass::memory) < group.least_samples;
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
  const double quiet_s = now - last_news_;
  const double patience_s = std::clamp(last_news_ - begun_, least_patience_s, kMostPatienceS);
  return !groups_.empty() && quiet_s > (awaited_ == 0 ? least_patience_s : patience_s);
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
