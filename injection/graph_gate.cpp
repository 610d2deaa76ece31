// SPDX-License-Identifier: Apache-2.0
#include "injection/graph_gate.h"

#include <chrono>

namespace rooflinectl::injection {

void GraphGate::enter(Call call) {
  std::unique_lock lock(mutex_);
  const bool is_change = call == Call::change;
  const auto is_free = [&] { return changes_ == 0 && (is_change ? launches_ == 0 : waiting_changes_ == 0); };
  waiting_changes_ += is_change ? 1 : 0;
  if (late_ < kMostLate && !left_.wait_for(lock, std::chrono::duration<double>(limit_s_), is_free)) ++late_;
  waiting_changes_ -= is_change ? 1 : 0;
  ++(is_change ? changes_ : launches_);
}

void GraphGate::leave(Call call) {
  {
    const std::lock_guard lock(mutex_);
    --(call == Call::change ? changes_ : launches_);
  }
  left_.notify_all();
}

}  // namespace rooflinectl::injection
