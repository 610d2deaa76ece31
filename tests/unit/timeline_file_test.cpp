// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/error.h"
#include "core/serial/program/program_files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::timeline_file_test {
namespace {

using testing::HasSubstr;

Run program() {
  Run run;
  run.application.emplace();
  run.measurements.resize(2);
  return run;
}

Timeline two_samples() {
  Timeline timeline;
  DeviceTimeline& device = timeline.devices.emplace_back();
  device.interval_ns = 100'000;
  device.began_ns = 900'000;
  device.start_ns = {1'000'000, 1'100'000};
  device.duration_ns = {100'000, 99'999};
  device.values = {{"dram_read_bytes", {4.8e8, 0}}, {"sm_active", {0.987, 0}}};
  device.metrics = {{"dram_read_bytes", "dram__bytes_read.sum"}};
  device.left_out = {{"nvlink_sent_bytes", "this device cannot sample it"}};
  device.launches = {{.measurement = 1, .stream = 0, .start_ns = 1'000'050, .duration_ns = 80'000}};
  device.transfers = {{.kind = TransferKind::set, .start_ns = 1'090'000, .duration_ns = 2'000}};
  timeline.paths = {"step", "step/forward"};
  timeline.ranges = {{.path = 1, .process = 17, .start_ns = 1'000'000, .duration_ns = 150'000}};
  return timeline;
}

std::string failure_of(const Timeline& timeline, const Run& run = program()) {
  try {
    timeline_from_json(timeline_to_json(timeline), "timeline.json", run);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(TimelineFile, IsReadAsItWasWritten) {
  const Timeline written = two_samples();
  EXPECT_EQ(timeline_from_json(timeline_to_json(written), "timeline.json", program()), written);
}

TEST(TimelineFile, LiesCompressedBesideItsRun) {
  const TemporaryFolder folder;
  const std::filesystem::path run_file = folder.path() / "run.json.gz";
  EXPECT_EQ(read_timeline(run_file, program()), std::nullopt);

  write_timeline(run_file, two_samples());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "timeline.json.gz"));
  EXPECT_EQ(read_timeline(run_file, program()), two_samples());
}

TEST(TimelineFile, NamesWhatTheRunDoesNotHave) {
  Timeline timeline = two_samples();
  timeline.devices[0].device = 1;
  EXPECT_THAT(failure_of(timeline), HasSubstr("/devices/0/device: the run has 1 devices"));

  timeline = two_samples();
  timeline.devices[0].launches[0].measurement = 2;
  EXPECT_THAT(failure_of(timeline), HasSubstr("/devices/0/launches: launch 0 is of a point"));

  timeline = two_samples();
  timeline.ranges[0].path = 2;
  EXPECT_THAT(failure_of(timeline), HasSubstr("/ranges: range 0 has a path that is not there"));
}

TEST(TimelineFile, ColumnsAreEquallyLongAndSamplesInOrder) {
  Timeline timeline = two_samples();
  timeline.devices[0].values["sm_active"].pop_back();
  EXPECT_THAT(failure_of(timeline), HasSubstr("/devices/0/values/sm_active: not 2 entries"));

  timeline = two_samples();
  timeline.devices[0].duration_ns.pop_back();
  EXPECT_THAT(failure_of(timeline), HasSubstr("/devices/0/duration_ns: not 2 entries"));

  timeline = two_samples();
  std::swap(timeline.devices[0].start_ns[0], timeline.devices[0].start_ns[1]);
  EXPECT_THAT(failure_of(timeline), HasSubstr("/devices/0/start_ns: sample 1 begins before"));
}

TEST(TimelineFile, OtherDocumentsAreNone) {
  EXPECT_THROW(timeline_from_json("{}", "timeline.json", program()), Error);
  EXPECT_THROW(timeline_from_json(R"({"format":"rooflinectl-run","schema":2})", "timeline.json", program()),
               Error);
}

}  // namespace
}  // namespace rooflinectl::timeline_file_test
