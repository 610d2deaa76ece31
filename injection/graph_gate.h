// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>

#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// CUPTI keeps a table of the executable graphs of a process. It adds to it when one is made, and reads it
/// for each kernel of a launch, without a lock (2025.3.1): a program whose threads do both at once ends by a
/// segmentation fault. So a call that makes or changes an executable graph waits until no other one and no
/// launch of a graph is in progress, and the reverse; launches run side by side.
///
/// A launch may wait for the GPU, and the GPU for another thread: nobody waits longer than `limit_s`, and
/// after `kMostLate` such waits nobody waits at all. Member functions may be called from any thread.
class GraphGate {
 public:
  enum class Call { launch, change };

  static constexpr int kMostLate = 3;

  explicit GraphGate(double limit_s = 1) : limit_s_(limit_s) {}
  GraphGate(const GraphGate&) = delete;
  GraphGate& operator=(const GraphGate&) = delete;

  /// The call is about to go to the driver. `leave` must follow.
  void enter(Call call);
  void leave(Call call);

  /// A call, for as long as this lives.
  class Passage {
   public:
    Passage(GraphGate& gate, Call call) : gate_(gate), call_(call) { gate_.enter(call_); }
    ~Passage() { gate_.leave(call_); }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    GraphGate& gate_;
    const Call call_;
  };

 private:
  const double limit_s_;
  OrderedMutex<LockOrder::graph_calls> mutex_;  // guards what follows
  std::condition_variable_any left_;
  int launches_ = 0;  // in progress
  int changes_ = 0;
  int waiting_changes_ = 0;  // which go first
  int late_ = 0;
};

}  // namespace rooflinectl::injection
