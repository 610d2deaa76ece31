// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "collector/sampling/sampling_thread.h"
#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// The devices that are sampled over time, each by a thread of its own. Member functions may be called from
/// any thread, but not under a lock that launching threads take.
class Timelines {
 public:
  using Open = std::function<std::unique_ptr<Sampler>(int device)>;
  using Sink = std::function<void(const ProfileRecord&)>;

  /// `open` throws Error if the device cannot be sampled. It runs on the thread of the device.
  Timelines(const ProfileSettings& settings, Open open, Sink sink);

  /// From now on the device is sampled, if that is wanted: while the program is captured.
  void begin(int device);
  /// Whether the device is sampled, or awaits the next captured part; false if it cannot be sampled.
  bool is_sampled(int device);
  /// The device's last context is being destroyed. Waits for nothing; `reap` does.
  void end(int device);
  /// Waits for the threads of devices that have ended.
  void reap();
  /// The program calls cuProfilerStart or cuProfilerStop.
  void capture(bool is_on);
  /// All devices are sampled no longer.
  void finish();

 private:
  std::unique_ptr<SamplingThread> thread_of(int device);

  const ProfileSettings& settings_;
  const Open open_;
  const Sink sink_;

  OrderedMutex<LockOrder::timelines> mutex_;  // guards what follows
  bool is_captured_;
  /// By device; nothing where the next captured part is awaited.
  std::map<int, std::unique_ptr<SamplingThread>> timelines_;
  std::vector<std::unique_ptr<SamplingThread>> ending_;
};

}  // namespace rooflinectl::injection
