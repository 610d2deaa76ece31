// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflinectl::scene_test {
namespace {

constexpr Box kFrame = {0, 0, 100, 100};
constexpr Stroke kThin = {palette::kInk, 1};

bool cuts(const Shape& shape) {
  return is_cut({.name = "point", .clip = kFrame, .shapes = {shape}});
}

TEST(Fitted, LeavesOutMoreWhereSomethingIsLeftOutAlready) {
  const TextStyle style = {12};
  const std::string text = "cunn_SoftMax…wardEpilogue";
  const std::string shorter = fitted(text, style, text_width(text, style) - 20);
  EXPECT_THAT(shorter, testing::StartsWith("cunn_Sof"));
  EXPECT_THAT(shorter, testing::EndsWith("Epilogue"));
  EXPECT_LE(text_width(shorter, style), text_width(text, style) - 20);
  EXPECT_EQ(fitted(text, style, text_width(text, style)), text);
  EXPECT_EQ(fitted(text, style, 0), "…");
  EXPECT_THAT(fitted("plain_name", style, 40), testing::MatchesRegex("plain.*…"));
}

TEST(IsCut, DetectsWhatReachesOutOfTheClip) {
  EXPECT_FALSE(cuts(Circle{{50, 50}, 10, palette::kInk, std::nullopt}));
  EXPECT_TRUE(cuts(Circle{{95, 50}, 10, palette::kInk, std::nullopt}));
  EXPECT_FALSE(cuts(Polyline{{{10, 10}, {90, 90}}, kThin}));
  EXPECT_TRUE(cuts(Polyline{{{10, 10}, {90, 110}}, kThin}));
  EXPECT_FALSE(cuts(Polygon{{{10, 10}, {90, 10}, {50, 90}}, palette::kInk, std::nullopt}));
  EXPECT_TRUE(cuts(Polygon{{{10, 10}, {90, 10}, {50, -1}}, palette::kInk, std::nullopt}));
  EXPECT_FALSE(cuts(Text{"text", {10, 50}, {}}));
  EXPECT_TRUE(cuts(Text{"text", {95, 50}, {}}));
}

TEST(IsCut, CountsTheWidthOfTheStroke) {
  EXPECT_FALSE(cuts(Circle{{50, 50}, 49, palette::kInk, std::nullopt}));
  EXPECT_TRUE(cuts(Circle{{50, 50}, 49, palette::kInk, Stroke{palette::kInk, 4}}));
}

TEST(IsCut, NothingIsWithoutAClip) {
  EXPECT_FALSE(is_cut({.name = "point", .shapes = {Circle{{1000, 0}, 10, palette::kInk, std::nullopt}}}));
}

Group mark(std::size_t point, Pixel centre, Colour colour = palette::kInk, double radius = 5) {
  return {.name = "point", .point = point, .shapes = {Circle{centre, radius, colour, std::nullopt}}};
}

std::vector<std::size_t> left_of(std::vector<Group> groups) {
  Scene scene{.groups = std::move(groups)};
  remove_covered_marks(scene);
  std::vector<std::size_t> points;
  for (const Group& group : scene.groups) points.push_back(group.point.value());
  return points;
}

TEST(RemoveCoveredMarks, KeepsTheUppermostOfThoseAtOnePlace) {
  EXPECT_THAT(left_of({mark(0, {10, 10}), mark(1, {30, 10}), mark(2, {10.1, 10.1}), mark(3, {10, 10})}),
              testing::ElementsAre(1, 3));
}

TEST(RemoveCoveredMarks, KeepsWhatDiffers) {
  Group hollow = mark(3, {10, 10});
  std::get<Circle>(hollow.shapes.front()).fill.reset();
  std::get<Circle>(hollow.shapes.front()).stroke = kThin;
  Group square = mark(4, {10, 10});
  square.shapes = {rectangle({5, 5, 15, 15}, palette::kInk)};
  EXPECT_THAT(left_of({mark(0, {10, 10}), mark(1, {11, 10}), mark(2, {10, 10}, palette::kMuted), hollow,
                       square, mark(5, {10, 10}, palette::kInk, 3)}),
              testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RemoveCoveredMarks, LeavesOtherShapesAlone) {
  Group row = mark(0, {10, 10});
  row.name = "ladder-row";
  EXPECT_THAT(left_of({row, row}), testing::ElementsAre(0, 0));
}

}  // namespace
}  // namespace rooflinectl::scene_test
