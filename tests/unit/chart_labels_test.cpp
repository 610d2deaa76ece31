// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reports/draw/label_placement.h"

namespace rooflinectl::chart_labels_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

auto near(double value) {
  return DoubleNear(value, 1e-9);
}

TEST(Spread, LeavesWhatIsFarEnoughApart) {
  EXPECT_THAT(spread({10, 40, 90}, 20, 0, 100), ElementsAre(near(10), near(40), near(90)));
}

TEST(Spread, CentresACrowdOnItsMean) {
  EXPECT_THAT(spread({50, 50, 50}, 10, 0, 100), ElementsAre(near(40), near(50), near(60)));
}

TEST(Spread, JoinsBlocksThatGrowIntoEachOther) {
  EXPECT_THAT(spread({50, 50, 60, 60}, 10, 0, 100), ElementsAre(near(40), near(50), near(60), near(70)));
}

TEST(Spread, StaysInRange) {
  EXPECT_THAT(spread({0, 0, 0}, 10, 0, 100), ElementsAre(near(0), near(10), near(20)));
  EXPECT_THAT(spread({100, 100, 100}, 10, 0, 100), ElementsAre(near(80), near(90), near(100)));
  EXPECT_THAT(spread({}, 10, 0, 100), ElementsAre());
}

TEST(BoxAndSegment, Intersect) {
  const Box box = {10, 10, 20, 20};
  EXPECT_TRUE(box.intersects(Pixel{0, 15}, Pixel{30, 15}));
  EXPECT_TRUE(box.intersects(Pixel{12, 12}, Pixel{13, 13}));
  EXPECT_TRUE(box.intersects(Pixel{5, 12}, Pixel{12, 5}) == false);
  EXPECT_FALSE(box.intersects(Pixel{0, 0}, Pixel{30, 5}));
  EXPECT_FALSE(box.intersects(Pixel{0, 15}, Pixel{9, 15}));
}

TEST(LabelPlacer, PutsALabelBesideItsPoint) {
  LabelPlacer placer({0, 0, 400, 400});
  const auto label = placer.place("V3", {14}, {200, 200});
  ASSERT_TRUE(label);
  EXPECT_EQ(label->text.anchor, Anchor::start);
  EXPECT_FALSE(label->leader);
}

TEST(LabelPlacer, AvoidsBoxesLinesAndEarlierLabels) {
  LabelPlacer placer({0, 0, 400, 400});
  placer.block(Box{205, 190, 260, 210});
  placer.block(Pixel{0, 180}, Pixel{400, 180});
  std::vector<Box> placed;
  for (int i = 0; i < 6; ++i) {
    const auto label = placer.place("label", {14}, {200, 200});
    ASSERT_TRUE(label) << i;
    const Box box = bounds(label->text);
    EXPECT_FALSE(box.intersects(Box{205, 190, 260, 210}));
    EXPECT_FALSE(box.intersects(Pixel{0, 180}, Pixel{400, 180}));
    for (const Box& other : placed) EXPECT_FALSE(box.intersects(other));
    placed.push_back(box);
  }
}

TEST(LabelPlacer, ALabelFarFromItsPointHasALeader) {
  LabelPlacer placer({0, 0, 400, 400});
  placer.block(Box{165, 165, 235, 235});
  const auto label = placer.place("V3", {14}, {200, 200});
  ASSERT_TRUE(label);
  ASSERT_TRUE(label->leader);
  EXPECT_EQ(label->leader->points.front().x, 200);
}

TEST(LabelPlacer, NoLeaderCrossesALabel) {
  LabelPlacer placer({0, 0, 400, 400});
  placer.block(Box{165, 165, 235, 235});
  std::vector<PlacedLabel> placed;
  while (auto label = placer.place("a wide label", {14}, {200, 200})) placed.push_back(*label);
  ASSERT_GT(placed.size(), 4U);
  for (const PlacedLabel& label : placed) {
    for (const PlacedLabel& other : placed) {
      ASSERT_TRUE(other.leader);
      EXPECT_FALSE(bounds(label.text).intersects(other.leader->points.front(), other.leader->points.back()));
    }
  }
}

TEST(LabelPlacer, GivesUpWhereNothingIsFree) {
  LabelPlacer placer({0, 0, 400, 400});
  placer.block(Box{0, 0, 400, 400});
  EXPECT_FALSE(placer.place("V3", {14}, {200, 200}));
}

TEST(Fitted, CutsBetweenCharacters) {
  const TextStyle style = {14};
  EXPECT_EQ(fitted("µµµ", style, 1000), "µµµ");
  const std::string cut = fitted("µµµµµµµµ", style, text_width("µµµ…", style) + 0.1);
  EXPECT_EQ(cut, "µµµ…");
  EXPECT_EQ(fitted("µµµ", style, 0), "…");
}

TEST(Fitted, TakesTimeInProportionToTheText) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(fitted(std::string(20'000, 'n'), {14}, 0), "…");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace rooflinectl::chart_labels_test
