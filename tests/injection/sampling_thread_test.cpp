// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/sampling_thread.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/program/timeline.h"

namespace rooflinectl::sampling_thread_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// What happens to a device, in order.
struct Device {
  std::atomic<int> samples = 0;  // that it holds
  std::atomic<bool> is_sampled = false;
  std::atomic<bool> is_broken = false;
  std::uint64_t taken = 0;

  void wait_until_sampled() const {
    while (!is_sampled) std::this_thread::yield();
  }
  void wait_until_taken() const {
    while (samples > 0) std::this_thread::yield();
  }
};

class FakeSampler : public Sampler {
 public:
  explicit FakeSampler(Device& device) : device_(device) {}

  record::SamplingBegun description() override { return {.device = 3, .keys = {"sm_active"}}; }
  void start() override { device_.is_sampled = true; }
  void stop() override { device_.is_sampled = false; }
  std::vector<record::PowerReading> take_power() override {
    if (device_.taken == power_taken_) return {};
    power_taken_ = device_.taken;
    return {{.at_ns = device_.taken, .watts = 100}};
  }
  std::vector<record::Sample> take() override {
    if (device_.is_broken) throw Error(ErrorKind::environment, "the buffer is gone", "try again");
    std::vector<record::Sample> taken;
    for (int waiting = device_.samples.exchange(0); waiting > 0; --waiting) {
      taken.push_back({.start_ns = device_.taken++, .duration_ns = 1, .values = {0.5}});
    }
    return taken;
  }

 private:
  Device& device_;
  std::uint64_t power_taken_ = 0;
};

class SamplingThreadTest : public testing::Test {
 protected:
  SamplingThread::Open open() {
    return [this] { return std::make_unique<FakeSampler>(device); };
  }
  SamplingThread::Sink sink() {
    return [this](const ProfileRecord& record) { records.push_back(record); };
  }

  std::vector<std::uint64_t> starts() const {
    std::vector<std::uint64_t> found;
    for (const ProfileRecord& record : records) {
      if (const auto* taken = std::get_if<record::Samples>(&record)) {
        EXPECT_EQ(taken->device, 3);
        for (const record::Sample& sample : taken->samples) found.push_back(sample.start_ns);
      }
    }
    return found;
  }

  Device device;
  std::vector<ProfileRecord> records;  // to be read once the timeline has ended
};

TEST_F(SamplingThreadTest, ReadsWhileTheDeviceIsSampledAndOnceMoreAtTheEnd) {
  {
    SamplingThread thread(open(), kShortestReadInterval, sink(), [] { return 77; });
    device.wait_until_sampled();
    device.samples = 2;
    device.wait_until_taken();
    EXPECT_TRUE(device.is_sampled);
    EXPECT_FALSE(thread.has_failed());
    device.samples = 1;
  }
  EXPECT_FALSE(device.is_sampled);
  EXPECT_THAT(starts(), ElementsAre(0, 1, 2));
  const auto& begun = std::get<record::SamplingBegun>(records.front());
  EXPECT_EQ(begun.at_ns, 77);
  const auto power = std::get<record::Power>(records.back());
  EXPECT_EQ(power, (record::Power{.device = 3, .readings = {{.at_ns = 3, .watts = 100}}}));
}

TEST_F(SamplingThreadTest, FasterThanItReadsItSamplesForAsLongAsTheDeviceHasRoom) {
  SamplingThread thread(open(), kShortestInterval, sink(), [] { return 77; });
  device.samples = 2;
  device.wait_until_taken();  // although nobody ends it
  EXPECT_FALSE(device.is_sampled);
}

TEST_F(SamplingThreadTest, EndsAtOnceWhereTheProgramDoes) {
  {
    SamplingThread thread(open(), kShortestReadInterval - 1, sink(), [] { return 77; });
  }
  EXPECT_FALSE(device.is_sampled);
}

TEST_F(SamplingThreadTest, WhatFailsIsAProblem) {
  {
    SamplingThread thread(
        []() -> std::unique_ptr<Sampler> { throw Error(ErrorKind::environment, "not permitted", "ask"); },
        kShortestReadInterval, sink(), [] { return 77; });
    while (!thread.has_failed()) std::this_thread::yield();
  }
  ASSERT_THAT(records, SizeIs(1));
  const auto& problem = std::get<record::Problem>(records.front());
  EXPECT_THAT(problem.cause, HasSubstr("not permitted"));
  EXPECT_EQ(problem.hint, "ask");
}

TEST_F(SamplingThreadTest, WithoutMemoryForSamplesTheProgramGoesOn) {
  {
    SamplingThread thread([]() -> std::unique_ptr<Sampler> { throw std::bad_alloc(); }, kShortestReadInterval,
                          sink(), [] { return 77; });
  }
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_THAT(std::get<record::Problem>(records.front()).cause, HasSubstr("bad_alloc"));
}

TEST_F(SamplingThreadTest, WhatFailsLaterLosesNothingThatWasTaken) {
  {
    SamplingThread thread(open(), kShortestReadInterval, sink(), [] { return 77; });
    device.wait_until_sampled();
    device.samples = 1;
    device.wait_until_taken();
    device.is_broken = true;
  }
  EXPECT_THAT(starts(), ElementsAre(0));
  EXPECT_THAT(std::get<record::Problem>(records.back()).cause, HasSubstr("the buffer is gone"));
}

std::set<int> blocked_signals() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  std::set<int> blocked;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&mask, signal) == 1) blocked.insert(signal);
  }
  return blocked;
}

/// Those that can be blocked. Two below SIGRTMIN are the C library's own.
std::set<int> all_signals() {
  std::set<int> all;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const bool is_system = signal == SIGKILL || signal == SIGSTOP || (signal > SIGSYS && signal < SIGRTMIN);
    if (!is_system) all.insert(signal);
  }
  return all;
}

/// The calling thread blocks one signal, and then what it blocked before.
class OwnThread : public testing::Test {
 protected:
  OwnThread() {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &one, &before_);
  }
  ~OwnThread() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

TEST_F(OwnThread, BlocksAllSignalsOnThatThreadAlone) {
  std::set<int> blocked;
  own_thread([&] { blocked = blocked_signals(); }).join();
  EXPECT_EQ(blocked, all_signals());
  EXPECT_THAT(blocked_signals(), ElementsAre(SIGUSR1));
}

TEST_F(OwnThread, BlocksNoSignalsWhenThereCanBeNoMoreThreads) {
  pthread_attr_t before;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_t too_large;
  pthread_attr_init(&too_large);
  pthread_attr_setstacksize(&too_large, std::size_t{1} << 52);  // no address space has room for it
  ASSERT_EQ(pthread_setattr_default_np(&too_large), 0);
  EXPECT_THROW(own_thread([] {}).join(), std::system_error);
  EXPECT_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&too_large);
  pthread_attr_destroy(&before);
  EXPECT_THAT(blocked_signals(), ElementsAre(SIGUSR1));
}

}  // namespace
}  // namespace rooflinectl::sampling_thread_test
