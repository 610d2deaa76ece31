// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "injection/driver.h"

namespace rooflinectl::injection {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A device that works off launches one after the other, in real time, for many threads at once. What would
/// be a mistake in using CUPTI is noted.
class FakeDevice {
 public:
  /// A kernel of that many seconds.
  void launch(double duration_s) {
    const std::lock_guard lock(mutex_);
    busy_until_s_ = std::max(busy_until_s_, seconds_now()) + duration_s;
    if (open_range_) ++launches_in_range_;
  }
  bool is_idle() {
    const std::lock_guard lock(mutex_);
    return seconds_now() >= busy_until_s_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    require(!open_range_ && seconds_now() >= busy_until_s_, "a range was opened out of order");
    open_range_ = true;
    launches_in_range_ = 0;
  }
  int close() {
    const std::lock_guard lock(mutex_);
    require(open_range_ && seconds_now() >= busy_until_s_, "a range was closed out of order");
    open_range_ = false;
    return launches_in_range_;
  }
  void change(std::chrono::microseconds takes) {
    {
      const std::lock_guard lock(mutex_);
      require(!open_range_ && seconds_now() >= busy_until_s_ && !is_changing_, "changed out of order");
      is_changing_ = true;
    }
    if (while_changing) while_changing();
    std::this_thread::sleep_for(takes);
    const std::lock_guard lock(mutex_);
    require(seconds_now() >= busy_until_s_, "launched on while the pass changed");
    is_changing_ = false;
  }
  std::set<std::string> mistakes() {
    const std::lock_guard lock(mutex_);
    return mistakes_;
  }

  std::function<void()> while_changing;  ///< to be set before anything is launched

 private:
  void require(bool holds, const char* mistake) {
    if (!holds) mistakes_.insert(mistake);
  }

  std::mutex mutex_;
  double busy_until_s_ = 0;
  bool open_range_ = false;
  bool is_changing_ = false;
  int launches_in_range_ = 0;
  std::set<std::string> mistakes_;
};

/// Counts the launches in each range.
class FakeGpu : public Gpu {
 public:
  explicit FakeGpu(FakeDevice& device, ProcessCalls calls = {}) : device_(device), calls_(std::move(calls)) {}

  bool is_idle(bool /*of_all_devices*/) override { return device_.is_idle(); }
  void trace(bool on) override {
    if (calls_.trace) calls_.trace(on);
  }
  void deliver_trace() override {}
  void begin_pass(Pass /*pass*/, std::size_t /*ranges*/, bool /*only_within_ranges*/) override {
    device_.change(std::chrono::milliseconds(2));
  }
  std::vector<CountedRange> end_pass() override {
    device_.change(std::chrono::milliseconds(2));
    return std::exchange(counted_, {});
  }
  void abandon_pass() override { counted_.clear(); }
  bool has_room() override { return counted_.size() < kRoom; }
  std::vector<CountedRange> make_room() override {
    device_.change(std::chrono::milliseconds(1));
    return std::exchange(counted_, {});
  }
  void open_range(std::uint64_t range) override {
    device_.open();
    range_ = range;
  }
  void close_range() override {
    counted_.push_back(
        {range_, {{std::string(counter::kWarpInstructions), CounterValue::measured(device_.close())}}});
  }
  void begin_timeline() override {
    if (calls_.begin_timeline) calls_.begin_timeline();
  }
  bool is_sampled() override { return calls_.is_sampled && calls_.is_sampled(); }
  bool begin_lines() override { return false; }
  SourceLines end_lines() override { return {}; }
  void abandon_lines() override {}
  double now_s() override { return seconds_now(); }
  void pause() override { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

 private:
  static constexpr std::size_t kRoom = 64;

  FakeDevice& device_;
  const ProcessCalls calls_;
  std::uint64_t range_ = 0;
  std::vector<CountedRange> counted_;
};

/// A driver with such devices, one per context.
class FakeDriver : public Driver {
 public:
  record::Device device_of(Handle context) override {
    const std::lock_guard lock(mutex_);
    const auto [device, is_new] = numbers_.try_emplace(context, static_cast<int>(numbers_.size()));
    return {.device = device->second, .uuid = "GPU-" + std::to_string(device->second), .chip = ""};
  }
  record::Kernel kernel(const Launch& launch) override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // loads it
    return {.symbol = launch.symbol == nullptr ? "?" : launch.symbol};
  }
  std::optional<int> blocks_per_sm(const Launch& /*launch*/) override { return 16; }
  void has_stream(Handle /*context*/, int /*device*/, Handle /*stream*/) override {}
  std::unique_ptr<Gpu> gpu(Handle context, int /*device*/, ProcessCalls calls) override {
    return std::make_unique<FakeGpu>(device(context), std::move(calls));
  }
  std::unique_ptr<Sampler> sampler(int /*device*/, std::uint64_t /*interval_ns*/) override {
    throw Error(ErrorKind::environment, "it cannot be sampled");
  }
  void trace(bool on) override { is_traced = on; }
  void flush(bool /*is_all*/) override {}
  std::string other_cupti() override { return cupti_of_program; }

  FakeDevice& device(Handle context) {
    const std::lock_guard lock(mutex_);
    return devices_[context];
  }

  std::atomic<bool> is_traced = false;
  std::string cupti_of_program;

 private:
  std::mutex mutex_;
  std::map<Handle, int> numbers_;
  std::map<Handle, FakeDevice> devices_;
};

}  // namespace rooflinectl::injection
