// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "core/files/files.h"
#include "core/model/known_ceilings.h"
#include "runner/measuring/device_ceilings.h"
#include "tests/support/full_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::ceiling_cache_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CeilingCacheTest : public ::testing::Test {
 protected:
  static rooflinectl::Run some_run() { return rooflinectl::constructed::full_run(); }

  fs::path file() const { return folder_ / (some_run().device().uuid + ".build.json"); }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "not yet there";
  std::vector<std::string> warnings_;
  const CeilingCache cache_{folder_, "build",
                            [this](const std::string& warning) { warnings_.push_back(warning); }};
};

TEST_F(CeilingCacheTest, KeepsTheCeilingsAndNotThePoints) {
  EXPECT_THAT(cache_.load(), IsEmpty());
  cache_.store(some_run());
  const std::vector<rooflinectl::Run> runs = cache_.load();
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].device(), some_run().device());
  EXPECT_EQ(runs[0].ceilings, some_run().ceilings);
  EXPECT_THAT(runs[0].measurements, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CeilingCacheTest, KeepsCollectivesOfASetOfDevices) {
  rooflinectl::Run run = some_run();
  run.devices.resize(2, run.device());
  run.devices[1].uuid = "GPU-of-somebody-else";
  ASSERT_TRUE(run.collectives.has_value());
  cache_.store_collectives(run);
  EXPECT_THAT(cache_.load(), IsEmpty());
  std::vector<DeviceInfo> devices = {run.devices[1], run.devices[0]};
  EXPECT_EQ(cache_.load_collectives(devices), run.collectives);
  devices[0].driver_version = "999";
  EXPECT_EQ(cache_.load_collectives(devices), std::nullopt);
  EXPECT_EQ(cache_.load_collectives({run.device()}), std::nullopt);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CeilingCacheTest, CollectivesThatWereNotMeasuredReplaceNone) {
  rooflinectl::Run run = some_run();
  cache_.store_collectives(run);
  run.collectives->missing = "no NCCL";
  run.collectives->times.clear();
  cache_.store_collectives(run);
  EXPECT_EQ(cache_.load_collectives(run.devices), some_run().collectives);
}

TEST_F(CeilingCacheTest, CollectivesOfAnotherBuildAreNeitherUsedNorKept) {
  const CeilingCache other(folder_, "other", [](const std::string&) { FAIL(); });
  other.store_collectives(some_run());
  EXPECT_EQ(cache_.load_collectives(some_run().devices), std::nullopt);
  cache_.store_collectives(some_run());
  EXPECT_EQ(other.load_collectives(some_run().devices), std::nullopt);
}

TEST_F(CeilingCacheTest, ALaterRunReplacesItsOwnCeilingsOnly) {
  cache_.store(some_run());
  rooflinectl::Run later = some_run();
  std::erase_if(later.ceilings, [](const Ceiling& ceiling) { return ceiling.id != "f32_add"; });
  later.ceilings.at(0).value = 7;
  cache_.store(later);
  const rooflinectl::Run kept = cache_.load().at(0);
  EXPECT_EQ(kept.ceilings.size(), some_run().ceilings.size());
  EXPECT_EQ(find_ceiling(kept, "f32_add", CeilingSource::measured, 0)->value, 7);
}

TEST_F(CeilingCacheTest, WhatNoCounterSeesIsNotMeasuredAgainToBeCounted) {
  rooflinectl::Run run = some_run();
  for (const CeilingKind kind :
       {CeilingKind::bandwidth, CeilingKind::transfer, CeilingKind::compute, CeilingKind::latency}) {
    Ceiling ceiling;
    ceiling.id = std::string("new_") + std::string(to_string(kind));
    ceiling.kind = kind;
    run.ceilings.push_back(ceiling);
  }
  std::vector<std::string> unconfirmed = known_ceilings(run).unconfirmed_ids;
  std::erase_if(unconfirmed, [](const std::string& id) { return !id.starts_with("new_"); });
  EXPECT_THAT(unconfirmed, ElementsAre("new_bandwidth", "new_compute"));
}

TEST_F(CeilingCacheTest, AnotherClockInvalidatesEarlierCeilings) {
  rooflinectl::Run run = some_run();
  run.ceilings.at(2).sm_clock_hz = 1.9e9;  // launch
  cache_.store(run);
  run.ceilings.erase(run.ceilings.begin(), run.ceilings.begin() + 2);
  run.ceilings.at(0).sm_clock_hz = 1.2e9;
  cache_.store(run);
  EXPECT_THAT(cache_.load().at(0).ceilings, SizeIs(1));
}

TEST_F(CeilingCacheTest, TheClockDoesNotDriftFromRunToRun) {
  rooflinectl::Run run = some_run();
  for (const double clock_hz : {1.90e9, 1.88e9, 1.865e9}) {
    run.ceilings.at(2).sm_clock_hz = clock_hz;
    cache_.store(run);
  }
  EXPECT_EQ(find_ceiling(cache_.load().at(0), "launch", CeilingSource::measured, 0)->sm_clock_hz, 1.90e9);
}

TEST_F(CeilingCacheTest, AnotherDriverInvalidatesEarlierCeilings) {
  cache_.store(some_run());
  rooflinectl::Run later = some_run();
  later.devices[0].driver_version = "999";
  later.ceilings.resize(1);
  cache_.store(later);
  EXPECT_THAT(cache_.load().at(0).ceilings, SizeIs(1));
}

TEST_F(CeilingCacheTest, CeilingsOfAnotherBuildAreNeitherUsedNorKept) {
  const CeilingCache other(folder_, "other", [](const std::string&) { FAIL(); });
  other.store(some_run());
  EXPECT_THAT(cache_.load(), IsEmpty());
  cache_.store(some_run());
  EXPECT_THAT(cache_.load(), SizeIs(1));
  EXPECT_THAT(other.load(), IsEmpty());
}

TEST_F(CeilingCacheTest, ADamagedFileIsReportedAndNotUsed) {
  cache_.store(some_run());
  write_file(file(), read_file(file()).substr(0, 100));
  EXPECT_THAT(cache_.load(), IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(file().string())));
}

TEST_F(CeilingCacheTest, AFileOfAnotherDeviceIsReportedAndNotUsed) {
  cache_.store(some_run());
  fs::rename(file(), folder_ / "GPU-of-somebody-else.build.json");
  EXPECT_THAT(cache_.load(), IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a different device")));
}

TEST_F(CeilingCacheTest, AUuidThatIsNotAFileNameIsNotUsedAsOne) {
  rooflinectl::Run run = some_run();
  run.devices[0].uuid = "../escape";
  cache_.store(run);
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_FALSE(fs::exists(temporary_.path() / "escape.json"));
}

TEST_F(CeilingCacheTest, AFolderThatCannotBeMadeIsReportedOnce) {
  write_file(folder_, "a file in the way");
  cache_.store(some_run());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cannot store")));
}

TEST_F(CeilingCacheTest, WithoutAFolderNothingIsKept) {
  const CeilingCache nowhere(std::nullopt, "build", [](const std::string&) { FAIL(); });
  nowhere.store(some_run());
  EXPECT_THAT(nowhere.load(), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::ceiling_cache_test
