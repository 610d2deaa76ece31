// SPDX-License-Identifier: Apache-2.0
#include "injection/graph_gate.h"

#include <algorithm>
#include <chrono>

namespace rooflinectl::injection {

GraphGate::Passage GraphGate::enter(Call call) {
  std::unique_lock lock(mutex_);
  const Passage passage = entries_.insert(entries_.end(), {.call = call});
  const std::chrono::duration<double> limit(limit_s_);
  if (late_ < kMostLate && !left_.wait_for(lock, limit, [&] { return is_free(passage); }))
    wait_no_longer(passage);
  return passage;
}

void GraphGate::leave(Passage passage) {
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(passage);
  }
  left_.notify_all();
}

bool GraphGate::has_given_up() {
  return late_ >= kMostLate && !is_told_.exchange(true);
}

bool GraphGate::is_in_the_way(const Entry& before, Call call) {
  return !before.is_late && (before.call == Call::change || call == Call::change);
}

/// Whether nothing is in progress, or waiting since before, that must not run beside it.
bool GraphGate::is_free(Passage passage) const {
  return std::none_of(entries_.begin(), std::list<Entry>::const_iterator(passage),
                      [&](const Entry& before) { return is_in_the_way(before, passage->call); });
}

/// For what is still in the way.
void GraphGate::wait_no_longer(Passage passage) {
  for (auto before = entries_.begin(); before != passage; ++before) {
    if (!is_in_the_way(*before, passage->call)) continue;
    before->is_late = true;
    ++late_;
  }
}

}  // namespace rooflinectl::injection
