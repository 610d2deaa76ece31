// SPDX-License-Identifier: Apache-2.0
#include "collector/device.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rooflinectl {
namespace {

/// The attributes that an H200 reports.
DeviceInfo h200() {
  DeviceInfo device;
  device.compute_capability = 90;
  device.sm_count = 132;
  device.memory_bus_bits = 6016;
  device.memory_clock_hz = 3.201e9;
  device.sm_clock_hz = 1.98e9;
  return device;
}

double value_of(const std::vector<Ceiling>& ceilings, std::string_view id) {
  const auto found =
      std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.id == id; });
  return found == ceilings.end() ? 0 : found->value;
}

TEST(TheoreticalCeilings, FollowFromTheAttributes) {
  const std::vector<Ceiling> ceilings = theoretical_ceilings(h200());
  EXPECT_NEAR(value_of(ceilings, "dram"), 4814.3e9, 0.1e9);
  EXPECT_NEAR(value_of(ceilings, "f32_fma"), 66.9e12, 0.1e12);
  EXPECT_NEAR(value_of(ceilings, "f32_add"), 33.45e12, 0.1e12);
  for (const Ceiling& ceiling : ceilings) EXPECT_EQ(ceiling.source, CeilingSource::theoretical);
}

TEST(TheoreticalCeilings, AreNotInventedForAnUnknownArchitecture) {
  DeviceInfo device = h200();
  device.compute_capability = 999;
  const std::vector<Ceiling> ceilings = theoretical_ceilings(device);
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings.front().id, "dram");
}

}  // namespace
}  // namespace rooflinectl
