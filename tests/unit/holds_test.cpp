// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/machine/ranks.h"

namespace rooflinectl::holds_test {
namespace {

using testing::ElementsAre;

TEST(Holds, DelayWhatRunsDuringThemOrIsTheFirstAfterwards) {
  const Holds holds({{.start_ns = 200, .duration_ns = 50}, {.start_ns = 100, .duration_ns = 10}});
  EXPECT_FALSE(holds.delay(0, 99));
  EXPECT_TRUE(holds.delay(0, 100));
  EXPECT_TRUE(holds.delay(90, 150)) << "it may have begun after the hold: the held rank came late";
  EXPECT_FALSE(holds.delay(111, 199)) << "the collective before has waited already";
  EXPECT_TRUE(holds.delay(240, 245));
  EXPECT_FALSE(holds.delay(251, 900));
  EXPECT_FALSE(Holds({}).delay(0, 900));
}

TEST(Holds, AreJoinedWhereTheyTouch) {
  EXPECT_THAT(Holds({{10, 10}, {20, 5}, {12, 2}, {30, 1}}).list(), ElementsAre(Hold{10, 15}, Hold{30, 1}));
}

TEST(Holds, AreJoinedWhereTheyAreCloseIfThereAreTooMany) {
  Holds holds({{0, 10}, {100, 10}, {120, 10}, {500, 10}, {515, 10}});
  holds.join_to(5);
  EXPECT_EQ(holds.list().size(), 5);
  holds.join_to(3);
  EXPECT_THAT(holds.list(), ElementsAre(Hold{0, 10}, Hold{100, 30}, Hold{500, 25}));
  holds.join_to(1);
  EXPECT_THAT(holds.list(), ElementsAre(Hold{0, 525}));
}

}  // namespace
}  // namespace rooflinectl::holds_test
