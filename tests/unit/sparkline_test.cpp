// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "reports/text/text_table.h"

namespace rooflinectl::sparkline_test {
namespace {

using Values = std::vector<std::optional<double>>;

TEST(Sparkline, TheSmallestValueIsTheLowest) {
  EXPECT_EQ(sparkline(Values{1, 4.5, 8}, 10), "▁▅█");
}

TEST(Sparkline, AMissingValueIsASpace) {
  EXPECT_EQ(sparkline(Values{1, std::nullopt, 2}, 10), "▁ █");
  EXPECT_EQ(sparkline(Values{std::nullopt, std::nullopt}, 10), "  ");
}

TEST(Sparkline, NoiseStaysFlat) {
  EXPECT_EQ(sparkline(Values{1, 1.004, 1.002}, 10), "▁▁▁");
  EXPECT_EQ(sparkline(Values{3, 3, 3}, 10), "▁▁▁");
  EXPECT_EQ(sparkline(Values{0, 0}, 10), "▁▁");
}

TEST(Sparkline, OneValueAmongManyIsSeen) {
  Values values(100, 1.0);
  values[37] = 2.0;
  EXPECT_EQ(sparkline(values, 10), "▁▁▁█▁▁▁▁▁▁");
}

TEST(Sparkline, NothingIsEmpty) {
  EXPECT_EQ(sparkline({}, 10), "");
}

}  // namespace
}  // namespace rooflinectl::sparkline_test
