// SPDX-License-Identifier: Apache-2.0
//
// Points that are compared with each other are timed in the same way. Needs no GPU.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "collector/device/device.h"
#include "collector/points/prepared_point.h"
#include "kernels/variant.h"

namespace rooflinectl {
namespace {

/// The attributes of an H200 that matter here: 4.8 TB/s and 60 MiB of L2.
DeviceInfo h200() {
  DeviceInfo device;
  device.memory_clock_hz = 3.201e9;
  device.memory_bus_bits = 6144;
  device.l2_bytes = std::uint64_t{60} << 20;
  return device;
}

PointId point(const std::string& variant, int log2_n, CacheState cache = CacheState::cold,
              Dtype dtype = Dtype::f32) {
  return {.experiment = "e",
          .subject = variant,
          .axes = axes_of(
              {.dtype = dtype, .n_elements = std::uint64_t{1} << log2_n, .block_size = 256, .cache = cache})};
}

TEST(LaunchPlan, IsTheSameForEveryVariantAndCacheStateAtASize) {
  for (int log2_n = 10; log2_n <= 32; ++log2_n) {
    const LaunchPlan expected = launch_plan(point("sum_best", log2_n), h200());
    EXPECT_EQ(expected.mode, LaunchMode::graph);
    for (const kernels::Variant& variant : kernels::all_variants()) {
      if (variant.waits_for_device) continue;
      for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
        if (cache == CacheState::warm && variant.info.destroys_input) continue;
        const LaunchPlan plan = launch_plan(point(variant.info.id, log2_n, cache), h200());
        EXPECT_EQ(plan.mode, expected.mode) << range_name(point(variant.info.id, log2_n, cache));
        EXPECT_EQ(plan.launches_per_graph, expected.launches_per_graph) << variant.info.id;
      }
    }
  }
}

TEST(LaunchPlan, FillsAGraphWithWhatTheDeviceCouldDoInItsTime) {
  const auto launches = [](int log2_n) {
    return launch_plan(point("sum_best", log2_n), h200()).launches_per_graph;
  };
  EXPECT_EQ(launches(10), 64);
  EXPECT_EQ(launches(24), 15);
  EXPECT_EQ(launches(27), 2);
  EXPECT_EQ(launches(28), 1);
  EXPECT_EQ(launches(32), 1);
}

TEST(LaunchPlan, GivesColdLaunchesAnInputEachAndWarmOnesTheSame) {
  const LaunchPlan cold = launch_plan(point("sum_best", 24), h200());
  EXPECT_EQ(cold.inputs, cold.launches_per_graph);
  EXPECT_EQ(launch_plan(point("sum_best", 24, CacheState::warm), h200()).inputs, 1);
}

TEST(LaunchPlan, NeverNeedsMuchMoreMemoryThanOneInput) {
  for (int log2_n = 10; log2_n <= 32; ++log2_n) {
    const LaunchPlan plan = launch_plan(point("sum_best", log2_n, CacheState::cold, Dtype::f64), h200());
    const double input_bytes = 8 * std::ldexp(1.0, log2_n);
    EXPECT_LE(plan.inputs * input_bytes, input_bytes + (1U << 30)) << log2_n;
  }
}

TEST(LaunchPlan, KeepsRestoredInputsInL2) {
  const LaunchPlan plan = launch_plan(point("reduce_v0_global", 20, CacheState::warm), h200());
  EXPECT_EQ(plan.mode, LaunchMode::graph);
  EXPECT_EQ(plan.inputs, 7);  // of 4 MiB each, in 30 MiB
  EXPECT_EQ(plan.launches_per_graph, plan.inputs);
  EXPECT_EQ(launch_plan(point("reduce_v0_global", 26, CacheState::warm), h200()).inputs, 1);
}

TEST(LaunchPlan, IsPlainWhereThePlanAsksForItAndWhereTheVariantWaits) {
  const LaunchPlan plain{LaunchMode::plain, 1, 1};
  PointId asked = point("sum_best", 20);
  asked.axes.set(axis::kMode, LaunchMode::plain);
  EXPECT_EQ(launch_plan(asked, h200()), plain);
  EXPECT_EQ(launch_plan(point("thrust_sum", 20), h200()), plain);
}

TEST(LaunchPlan, WorksWithoutTheMemoryBandwidth) {
  const LaunchPlan plan = launch_plan(point("sum_best", 24), DeviceInfo{});
  EXPECT_EQ(plan.mode, LaunchMode::graph);
  EXPECT_GT(plan.launches_per_graph, 1);
}

}  // namespace
}  // namespace rooflinectl
