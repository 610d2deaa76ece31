// SPDX-License-Identifier: Apache-2.0
#include "core/model/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rooflinectl::agreement_test {
namespace {

Agreement agreement(double ours, double reference, double tolerance, bool is_relative) {
  Agreement result;
  result.ours = CounterValue::measured(ours);
  result.reference = CounterValue::measured(reference);
  result.tolerance = tolerance;
  result.is_relative = is_relative;
  return result;
}

TEST(Agreement, RelativeToleranceIsAFractionOfTheReference) {
  EXPECT_EQ(agreement(102, 100, 0.02, true).verdict(), Verdict::agrees);
  EXPECT_EQ(agreement(103, 100, 0.02, true).verdict(), Verdict::differs);
  EXPECT_EQ(agreement(-98, -100, 0.02, true).verdict(), Verdict::agrees);
}

TEST(Agreement, AbsoluteToleranceHasTheUnitOfTheNumbers) {
  EXPECT_EQ(agreement(0.5, 0.501, 0.0015, false).verdict(), Verdict::agrees);
  EXPECT_EQ(agreement(0.5, 0.502, 0.0015, false).verdict(), Verdict::differs);
}

TEST(Agreement, NoToleranceMeansEqual) {
  EXPECT_EQ(agreement(7, 7, 0, true).verdict(), Verdict::agrees);
  EXPECT_EQ(agreement(0, 0, 0, true).verdict(), Verdict::agrees);
  EXPECT_EQ(agreement(7, 8, 0, true).verdict(), Verdict::differs);
}

TEST(Agreement, NotANumberNeverAgrees) {
  EXPECT_EQ(agreement(std::nan(""), 1, 1, true).verdict(), Verdict::differs);
  EXPECT_EQ(agreement(1, std::numeric_limits<double>::infinity(), 0.02, true).verdict(), Verdict::differs);
}

TEST(Agreement, IsUnavailableWithoutOneOfTheNumbers) {
  Agreement missing = agreement(1, 1, 0, true);
  missing.reference = CounterValue::unavailable("no such column");
  EXPECT_EQ(missing.verdict(), Verdict::unavailable);
}

TEST(SelfTest, PassesIfSomethingAgreesAndNothingDiffers) {
  SelfTest test;
  EXPECT_FALSE(test.passed());
  test.agreements.emplace_back();  // unavailable
  EXPECT_FALSE(test.passed());
  test.agreements.push_back(agreement(1, 1, 0, true));
  EXPECT_TRUE(test.passed());
  test.agreements.push_back(agreement(1, 2, 0, true));
  EXPECT_FALSE(test.passed());
}

}  // namespace
}  // namespace rooflinectl::agreement_test
