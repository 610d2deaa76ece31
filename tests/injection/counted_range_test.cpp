// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/counted_range.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace rooflinectl::injection::counted_range_test {
namespace {

using testing::ElementsAre;

/// A device whose work ends at a given time, or never.
struct FakeDevice {
  double now_s = 0;
  double idle_from_s = 0;
  std::vector<std::string> calls;

  RangeCalls range_calls() {
    return {
        .idle = [this] { return now_s >= idle_from_s; },
        .open = [this] { calls.push_back(now_s >= idle_from_s ? "open" : "open while busy"); },
        .close_if_idle =
            [this] {
              if (now_s >= idle_from_s) calls.push_back("close");
              return now_s >= idle_from_s;
            },
        .pause = [this] { now_s += 0.0001; },
        .now_s = [this] { return now_s; },
    };
  }
};

constexpr double kNever = 1e9;
constexpr double kLimit = 0.02;

TEST(CountedRange, IsAroundALaunch) {
  FakeDevice device;
  CountedRange range(device.range_calls());
  ASSERT_EQ(range.open(kLimit), CountedRange::Opening::opened);
  device.idle_from_s = device.now_s + 0.001;  // the launch
  EXPECT_TRUE(range.close(kLimit));
  EXPECT_NEAR(device.now_s, 0.001, 0.0002) << "no longer than the kernel took";
  EXPECT_THAT(device.calls, ElementsAre("open", "close"));
  EXPECT_FALSE(range.is_open());
}

TEST(CountedRange, WaitsForEarlierWorkButNotForLong) {
  FakeDevice device;
  CountedRange range(device.range_calls());
  device.idle_from_s = 0.01;
  EXPECT_EQ(range.open(kLimit), CountedRange::Opening::opened);
  EXPECT_TRUE(range.close(kLimit));
  device.idle_from_s = kNever;
  EXPECT_EQ(range.open(kLimit), CountedRange::Opening::busy);
  EXPECT_NEAR(device.now_s, 0.01 + kLimit, 0.001);
  EXPECT_THAT(device.calls, ElementsAre("open", "close"));
}

TEST(CountedRange, LetsTheProgramGoOnWhereAKernelWaitsForALaterLaunch) {
  FakeDevice device;
  CountedRange range(device.range_calls());
  ASSERT_EQ(range.open(kLimit), CountedRange::Opening::opened);
  device.idle_from_s = kNever;  // it spins until another kernel sets a flag
  EXPECT_FALSE(range.close(kLimit));
  EXPECT_NEAR(device.now_s, kLimit, 0.001);

  EXPECT_EQ(range.open(kLimit), CountedRange::Opening::blocked) << "the next launch is not counted";
  EXPECT_NEAR(device.now_s, kLimit, 0.001) << "and does not wait";
  range.close_if_idle();
  EXPECT_THAT(device.calls, ElementsAre("open"));

  device.idle_from_s = device.now_s;  // the flag is set
  EXPECT_EQ(range.open(kLimit), CountedRange::Opening::opened);
  EXPECT_TRUE(range.close(kLimit));
  EXPECT_THAT(device.calls, ElementsAre("open", "close", "open", "close"))
      << "each range is closed before the next";
}

TEST(CountedRange, ClosesAVoidRangeOnceTheDeviceIsIdle) {
  FakeDevice device;
  CountedRange range(device.range_calls());
  ASSERT_EQ(range.open(kLimit), CountedRange::Opening::opened);
  device.idle_from_s = kNever;
  EXPECT_FALSE(range.close(kLimit));
  EXPECT_TRUE(range.is_open());
  device.idle_from_s = 0;
  range.close_if_idle();
  EXPECT_FALSE(range.is_open());
  range.close_if_idle();
  EXPECT_THAT(device.calls, ElementsAre("open", "close"));
}

}  // namespace
}  // namespace rooflinectl::injection::counted_range_test
