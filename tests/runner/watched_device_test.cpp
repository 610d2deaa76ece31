// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runner/watching/watch.h"

namespace rooflinectl::watched_device_test {
namespace {

WatchedDevice sampled_device() {
  WatchedDevice device{DeviceInfo{}};
  device.begin({.keys = {"dram_read_bytes", "sm_active"}});
  return device;
}

TEST(WatchedDevice, BytesBecomeARateAndSharesAMeanOverTime) {
  WatchedDevice device = sampled_device();
  device.add(record::Samples{.samples = {{.duration_ns = 1'000, .values = {2'000, 0.2}},
                                         {.duration_ns = 3'000, .values = {2'000, 1.0}}}});
  device.add(record::Power{.readings = {{.watts = 100}, {.watts = 300}}});
  const auto rates = device.take_rates();
  ASSERT_TRUE(rates);
  EXPECT_DOUBLE_EQ(rates->values.at("dram_read_bytes"), 1e9);
  EXPECT_DOUBLE_EQ(rates->values.at("sm_active"), 0.8);
  EXPECT_EQ(rates->watts, 200);
  EXPECT_FALSE(device.take_rates()) << "they are told once";
}

TEST(WatchedDevice, WhatNothingMeasuresIsNotZero) {
  WatchedDevice device = sampled_device();
  EXPECT_FALSE(device.take_rates());
  device.add(record::Samples{.samples = {{.duration_ns = 1'000, .values = {1}}}});
  EXPECT_FALSE(device.take_rates()) << "a sample of another number of values";
  device.add(record::Samples{.samples = {{.duration_ns = 1'000, .values = {1, 1}}}});
  EXPECT_EQ(device.take_rates()->watts, std::nullopt);
}

}  // namespace
}  // namespace rooflinectl::watched_device_test
