// SPDX-License-Identifier: Apache-2.0
#include "reports/text/csv.h"

#include <gtest/gtest.h>

namespace rooflinectl::csv_test {
namespace {

TEST(CsvField, HasQuotesWhereItNeedsThem) {
  EXPECT_EQ(csv::field("plain"), "plain");
  EXPECT_EQ(csv::field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv::field("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(csv::field("two\nlines"), "two lines");
}

TEST(CsvField, IsNeverAFormula) {
  EXPECT_EQ(csv::field("=1+1"), "'=1+1");
  EXPECT_EQ(csv::field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv::field("-cmd|' /C calc'!A0"), "'-cmd|' /C calc'!A0");
  EXPECT_EQ(csv::field("+1,2"), "\"'+1,2\"");
  EXPECT_EQ(csv::field("\t=1"), " =1");
}

TEST(CsvField, ANumberStaysANumber) {
  for (const char* number : {"-1", "-1.5e-6", "+3", "0"}) EXPECT_EQ(csv::field(number), number);
}

}  // namespace
}  // namespace rooflinectl::csv_test
