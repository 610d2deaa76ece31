// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/full_run.h"

namespace rooflinectl::plan_test {
namespace {

using ::testing::ElementsAre;

PointId some_point() {
  PointId point;
  point.experiment = "ladder";
  point.subject = "reduce_v3_sequential";
  point.axes.set(axis::kDtype, Dtype::f32);
  point.axes.set(axis::kSize, 1ull << 28);
  point.axes.set(axis::kCache, CacheState::cold);
  point.axes.set(axis::kBlock, 256);
  return point;
}

TEST(RangeName, ListsEveryPartOfThePointsIdentity) {
  EXPECT_EQ(range_name(some_point()), "ladder.reduce_v3_sequential.f32.n268435456.b256.cold");
}

TEST(RangeName, HasElementsPerThreadWhereTheyCanBeChosen) {
  PointId point = some_point();
  point.axes.set(axis::kElements, 8);
  EXPECT_EQ(range_name(point), "ladder.reduce_v3_sequential.f32.n268435456.b256.e8.cold");
}

TEST(RangeName, DiffersForDifferentPoints) {
  std::vector<PointId> points(9, some_point());
  points[1].experiment = "seeds";
  points[2].subject = "reduce_v4_add_on_load";
  points[3].axes.set(axis::kDtype, Dtype::f16);
  points[4].axes.set(axis::kSize, *size_of(points[4]) + 1);
  points[5].axes.set(axis::kCache, CacheState::warm);
  points[6].axes.set(axis::kBlock, 128);
  points[7].axes.set(axis::kElements, 1);
  points[8].axes.set(axis::kMode, LaunchMode::plain);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(range_name(points[i]), range_name(points[k]));
  }
}

TEST(RangeName, IsFreeOfCharactersThatSelectRangesInNcu) {
  for (const PointId& point : all_points(constructed::full_run().plan)) {
    EXPECT_EQ(range_name(point).find_first_of("/@,[]"), std::string::npos) << range_name(point);
  }
}

TEST(AllPoints, AreInTheOrderOfTheExperiments) {
  Plan plan;
  plan.experiments.resize(3);
  PointId point = some_point();
  for (std::uint64_t n : {1, 2}) {
    point.axes.set(axis::kSize, n);
    plan.experiments[0].points.push_back(point);
  }
  point.axes.set(axis::kSize, 3);
  plan.experiments[2].points.push_back(point);
  std::vector<std::uint64_t> sizes;
  for (const PointId& each : all_points(plan)) sizes.push_back(*size_of(each));
  EXPECT_THAT(sizes, ElementsAre(1, 2, 3));
}

TEST(Names, AreReadAsTheyAreWritten) {
  for (Dtype dtype : kAllDtypes) EXPECT_EQ(enumerator_from<Dtype>(to_string(dtype)), dtype);
  for (CacheState cache : {CacheState::cold, CacheState::warm}) {
    EXPECT_EQ(enumerator_from<CacheState>(to_string(cache)), cache);
  }
  for (CounterSet set : {CounterSet::none, CounterSet::basic}) {
    EXPECT_EQ(enumerator_from<CounterSet>(to_string(set)), set);
  }
  EXPECT_EQ(enumerator_from<Dtype>("F32"), std::nullopt);
  EXPECT_EQ(enumerator_from<CacheState>(""), std::nullopt);
  EXPECT_EQ(enumerator_from<CounterSet>("full"), std::nullopt);
}

TEST(Dtypes, SixteenBitFloatsAreSummedInFloat) {
  EXPECT_EQ(accumulator(Dtype::f16), Dtype::f32);
  EXPECT_EQ(accumulator(Dtype::bf16), Dtype::f32);
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::i32, Dtype::i64}) EXPECT_EQ(accumulator(dtype), dtype);
}

TEST(Dtypes, NamesEndInTheirNumberOfBits) {
  for (Dtype dtype : kAllDtypes) {
    EXPECT_TRUE(to_string(dtype).ends_with(std::to_string(8 * size_bytes(dtype)))) << to_string(dtype);
  }
}

}  // namespace
}  // namespace rooflinectl::plan_test
