// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/link_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "collector/device/device.h"
#include "collector/sampling/sampling_thread.h"
#include "core/counters/metrics.h"
#include "core/program/timeline.h"

namespace rooflinectl {

namespace {

/// Short compared with the work, and long enough to be read meanwhile.
constexpr std::uint64_t kIntervalNs = 1'000'000;
/// Before and after each work, while nothing moves, so that it does not matter which sample a byte falls
/// into.
constexpr std::chrono::milliseconds kQuietTime{5};
constexpr std::uint64_t kMarginNs = 3 * kIntervalNs;

std::vector<LinkCounters::Open> openers_of(const std::vector<DeviceInfo>& devices) {
  std::vector<LinkCounters::Open> openers;
  for (const DeviceInfo& device : devices) {
    openers.emplace_back([index = device.index, uuid = device.uuid](std::uint64_t interval_ns) {
      return open_sampler(index, uuid, interval_ns);
    });
  }
  return openers;
}

/// Without what it means for a timeline.
std::string reason_of(const record::Problem& problem) {
  const std::string prefix = fmt::format("{}: ", kNoTimeline);
  return problem.cause.starts_with(prefix) ? problem.cause.substr(prefix.size()) : problem.cause;
}

}  // namespace

CounterValue sum_of(const CounterValue& a, const CounterValue& b) {
  if (!a.available()) return a;
  if (!b.available()) return b;
  return CounterValue::measured(*a.value() + *b.value());
}

struct LinkCounters::Device {
  explicit Device(const Open& open)
      : thread(std::make_unique<SamplingThread>([open] { return open(kIntervalNs); }, kIntervalNs,
                                                [this](const ProfileRecord& record) { take(record); },
                                                monotonic_ns)) {}

  void wait_until_begun() {
    std::unique_lock lock(mutex);
    begins.wait(lock, [this] { return has_begun; });
  }

  CounterValue counted(std::string_view key, const Window& window) const {
    if (!reason.empty()) return CounterValue::unavailable(reason);
    const auto left_out = begun.left_out.find(std::string(key));
    if (left_out != begun.left_out.end()) return CounterValue::unavailable(left_out->second);
    const auto found = std::ranges::find(begun.keys, key);
    if (found == begun.keys.end()) return CounterValue::unavailable("this device cannot sample it");
    const auto column = static_cast<std::size_t>(found - begun.keys.begin());
    double bytes = 0;
    std::uint64_t sampled_ns = 0;
    for (const record::Sample& sample : samples) {
      const std::uint64_t sample_end_ns = sample.start_ns + sample.duration_ns;
      if (sample_end_ns < window.begin_ns - kMarginNs || sample.start_ns > window.end_ns + kMarginNs)
        continue;
      bytes += sample.values[column];
      sampled_ns += sample.duration_ns;
    }
    if (sampled_ns < window.end_ns - window.begin_ns) return CounterValue::unavailable("samples were lost");
    return CounterValue::measured(bytes);
  }

  void take(const ProfileRecord& record) {
    const std::lock_guard lock(mutex);
    if (const auto* const one = std::get_if<record::SamplingBegun>(&record)) begun = *one;
    if (const auto* const some = std::get_if<record::Samples>(&record)) {
      samples.insert(samples.end(), some->samples.begin(), some->samples.end());
    }
    if (const auto* const problem = std::get_if<record::Problem>(&record)) reason = reason_of(*problem);
    has_begun = true;
    begins.notify_all();
  }

  std::mutex mutex;  // guards what follows, until the thread has ended
  std::condition_variable begins;
  bool has_begun = false;
  record::SamplingBegun begun;
  std::vector<record::Sample> samples;
  std::string reason;  ///< why it cannot be sampled
  std::unique_ptr<SamplingThread> thread;
};

LinkCounters::LinkCounters(const std::vector<DeviceInfo>& devices) : LinkCounters(openers_of(devices)) {}

LinkCounters::LinkCounters(const std::vector<Open>& devices) {
  for (const Open& open : devices) devices_.push_back(std::make_unique<Device>(open));
  for (const auto& device : devices_) device->wait_until_begun();
}

LinkCounters::~LinkCounters() = default;

void LinkCounters::watch(const std::function<void()>& work) {
  std::this_thread::sleep_for(kQuietTime);
  const std::uint64_t begin_ns = monotonic_ns();
  work();
  windows_.push_back({begin_ns, monotonic_ns()});
  std::this_thread::sleep_for(kQuietTime);
}

std::vector<std::vector<LinkBytes>> LinkCounters::finish() {
  for (const auto& device : devices_) device->thread.reset();
  std::vector<std::vector<LinkBytes>> all;
  for (const Window& window : windows_) {
    std::vector<LinkBytes>& bytes = all.emplace_back();
    for (const auto& device : devices_) {
      bytes.push_back({device->counted(sampled::kNvlinkSentBytes, window),
                       device->counted(sampled::kNvlinkReceivedBytes, window)});
    }
  }
  return all;
}

}  // namespace rooflinectl
