// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "reports/charts/parts/plot.h"
#include "reports/draw/scene.h"

namespace rooflinectl::marks_test {
namespace {

std::string drawn(std::size_t family) {
  Scene scene{.width = 20, .height = 20};
  scene.groups.push_back({.shapes = {family_mark(look_of(family), {10, 10}, 5, MarkFill::filled)}});
  return to_svg(scene);
}

TEST(FamilyMark, DiffersFromTheFirstToTheThirtySixth) {
  std::set<std::string> marks;
  for (std::size_t family = 0; family < 36; ++family) marks.insert(drawn(family));
  EXPECT_EQ(marks.size(), 36U);
}

TEST(FamilyMark, HasTheColourAndTheShapeOfItsLook) {
  for (std::size_t family = 0; family < 36; ++family) {
    const FamilyLook look = look_of(family);
    const Shape told = shaped_mark(look.shape, family_colour(look), {10, 10}, 5, MarkFill::filled);
    Scene scene{.width = 20, .height = 20};
    scene.groups.push_back({.shapes = {told}});
    EXPECT_EQ(to_svg(scene), drawn(family)) << family;
  }
}

TEST(FamilyMark, OfEveryBoundDiffersAndWhatCallsForTheSameRemedySharesAColour) {
  std::set<std::string> marks;
  for (const BoundWords& words : bound_words()) {
    Scene scene{.width = 20, .height = 20};
    scene.groups.push_back({.shapes = {family_mark(look_of(words.bound), {10, 10}, 5, MarkFill::filled)}});
    marks.insert(to_svg(scene));
  }
  EXPECT_EQ(marks.size(), bound_words().size());
  EXPECT_EQ(look_of(Bound::fp64).colour, look_of(Bound::fp32).colour);
  EXPECT_NE(look_of(Bound::dram).colour, look_of(Bound::tensor).colour);
  EXPECT_EQ(look_of(Bound::unknown).colour, std::nullopt);
}

TEST(PointGroup, ALineToAMarkElsewhereEndsAtTheFrame) {
  const Box frame = {0, 0, 100, 100};
  const Plot plot(frame, {{1, 10}, {1, 10}});
  ChartPoint point{.useful = PlanePoint{2, 2}, .executed = PlanePoint{5, 5}};
  EXPECT_EQ(point_group(plot, point, 0, 6, true).clip->right, 106);
  point.executed = PlanePoint{20, 5};
  EXPECT_EQ(point_group(plot, point, 0, 6, true).clip->right, 100);
}

}  // namespace
}  // namespace rooflinectl::marks_test
