// SPDX-License-Identifier: Apache-2.0
// Bytes over NVLink while something is done, counted on devices that are made up.
#include "collector/sampling/link_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "collector/device/device.h"
#include "core/counters/metrics.h"
#include "core/error.h"

namespace rooflinectl {
namespace {

using testing::HasSubstr;

struct MadeUpDevice {
  std::atomic<double> sent_bytes = 0;  ///< since the last sample
  bool loses_samples = false;
  bool has_links = true;
};

/// One sample each time that samples are taken, up to now.
class MadeUpSampler : public Sampler {
 public:
  explicit MadeUpSampler(MadeUpDevice& device) : device_(device) {}

  record::SamplingBegun description() override {
    const std::string sent(sampled::kNvlinkSentBytes);
    const std::string received(sampled::kNvlinkReceivedBytes);
    if (!device_.has_links) return {.keys = {"sm_active"}, .left_out = {{sent, "it has no links"}}};
    return {.keys = {"sm_active", sent}, .left_out = {{received, "no room in a pass"}}};
  }
  void start() override { last_ns_ = monotonic_ns(); }
  void stop() override {}
  std::vector<record::PowerReading> take_power() override { return {}; }
  std::vector<record::Sample> take() override {
    const std::uint64_t now_ns = monotonic_ns();
    const std::uint64_t duration_ns = now_ns - last_ns_;
    const record::Sample sample = {.start_ns = last_ns_,
                                   .duration_ns = device_.loses_samples ? 1 : duration_ns,
                                   .values = {0.5, device_.sent_bytes.exchange(0)}};
    last_ns_ = now_ns;
    return {sample};
  }

 private:
  MadeUpDevice& device_;
  std::uint64_t last_ns_ = 0;
};

LinkCounters::Open opener_of(MadeUpDevice& device) {
  return [&device](std::uint64_t) { return std::make_unique<MadeUpSampler>(device); };
}

/// Long enough for a sample before, within and after it.
void rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
}

TEST(LinkCounters, CountOfEachDeviceWhatCrossedItsLinksInEachWork) {
  MadeUpDevice first;
  MadeUpDevice second;
  LinkCounters counters({opener_of(first), opener_of(second)});
  first.sent_bytes = 7;  // of nobody
  rest();
  counters.watch([&] {
    first.sent_bytes = 1000;
    rest();
  });
  rest();
  counters.watch([&] {
    second.sent_bytes = 500;
    rest();
  });
  const auto counted = counters.finish();
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_EQ(counted[0][0].sent.value(), 1000);
  EXPECT_EQ(counted[0][1].sent.value(), 0);
  EXPECT_EQ(counted[1][0].sent.value(), 0);
  EXPECT_EQ(counted[1][1].sent.value(), 500);
  EXPECT_EQ(counted[0][0].received.reason(), "no room in a pass");
}

TEST(LinkCounters, ADeviceWithoutLinksHasTheReason) {
  MadeUpDevice device;
  device.has_links = false;
  LinkCounters counters({opener_of(device)});
  counters.watch([] {});
  const LinkBytes bytes = counters.finish().front().front();
  EXPECT_EQ(bytes.sent.reason(), "it has no links");
  EXPECT_EQ(bytes.received.reason(), "this device cannot sample it");
}

TEST(LinkCounters, WhereSamplesWereLostThereIsNoNumber) {
  MadeUpDevice device;
  device.loses_samples = true;
  LinkCounters counters({opener_of(device)});
  counters.watch(rest);
  EXPECT_EQ(counters.finish().front().front().sent.reason(), "samples were lost");
}

TEST(LinkCounters, ADeviceThatCannotBeSampledHasTheReason) {
  LinkCounters counters({[](std::uint64_t) -> std::unique_ptr<Sampler> {
    throw Error(ErrorKind::environment, "the counters are reserved", "ask the administrator");
  }});
  counters.watch([] {});
  EXPECT_EQ(counters.finish().front().front().sent.reason(), "the counters are reserved");
}

TEST(LinkCounters, ASumLacksWhatOneOfItsPartsLacks) {
  EXPECT_EQ(sum_of(CounterValue::measured(1), CounterValue::measured(2)).value(), 3);
  EXPECT_EQ(sum_of(CounterValue::measured(1), CounterValue::unavailable("lost")).reason(), "lost");
  EXPECT_EQ(sum_of(CounterValue::unavailable("gone"), CounterValue::measured(1)).reason(), "gone");
}

}  // namespace
}  // namespace rooflinectl
