// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collector/cupti/profiler.h"
#include "core/counters/counters.h"
#include "core/model/run.h"

namespace rooflinectl {

/// What went over all NVLinks of a device, or of several together.
struct LinkBytes {
  CounterValue sent = CounterValue::unavailable("not counted");
  CounterValue received = CounterValue::unavailable("not counted");
};

/// Unavailable where one of them is.
CounterValue sum_of(const CounterValue& a, const CounterValue& b);

/// Counts what goes over the NVLinks of several devices while nothing else uses them.
class LinkCounters {
 public:
  /// Throws Error where the device cannot be sampled.
  using Open = std::function<std::unique_ptr<Sampler>(std::uint64_t interval_ns)>;

  /// Returns when each device is sampled, or cannot be.
  explicit LinkCounters(const std::vector<DeviceInfo>& devices);
  /// The same with what these open, one for each device.
  explicit LinkCounters(const std::vector<Open>& devices);
  ~LinkCounters();
  LinkCounters(const LinkCounters&) = delete;
  LinkCounters& operator=(const LinkCounters&) = delete;

  /// Does `work`; when it returns, nothing may be moving any more.
  void watch(const std::function<void()>& work);

  /// Ends counting: what crossed the links of each device in each work, `[work][device]`.
  std::vector<std::vector<LinkBytes>> finish();

 private:
  struct Device;
  /// Of the monotonic clock.
  struct Window {
    std::uint64_t begin_ns;
    std::uint64_t end_ns;
  };

  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Window> windows_;
};

}  // namespace rooflinectl
