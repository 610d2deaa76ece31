// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <functional>
#include <thread>
#include <utility>

namespace rooflinectl {

/// Blocks all signals on the calling thread, and then those that were blocked before.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

/// A thread of ours in somebody else's program, whose signals are for its own threads. Throws
/// std::system_error if there can be no more threads.
inline std::thread own_thread(std::function<void()> work) {
  const BlockedSignals blocked;  // a thread begins with the mask of the one that makes it
  return std::thread(std::move(work));
}

}  // namespace rooflinectl
