// SPDX-License-Identifier: Apache-2.0
//
// The self-test on a real GPU: every number agrees, and one that is expected wrongly differs. Skipped where
// there are no counters.

#include <gtest/gtest.h>

#include <memory>

#include "collector/device/device.h"
#include "collector/steps/steps.h"
#include "core/error.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

class CountersSelfTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    device_ = select_device("0");
    try {
      profiler_ = open_profiler(device_.index, basic_metrics());
    } catch (const Error& error) {
      GTEST_SKIP() << "no counters: " << error.what();
    }
  }

  DeviceInfo device_;
  std::unique_ptr<Profiler> profiler_;
};

TEST_F(CountersSelfTest, AgreesWithEveryKnownWork) {
  const SelfTest self_test = test_counters(device_, *profiler_);
  EXPECT_TRUE(self_test.passed());
  EXPECT_GT(self_test.agreements.size(), kernels::all_known_work().size());
  for (const Agreement& agreement : self_test.agreements) {
    EXPECT_NE(agreement.verdict(), Verdict::differs)
        << agreement.subject << " " << agreement.quantity << ": " << agreement.ours.value().value()
        << ", not " << agreement.reference.value().value();
  }
}

TEST_F(CountersSelfTest, DiffersWhereTheExpectationIsWrong) {
  // One operation too few in eight million, two thirds of the bytes, the other kind of efficiency.
  SelfTest self_test = test_counters(device_, *profiler_);
  for (Agreement& agreement : self_test.agreements) {
    if (!agreement.ours.available()) continue;
    const double known = agreement.reference.value().value();
    const bool is_exact = agreement.tolerance == 0;
    agreement.reference = CounterValue::measured(is_exact ? known + 1 : 1.5 * known);
    EXPECT_EQ(agreement.verdict(), Verdict::differs) << agreement.subject << " " << agreement.quantity;
  }
  EXPECT_FALSE(self_test.passed());
}

}  // namespace
}  // namespace rooflinectl
