// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "collector/cupti/profiler.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// Samples a device from a thread of its own, which other threads never wait for, except at the end.
class SamplingThread {
 public:
  /// Throws Error where the device cannot be sampled.
  using Open = std::function<std::unique_ptr<Sampler>()>;
  using Sink = std::function<void(const ProfileRecord&)>;
  using Clock = std::function<std::uint64_t()>;

  /// Begins. What goes wrong later becomes a record too.
  SamplingThread(Open open, std::uint64_t interval_ns, Sink sink, Clock now_ns);
  /// Ends, and returns when all samples are written down.
  ~SamplingThread();
  /// Begins to end, and waits for nothing.
  void end();
  /// Whether the device cannot be sampled, or no longer.
  bool has_failed() const { return has_failed_; }
  SamplingThread(const SamplingThread&) = delete;
  SamplingThread& operator=(const SamplingThread&) = delete;

 private:
  void sample();
  void take(Sampler& sampler);
  bool ends_within(std::chrono::nanoseconds time);

  const Open open_;
  const std::uint64_t interval_ns_;
  const Sink sink_;
  const Clock now_ns_;
  int device_ = 0;
  std::atomic<bool> has_failed_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable ends_;
  bool is_ended_ = false;
  std::thread thread_;
};

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
