// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/text/written_number.h"

namespace rooflinectl::number_ranges_test {
namespace {

TEST(NumberRanges, JoinsNeighbours) {
  EXPECT_EQ(number_ranges({}), "");
  EXPECT_EQ(number_ranges({7}), "7");
  EXPECT_EQ(number_ranges({1, 2}), "1, 2");
  EXPECT_EQ(number_ranges({9, 3, 0, 1, 2, 7, 3}), "0–3, 7, 9");
}

}  // namespace
}  // namespace rooflinectl::number_ranges_test
