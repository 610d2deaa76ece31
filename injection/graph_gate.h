// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>

#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// CUPTI keeps a table of the executable graphs of a process. It adds to it when one is made, and reads it
/// for each kernel of a launch, without a lock (2025.3.1): a program whose threads do both at once dies with
/// a segmentation fault. So a call that makes or changes an executable graph waits for all calls that came
/// before it, and a launch of a graph for those that make or change one; launches run side by side.
///
/// A launch may wait for the GPU, and the GPU for another thread: nobody waits longer than `limit_s`, nobody
/// waits again for a call that took too long, and after `kMostLate` such calls nobody waits at all. Member
/// functions may be called from any thread.
class GraphGate {
 public:
  enum class Call { launch, change };
  struct Entry {
    Call call;
    bool is_late = false;
  };
  /// A call, from `enter` to `leave`.
  using Passage = std::list<Entry>::iterator;

  static constexpr int kMostLate = 3;

  explicit GraphGate(double limit_s = 1) : limit_s_(limit_s) {}
  GraphGate(const GraphGate&) = delete;
  GraphGate& operator=(const GraphGate&) = delete;

  /// The call is about to go to the driver.
  Passage enter(Call call);
  /// It has returned.
  void leave(Passage passage);
  /// How many calls took too long while others waited for them.
  int late() const { return late_; }
  /// Whether nobody waits any more; true for one caller alone.
  bool has_given_up();

 private:
  static bool is_in_the_way(const Entry& before, Call call);
  bool is_free(Passage passage) const;
  void wait_no_longer(Passage passage);

  const double limit_s_;
  OrderedMutex<LockOrder::graph_calls> mutex_;  // guards what follows
  std::condition_variable_any left_;
  std::list<Entry> entries_;  // in the order in which they came
  std::atomic<int> late_ = 0;
  std::atomic<bool> is_told_ = false;  // that nobody waits
};

}  // namespace rooflinectl::injection
