// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "runner/measuring/worklist.h"
#include "tests/support/changed_runs.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::time_estimate_test {
namespace {

namespace fs = std::filesystem;

class TimeEstimateTest : public testing::Test {
 protected:
  /// The constructed ladder, as it was measured in `wall_s`, without some of its points.
  fs::path measured(const std::string& name, double wall_s, std::size_t without = 0) const {
    auto run = ladder_;
    run.wall_s = wall_s;
    run.measurements.resize(run.measurements.size() - without);
    write_run(folder_.path() / name, run);
    return folder_.path() / name;
  }

  double points() const { return static_cast<double>(ladder_.measurements.size()); }

  TemporaryFolder folder_;
  rooflinectl::Run ladder_ = changed::ladder_run();
};

TEST_F(TimeEstimateTest, APlanThatWasMeasuredTakesAsLongAgain) {
  const TimeEstimate estimate = estimate_time(ladder_.plan, {measured("run.json", 42)});
  EXPECT_DOUBLE_EQ(estimate.points_s, 42);
  EXPECT_EQ(estimate.known, ladder_.measurements.size());
  EXPECT_EQ(estimate.unknown, 0U);
}

TEST_F(TimeEstimateTest, TheRunWithTheMostPointsCountsAndARuleForTheOthers) {
  const fs::path few = measured("few.json", 1, 5);
  const fs::path more = measured("more.json", points() - 2, 2);
  const TimeEstimate estimate = estimate_time(ladder_.plan, {few, more});
  EXPECT_EQ(estimate.like, more);
  EXPECT_EQ(estimate.unknown, 2U);
  EXPECT_DOUBLE_EQ(estimate.points_s, points() - 2 + 2 * 0.8);
}

TEST_F(TimeEstimateTest, WithoutEarlierRunsTheTimeLimitBoundsEachPoint) {
  Plan plan = ladder_.plan;
  plan.experiments[0].timing.time_limit_s = 0.3;
  plan.ceilings = {"dram_read", "f32_add"};
  write_file(folder_.path() / "damaged.json", "{}");
  const TimeEstimate estimate =
      estimate_time(plan, {folder_.path() / "none.json", folder_.path() / "damaged.json"});
  EXPECT_NEAR(estimate.points_s, 0.5 * points(), 1e-9);
  EXPECT_DOUBLE_EQ(estimate.ceilings_s, 1);
  EXPECT_TRUE(estimate.like.empty());
}

TEST_F(TimeEstimateTest, AReplayTellsNothing) {
  ladder_.source = RunSource::replayed;
  EXPECT_EQ(estimate_time(ladder_.plan, {measured("replay.json", 1)}).known, 0U);
}

}  // namespace
}  // namespace rooflinectl::time_estimate_test
