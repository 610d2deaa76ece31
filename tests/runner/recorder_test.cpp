// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::recorder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class RecorderTest : public testing::Test {
 protected:
  static Plan plan() {
    Plan plan;
    plan.name = "p";
    return plan;
  }

  rooflinectl::Run run_on_disk() const {
    return run_from_json(read_file(recorder_.folder() / "run.json"), "run.json");
  }

  const TemporaryFolder temporary_;
  const fs::path parent_ = temporary_.path();
  Recorder recorder_{plan(), {"rooflinectl", "run"}};
};

Measurement of_variant(const std::string& variant) {
  Measurement measurement;
  measurement.point = {"", variant, axes_of({})};
  return measurement;
}

TEST_F(RecorderTest, WritesFromTheStart) {
  message::Hello hello;
  hello.device.name = "GPU";
  recorder_.open(parent_, hello, {});
  EXPECT_EQ(run_on_disk().device().name, "GPU");
  EXPECT_FALSE(recorder_.save_due());
}

TEST_F(RecorderTest, MeasurementsAreInTheOrderOfThePlanHoweverTheyCome) {
  recorder_.open(parent_, {}, {});
  recorder_.add(1, of_variant("second"));
  recorder_.add(0, of_variant("first"));
  EXPECT_TRUE(recorder_.save_due());
  recorder_.save();
  ASSERT_THAT(run_on_disk().measurements, SizeIs(2));
  EXPECT_EQ(run_on_disk().measurements[0].point.subject, "first");
}

TEST_F(RecorderTest, ACeilingThatIsMeasuredAgainReplacesTheFirst) {
  Ceiling ceiling;
  ceiling.id = "dram_read";
  ceiling.value = 1;
  recorder_.add(ceiling);
  ceiling.value = 2;
  recorder_.add(ceiling);
  ceiling.source = CeilingSource::theoretical;
  recorder_.add(ceiling);
  ASSERT_THAT(recorder_.run().ceilings, SizeIs(2));
  EXPECT_EQ(recorder_.run().ceilings[0].value, 2);
}

TEST_F(RecorderTest, AConfirmedCeilingKeepsTheTimeOfItsMeasurement) {
  Ceiling ceiling;
  ceiling.id = "dram_read";
  ceiling.source = CeilingSource::measured;
  ceiling.measured_utc = "2026-11-20T00:00:00Z";
  recorder_.add(ceiling);
  ceiling.measured_utc.clear();
  ceiling.confirmation = Confirmation{true, "counted"};
  recorder_.add(ceiling);
  EXPECT_EQ(recorder_.run().ceilings[0].measured_utc, "2026-11-20T00:00:00Z");
  EXPECT_TRUE(recorder_.run().ceilings[0].confirmation);
}

TEST_F(RecorderTest, LosingCountersKeepsThoseAlreadyTaken) {
  CounterSession session;
  session.reason = "refused";
  recorder_.set_counter_session(session);
  EXPECT_EQ(recorder_.run().counter_session.reason, "refused");
  session = {};
  session.available = true;
  session.passes = 2;
  recorder_.set_counter_session(session);
  recorder_.set_counter_session({});
  EXPECT_EQ(recorder_.run().counter_session.passes, 2);
}

TEST_F(RecorderTest, MissingCountersCarryTheReason) {
  CounterSession session;
  session.available = true;
  session.metrics = {{"fadd", "smsp__fadd"}};
  recorder_.set_counter_session(session);
  recorder_.open(parent_, {}, {});
  recorder_.add(0, of_variant("a"));
  recorder_.add_missing_counters(0, "crashed");
  recorder_.save();
  EXPECT_EQ(run_on_disk().measurements[0].counters.at("fadd"), CounterValue::unavailable("crashed"));
}

TEST_F(RecorderTest, TheLogWaitsForItsFolderAndMakesNoEmptyFile) {
  const fs::path file = fs::path(parent_) / "log";
  CollectorLog log;
  log.add("early");
  log.set_file(file);
  log.add("late");
  EXPECT_EQ(read_file(file), "early\nlate\n");
  EXPECT_EQ(log.last_line(), "late");

  CollectorLog silent;
  silent.set_file(fs::path(parent_) / "silent");
  EXPECT_FALSE(fs::exists(fs::path(parent_) / "silent"));
}

TEST_F(RecorderTest, WhatCannotBeSavedIsSavedLater) {
  recorder_.open(parent_, {}, {});
  recorder_.add(0, of_variant("a"));
  fs::remove_all(parent_);  // as if the disk were gone
  EXPECT_THROW(recorder_.save(), Error);
  EXPECT_GT(*recorder_.save_due(), Recorder::Clock::now()) << "not again at once";
  EXPECT_EQ(recorder_.run().measurements[0].point.subject, "a") << "the run can still be rescued";
}

}  // namespace
}  // namespace rooflinectl::recorder_test
