// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/sampling.h"

#include <algorithm>

namespace rooflinectl::injection {

template <typename Change>
void Sampling::change(GroupId group, Change change) {
  const bool was_awaited = is_awaited(group);
  change(groups_[group], groups_[group].states[static_cast<int>(pass_)]);
  awaited_ = awaited_ - (was_awaited ? 1 : 0) + (is_awaited(group) ? 1 : 0);
}

GroupId Sampling::add_group(double now) {
  const auto group = static_cast<GroupId>(groups_.size());
  groups_.emplace_back();
  if (is_awaited(group)) ++awaited_;
  last_news_ = now;
  return group;
}

void Sampling::need_tensor_pass(GroupId group) {
  change(group, [](Group& changed, State&) { changed.needs_tensor_pass = true; });
}

void Sampling::begin(Pass pass, double now) {
  pass_ = pass;
  begun_ = now;
  last_news_ = now;
  awaited_ = 0;
  for (GroupId id = 0; id < groups_.size(); ++id) {
    groups_[id].launches = 0;
    groups_[id].states[static_cast<int>(pass)].next = 1;
    if (is_awaited(id)) ++awaited_;
  }
}

bool Sampling::wants(GroupId group) {
  ++groups_[group].launches;
  return is_awaited(group) && groups_[group].launches >= state(group, pass_).next;
}

void Sampling::counted(GroupId group, double now) {
  change(group, [](Group& changed, State& state) {
    ++state.counted;
    state.next = 2 * changed.launches;
    changed.voids = 0;
  });
  last_news_ = now;
}

void Sampling::voided(GroupId group) {
  change(group, [](Group& changed, State& state) {
    ++changed.voids;
    state.next = 2 * changed.launches;
  });
}

bool Sampling::is_over(double now, double patience_s) const {
  const double quiet_s = now - last_news_;
  // Where all that were seen have their samples, others may still follow.
  const double enough_s = awaited_ == 0 ? patience_s / 10 : std::max(patience_s, (last_news_ - begun_) / 2);
  return !groups_.empty() && quiet_s > enough_s;
}

bool Sampling::is_complete(GroupId group, Pass pass) const {
  if (pass == Pass::tensor && !groups_[group].needs_tensor_pass) return true;
  return state(group, pass).counted >= samples_;
}

}  // namespace rooflinectl::injection
