// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// A device that can be sampled. Times are of the system's monotonic clock.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// What is sampled.
  virtual record::SamplingBegun description() = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// The samples that were not taken yet, the oldest first. Called while the device is sampled, and once
  /// after that.
  virtual std::vector<record::Sample> take() = 0;
};

/// Samples a device from a thread of its own, which the program's threads never wait for but at the end.
class Timeline {
 public:
  /// Throws Error where the device cannot be sampled.
  using Open = std::function<std::unique_ptr<Sampler>()>;
  using Sink = std::function<void(const ProfileRecord&)>;
  using Clock = std::function<std::uint64_t()>;

  /// Begins. What goes wrong later becomes a record too.
  Timeline(Open open, std::uint64_t interval_ns, Sink sink, Clock now_ns);
  /// Ends, and returns when all samples are written down.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

 private:
  void sample();
  void take(Sampler& sampler);
  bool ends_within(std::chrono::nanoseconds time);

  const Open open_;
  const std::uint64_t interval_ns_;
  const Sink sink_;
  const Clock now_ns_;
  int device_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable ends_;
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace rooflinectl::injection
