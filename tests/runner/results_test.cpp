// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files/files.h"
#include "runner/measuring/collector_log.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::results_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ResultsTest : public testing::Test {
 protected:
  MeasureRequest request() const {
    MeasureRequest request;
    request.plan.name = "p";
    Experiment& experiment = request.plan.experiments.emplace_back();
    for (const char* variant : {"first", "second"}) experiment.points.push_back({"", variant, axes_of({})});
    request.output = parent_;
    return request;
  }

  rooflinectl::Run run_on_disk() const {
    return run_from_json(read_file(results_.folder() / "run.json"), "run.json");
  }

  void add(std::size_t point) {
    message::PointTimed timed;
    timed.point = point;
    timed.measurement.point = request_.plan.experiments[0].points[point];
    results_.add(timed);
  }

  const TemporaryFolder temporary_;
  const fs::path parent_ = temporary_.path();
  const MeasureRequest request_ = request();
  const std::vector<rooflinectl::Run> no_ceilings_ = {};
  std::vector<std::string> warnings_;
  const MeasureObserver observer_ = [this](const MeasureEvent& event) {
    if (const auto* warning = std::get_if<MeasureWarning>(&event)) warnings_.push_back(warning->text);
  };
  Results results_{request_, no_ceilings_, observer_};
};

TEST_F(ResultsTest, WritesFromTheStart) {
  message::Hello hello;
  hello.device.name = "GPU";
  results_.add(hello);
  results_.save();
  EXPECT_EQ(run_on_disk().device().name, "GPU");
  EXPECT_FALSE(results_.save_due());
}

TEST_F(ResultsTest, MeasurementsAreInTheOrderOfThePlanHoweverTheyCome) {
  results_.add(message::Hello{});
  add(1);
  add(0);
  EXPECT_TRUE(results_.save_due());
  results_.save();
  ASSERT_THAT(run_on_disk().measurements, SizeIs(2));
  EXPECT_EQ(run_on_disk().measurements[0].point.subject, "first");
}

TEST_F(ResultsTest, ACeilingThatIsMeasuredAgainReplacesTheFirst) {
  Ceiling ceiling;
  ceiling.id = "dram_read";
  ceiling.value = 1;
  results_.add(message::CeilingMeasured{ceiling});
  ceiling.value = 2;
  results_.add(message::CeilingMeasured{ceiling});
  ceiling.source = CeilingSource::theoretical;
  results_.add(message::CeilingMeasured{ceiling});
  ASSERT_THAT(results_.run().ceilings, SizeIs(2));
  EXPECT_EQ(results_.run().ceilings[0].value, 2);
}

TEST_F(ResultsTest, AConfirmedCeilingKeepsTheTimeOfItsMeasurement) {
  Ceiling ceiling;
  ceiling.id = "dram_read";
  ceiling.source = CeilingSource::measured;
  ceiling.measured_utc = "2026-11-20T00:00:00Z";
  results_.add(message::CeilingMeasured{ceiling});
  ceiling.measured_utc.clear();
  ceiling.confirmation = Confirmation{true, "counted"};
  results_.add(message::CeilingMeasured{ceiling});
  EXPECT_EQ(results_.run().ceilings[0].measured_utc, "2026-11-20T00:00:00Z");
  EXPECT_TRUE(results_.run().ceilings[0].confirmation);
}

TEST_F(ResultsTest, LosingCountersKeepsThoseAlreadyTaken) {
  message::Hello hello;
  hello.counter_session.reason = "refused";
  results_.add(hello);
  EXPECT_EQ(results_.run().counter_session.reason, "refused");
  hello.counter_session = {};
  hello.counter_session.available = true;
  hello.counter_session.passes = 2;
  results_.add(hello);
  results_.add(message::Hello{});
  EXPECT_EQ(results_.run().counter_session.passes, 2);
}

TEST_F(ResultsTest, MissingCountersCarryTheReason) {
  message::Hello hello;
  hello.counter_session.available = true;
  hello.counter_session.metrics = {{"fadd", "smsp__fadd"}};
  results_.add(hello);
  add(0);
  results_.give_up({message::Phase::count, 0, "first"}, "crashed");
  results_.save();
  EXPECT_EQ(run_on_disk().measurements[0].counters.at("fadd"), CounterValue::unavailable("crashed"));
}

TEST_F(ResultsTest, WhatCannotBeSavedIsSavedLater) {
  results_.add(message::Hello{});
  add(0);
  fs::remove_all(parent_);  // as if the disk were gone
  results_.save();
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("measuring continues")));
  EXPECT_GT(*results_.save_due(), Results::Clock::now()) << "not again at once";
  EXPECT_EQ(results_.run().measurements[0].point.subject, "first") << "the run can still be rescued";
}

TEST(CollectorLog, WaitsForItsFolderAndMakesNoEmptyFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "log";
  CollectorLog log;
  log.add("early");
  log.set_file(file);
  log.add("late");
  EXPECT_EQ(read_file(file), "early\nlate\n");
  EXPECT_EQ(log.last_line(), "late");

  CollectorLog silent;
  silent.set_file(folder.path() / "silent");
  EXPECT_FALSE(fs::exists(folder.path() / "silent"));
}

}  // namespace
}  // namespace rooflinectl::results_test
