// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling.h"

#include <gtest/gtest.h>

#include "tests/support/scaling_run.h"

namespace rooflinectl {
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
    EXPECT_LT(point.fraction_of_roof.value_or(9), 1) << point.label;
  }
}

}  // namespace
}  // namespace rooflinectl
