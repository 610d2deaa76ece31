// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/worklist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflinectl::worklist_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two points that are counted and one that is not.
Plan plan() {
  PointId point;
  point.experiment = "counted";
  point.subject = "a";
  PointId uncounted = point;
  uncounted.experiment = "uncounted";
  Plan plan;
  plan.ceilings = {"dram_read", "f32_add"};
  plan.experiments = {{"counted", "", {}, CounterSet::basic, {point, point}},
                      {"uncounted", "", {}, CounterSet::none, {uncounted}}};
  return plan;
}

TEST(Worklist, BeginsWithEverything) {
  const CollectRequest request = Worklist(plan(), "GPU-1", true).request();
  EXPECT_EQ(request.plan, plan());
  EXPECT_EQ(request.device, "GPU-1");
  EXPECT_TRUE(request.counters);
  EXPECT_THAT(request.skip_points, IsEmpty());
  EXPECT_THAT(request.count_only_points, IsEmpty());
  EXPECT_FALSE(request.skip_ceilings);
}

TEST(Worklist, ATimedPointWaitsForItsCountersIfItGetsAny) {
  Worklist worklist(plan(), "0", true);
  worklist.point_timed(0, Status::ok);
  worklist.point_timed(1, Status::unverified);
  worklist.point_timed(2, Status::ok);
  EXPECT_THAT(worklist.request().count_only_points, ElementsAre(0));
  EXPECT_THAT(worklist.request().skip_points, ElementsAre(1, 2));
  EXPECT_FALSE(worklist.finished());
  worklist.point_finished(0);
  worklist.ceilings_finished();
  EXPECT_TRUE(worklist.finished());
}

/// The plan's points, which differ by variant.
Plan plan_of_different_points() {
  Plan different = plan();
  different.experiments[0].points[1].subject = "b";
  return different;
}

Measurement measured(const PointId& point, Status status, Counters counters = {}) {
  Measurement measurement;
  measurement.point = point;
  measurement.status = status;
  measurement.counters = std::move(counters);
  return measurement;
}

TEST(Worklist, TakesOverWhatAnEarlierRunFinished) {
  const Plan different = plan_of_different_points();
  const std::vector<PointId> points = all_points(different);
  rooflinectl::Run earlier;
  earlier.measurements = {measured(points[0], Status::ok, {{"fadd", CounterValue::measured(1)}}),
                          measured(points[1], Status::failed), measured(points[2], Status::ok)};
  Worklist worklist(different, "0", true);
  worklist.take_over(earlier);
  EXPECT_THAT(worklist.to_measure(), ElementsAre(1));
  EXPECT_THAT(worklist.to_count(), IsEmpty());
}

TEST(Worklist, RemembersThatAPointLacksItsCounters) {
  const Plan different = plan_of_different_points();
  const std::vector<PointId> points = all_points(different);
  rooflinectl::Run earlier;
  earlier.measurements = {measured(points[0], Status::ok, {{"fadd", CounterValue::unavailable("crashed")}}),
                          measured(points[1], Status::ok), measured(points[2], Status::unverified)};
  Worklist worklist(different, "0", true);
  worklist.take_over(earlier);
  EXPECT_THAT(worklist.to_measure(), IsEmpty());
  EXPECT_THAT(worklist.to_count(), ElementsAre(0, 1));
}

TEST(Worklist, TakesOverCeilingsThatCountersConfirmed) {
  Ceiling confirmed;
  confirmed.id = "dram_read";
  confirmed.confirmation = Confirmation{true, ""};
  Ceiling unconfirmed;
  unconfirmed.id = "f32_add";
  rooflinectl::Run earlier;
  earlier.ceilings = {confirmed, unconfirmed};
  Worklist counting(plan(), "0", true);
  counting.take_over(earlier);
  EXPECT_THAT(counting.request().plan.ceilings, ElementsAre("f32_add"));
  Worklist without_counters(plan(), "0", false);
  without_counters.take_over(earlier);
  EXPECT_THAT(without_counters.request().plan.ceilings, IsEmpty());
}

TEST(Worklist, ASelfTestIsAskedForOnce) {
  Worklist worklist(plan(), "0", true);
  EXPECT_FALSE(worklist.request().self_test);
  worklist.want_self_test();
  EXPECT_TRUE(worklist.request().self_test);
  worklist.self_test_finished();
  EXPECT_FALSE(worklist.request().self_test);
}

TEST(Worklist, IsNotFinishedBeforeItsCeilings) {
  Plan only_ceilings = plan();
  only_ceilings.experiments.clear();
  Worklist worklist(only_ceilings, "0", true);
  worklist.ceiling_measured("dram_read");
  EXPECT_FALSE(worklist.finished());
  worklist.give_up_ceiling("f32_add");
  EXPECT_TRUE(worklist.finished());
}

TEST(Worklist, WithoutCountersATimedPointIsFinished) {
  Worklist worklist(plan(), "0", false);
  worklist.point_timed(0, Status::ok);
  EXPECT_THAT(worklist.request().skip_points, ElementsAre(0));
  EXPECT_FALSE(worklist.request().counters);
}

TEST(Worklist, OnlyTheCostOfALaunchIsMeasuredWithoutBeingInThePlan) {
  Plan no_ceilings = plan();
  no_ceilings.ceilings.clear();
  rooflinectl::Run earlier;
  earlier.ceilings = {{.id = "dram_latency", .kind = CeilingKind::latency, .value = 6e-7}};
  Worklist without_launch(no_ceilings, "0", true);
  without_launch.take_over(earlier);
  EXPECT_FALSE(without_launch.request().skip_ceilings);
  earlier.ceilings.push_back({.id = "launch", .kind = CeilingKind::latency, .value = 2e-6});
  Worklist with_launch(no_ceilings, "0", true);
  with_launch.take_over(earlier);
  EXPECT_TRUE(with_launch.request().skip_ceilings);
}

TEST(Worklist, CeilingsAreNotTriedTwice) {
  Worklist worklist(plan(), "0", true);
  worklist.ceiling_measured("dram_read");
  EXPECT_THAT(worklist.request().plan.ceilings, ElementsAre("f32_add"));
  worklist.give_up_ceiling("f32_add");
  EXPECT_THAT(worklist.request().plan.ceilings, IsEmpty());
  EXPECT_FALSE(worklist.request().skip_ceilings);
}

TEST(Worklist, ACeilingThatCannotBeLeftOutEndsAllOfThem) {
  Worklist worklist(plan(), "0", true);
  worklist.give_up_ceiling("launch");
  EXPECT_TRUE(worklist.request().skip_ceilings);
}

}  // namespace
}  // namespace rooflinectl::worklist_test
