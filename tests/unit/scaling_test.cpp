// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/devices/devices_together.h"
#include "tests/support/scaling_run.h"

namespace rooflinectl::scaling_test {
namespace {

constexpr double kTolerance = 1e-9;

/// Of the experiment at this place.
std::optional<Scaling> scaling_of(const rooflinectl::Run& run, std::size_t experiment) {
  static std::vector<Analysis> analyses;  // curves point into them
  analyses.push_back(analyse(run));
  return scaling(run, analyses.back().experiments.at(experiment));
}

TEST(ScalingTest, AsManyElementsOnEachGpuAreWeakScaling) {
  const rooflinectl::Run run = constructed::scaling_run();
  const auto weak = scaling_of(run, 0);
  ASSERT_TRUE(weak);
  EXPECT_EQ(weak->kind, ScalingKind::weak);
  ASSERT_EQ(weak->curves.size(), 3);
  const ScalingCurve& curve = weak->curves[1];
  EXPECT_EQ(curve.label, "multi best 2^24");
  ASSERT_EQ(curve.steps.size(), 3);
  const double one_s = constructed::team_time_s(1 << 24, 1);
  const double four_s = constructed::team_time_s(1 << 26, 4);
  EXPECT_EQ(curve.steps[2].gpus, 4);
  EXPECT_NEAR(curve.steps[2].time_s, four_s, kTolerance);
  EXPECT_NEAR(curve.steps[2].speedup, 4 * one_s / four_s, kTolerance);
  EXPECT_NEAR(curve.steps[2].efficiency, one_s / four_s, kTolerance);
  EXPECT_NEAR(curve.steps[2].bytes_per_s, ((1 << 28) + 4.0) / four_s, 1);
}

TEST(ScalingTest, TheSameElementsOnMoreGpusAreStrongScaling) {
  const rooflinectl::Run run = constructed::scaling_run();
  const auto strong = scaling_of(run, 1);
  ASSERT_TRUE(strong);
  EXPECT_EQ(strong->kind, ScalingKind::strong);
  const ScalingCurve& curve = strong->curves.at(2);
  EXPECT_EQ(curve.label, "multi best 2^28");
  const double speedup = constructed::team_time_s(1 << 28, 1) / constructed::team_time_s(1 << 28, 2);
  EXPECT_NEAR(curve.steps.at(1).speedup, speedup, kTolerance);
  EXPECT_NEAR(curve.steps.at(1).efficiency, speedup / 2, kTolerance);
}

TEST(ScalingTest, TheTimeOfAShareIsThatOfOneGpuWhereTheRunHasIt) {
  const rooflinectl::Run run = constructed::scaling_run();
  const ScalingStep weak = scaling_of(run, 0)->curves.at(0).steps.at(2);
  EXPECT_NEAR(weak.share_s.value_or(0), constructed::team_time_s(1 << 20, 1), kTolerance);
  EXPECT_NEAR(weak.gathering_s.value_or(0), 12e-6, kTolerance);
  const ScalingStep strong = scaling_of(run, 1)->curves.at(0).steps.at(2);
  EXPECT_EQ(strong.share_s, std::nullopt);
  EXPECT_EQ(strong.gathering_s, std::nullopt);
}

TEST(ScalingTest, LinksAllowWhatOneGpuTakesForItsShareAndTheMessage) {
  const rooflinectl::Run run = constructed::scaling_run();
  const double link_s = constructed::kLinkLatencyS + 24 / constructed::kLinkBytesPerS;
  const ScalingStep weak = scaling_of(run, 0)->curves.at(0).steps.at(2);
  const double one_s = constructed::team_time_s(1 << 20, 1);
  EXPECT_NEAR(weak.link_s.value_or(0), link_s, kTolerance * link_s);
  EXPECT_NEAR(weak.reachable_speedup.value_or(0), 4 * one_s / (one_s + link_s), kTolerance);
  const ScalingStep strong = scaling_of(run, 1)->curves.at(0).steps.at(2);
  EXPECT_NEAR(strong.reachable_speedup.value_or(0), one_s / (one_s / 4 + link_s), kTolerance);
  EXPECT_GT(*strong.reachable_speedup, strong.speedup);
  EXPECT_FALSE(scaling_of(run, 0)->curves.at(0).steps.at(0).link_s) << "one GPU has nobody to send to";
}

TEST(ScalingTest, ComputeAndMemoryAreThoseOfOneGpu) {
  const rooflinectl::Run run = constructed::scaling_run();
  const ScalingStep step = scaling_of(run, 1)->curves.at(2).steps.at(2);
  EXPECT_NEAR(step.memory_s.value_or(0), ((1 << 28) + 1.0) / 4579e9, 1e-9 * 1e-3);
  EXPECT_NEAR(step.compute_s.value_or(0), ((1 << 26) - 0.25) / 32.5e12, 1e-9 * 1e-3);
  EXPECT_EQ(step.roof_s(), step.memory_s);
}

TEST(ScalingTest, WhatTheLinksNeedIsUnknownWithoutTheirCeilings) {
  rooflinectl::Run run = constructed::scaling_run();
  EXPECT_EQ(scaling_of(run, 0)->link_missing, "");
  std::erase_if(run.ceilings, [](const Ceiling& ceiling) { return ceiling.id == "nvlink_latency"; });
  const auto weak = scaling_of(run, 0);
  EXPECT_EQ(weak->link_missing, "not measured: nvlink_latency (add it to `ceilings` in the plan)");
  EXPECT_EQ(weak->curves.at(0).steps.at(2).link_s, std::nullopt);
  EXPECT_EQ(weak->curves.at(0).steps.at(2).reachable_speedup, std::nullopt);
}

TEST(ScalingTest, WithoutOneGpuOrAnotherNumberThereIsNone) {
  for (const bool keep_one : {true, false}) {
    rooflinectl::Run run = constructed::scaling_run();
    std::erase_if(run.measurements, [&](const Measurement& measurement) {
      return (gpus_of(measurement.point) == 1) != keep_one;
    });
    EXPECT_FALSE(scaling_of(run, 0));
    EXPECT_FALSE(scaling_of(run, 1));
  }
  const rooflinectl::Run others = constructed::run();
  EXPECT_FALSE(scaling_of(others, 0));
}

TEST(ScalingTest, SkippedPointsAreLeftOut) {
  rooflinectl::Run run = constructed::scaling_run();
  for (Measurement& measurement : run.measurements) {
    if (gpus_of(measurement.point) != 4) continue;
    measurement.status = Status::skipped;
    measurement.time.reset();
  }
  EXPECT_EQ(scaling_of(run, 0)->curves.at(0).steps.size(), 2);
}

TEST(ScalingTest, RatesAndRoofsAreThoseOfOneGpu) {
  const rooflinectl::Run run = constructed::scaling_run();
  const Analysis analysis = analyse(run);
  for (const RooflinePoint& point : analysis.experiments.at(0).points) {
    const int gpus = gpus_of(point.measurement->point);
    EXPECT_NEAR(point.dram_bytes_useful, point.measurement->work.bytes() / gpus, 1e-3) << point.label;
    EXPECT_LT(point.fraction_of_roofline.value_or(9), 1) << point.label;
  }
}

}  // namespace
}  // namespace rooflinectl::scaling_test
