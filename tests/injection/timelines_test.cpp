// SPDX-License-Identifier: Apache-2.0
#include "injection/timelines.h"

#include <gmock/gmock.h>

#include <atomic>

#include "core/error.h"

namespace rooflinectl::injection::timelines_test {
namespace {

std::atomic<int> samplers_at_once = 0;
std::atomic<int> most_at_once = 0;
std::atomic<int> samplers_made = 0;

class CountingSampler : public Sampler {
 public:
  CountingSampler() {
    ++samplers_made;
    most_at_once = std::max<int>(most_at_once, ++samplers_at_once);
  }
  ~CountingSampler() override { --samplers_at_once; }
  record::SamplingBegun description() override { return {}; }
  void start() override {}
  void stop() override {}
  std::vector<record::Sample> take() override { return {}; }
  std::vector<record::PowerReading> take_power() override { return {}; }
};

class TimelinesTest : public testing::Test {
 protected:
  void SetUp() override { samplers_at_once = most_at_once = samplers_made = 0; }

  static ProfileSettings settings(Capture capture) {
    ProfileSettings settings;
    settings.capture = capture;
    settings.timeline_interval_ns = 100'000;
    return settings;
  }
  static std::unique_ptr<Sampler> open(int /*device*/) { return std::make_unique<CountingSampler>(); }
  static void wait_for_samplers(int count) {
    while (samplers_made < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST_F(TimelinesTest, SampleADeviceFromItsBeginToItsEnd) {
  const ProfileSettings wanted = settings(Capture::all);
  Timelines timelines(wanted, open, [](const ProfileRecord&) {});
  EXPECT_FALSE(timelines.is_sampled(0));
  timelines.begin(0);
  EXPECT_TRUE(timelines.is_sampled(0));
  EXPECT_FALSE(timelines.is_sampled(1));
  wait_for_samplers(1);
  timelines.end(0);
  EXPECT_FALSE(timelines.is_sampled(0));
  timelines.reap();
  EXPECT_EQ(samplers_at_once, 0);
}

TEST_F(TimelinesTest, ADeviceHasOneSamplerAtATime) {
  const ProfileSettings wanted = settings(Capture::all);
  Timelines timelines(wanted, open, [](const ProfileRecord&) {});
  for (int i = 0; i < 20; ++i) {
    timelines.begin(0);
    timelines.end(0);
  }
  timelines.finish();
  EXPECT_LE(most_at_once, 1);
  EXPECT_EQ(samplers_at_once, 0);
}

TEST_F(TimelinesTest, AreOnWhileTheProgramIsCaptured) {
  const ProfileSettings wanted = settings(Capture::cuda_profiler);
  Timelines timelines(wanted, open, [](const ProfileRecord&) {});
  timelines.begin(0);
  EXPECT_TRUE(timelines.is_sampled(0)) << "it awaits the captured part";
  EXPECT_EQ(samplers_made, 0);
  timelines.capture(true);
  wait_for_samplers(1);
  timelines.capture(false);
  EXPECT_EQ(samplers_at_once, 0);
  timelines.capture(true);
  wait_for_samplers(2);
  timelines.finish();
  EXPECT_EQ(samplers_at_once, 0);
}

TEST_F(TimelinesTest, ADeviceThatCannotBeSampledIsNotSampled) {
  const ProfileSettings wanted = settings(Capture::all);
  Timelines timelines(
      wanted, [](int) -> std::unique_ptr<Sampler> { throw Error(ErrorKind::environment, "no"); },
      [](const ProfileRecord&) {});
  timelines.begin(0);
  while (timelines.is_sampled(0)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  timelines.finish();
}

}  // namespace
}  // namespace rooflinectl::injection::timelines_test
