// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/run_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"
#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::run_folder_test {
namespace {

namespace fs = std::filesystem;

const auto kTime = std::chrono::system_clock::from_time_t(1'795'253'400);  // 2026-11-21 09:30:00 UTC

class RunFolder : public testing::Test {
 protected:
  const TemporaryFolder temporary_;
  const fs::path parent_ = temporary_.path();
};

TEST(UtcTime, IsIso8601) {
  EXPECT_EQ(utc_time(kTime), "2026-11-21T09:30:00Z");
}

TEST_F(RunFolder, IsNamedAfterPlanAndTime) {
  const fs::path folder = create_run_folder(parent_, "reductions", kTime);
  EXPECT_EQ(folder, fs::path(parent_) / "reductions" / "2026-11-21T09-30-00Z");
  EXPECT_TRUE(fs::is_directory(folder));
}

TEST_F(RunFolder, OfARankIsNamedAfterIt) {
  const LauncherRank rank = {.rank = 7, .ranks = 16};
  const fs::path folder = create_run_folder(parent_, "p", kTime, rank);
  EXPECT_EQ(folder.filename(), "2026-11-21T09-30-00Z-rank07");
  EXPECT_EQ(rank_of(folder), 7);
  EXPECT_EQ(rank_of(folder / ""), 7);
  EXPECT_EQ(rank_of(create_run_folder(parent_, "p", kTime, rank)), 7);
  EXPECT_EQ(rank_of(create_run_folder(parent_, "p", kTime)), std::nullopt);
}

TEST_F(RunFolder, TwoRunsInOneSecondDoNotShareAFolder) {
  const fs::path first = create_run_folder(parent_, "p", kTime);
  const fs::path second = create_run_folder(parent_, "p", kTime);
  const fs::path third = create_run_folder(parent_, "p", kTime);
  EXPECT_EQ(second.filename(), "2026-11-21T09-30-00Z-2");
  EXPECT_EQ(third.filename(), "2026-11-21T09-30-00Z-3");
  EXPECT_TRUE(fs::is_directory(first) && fs::is_directory(second) && fs::is_directory(third));
}

TEST_F(RunFolder, LatestFollowsAndStaysValidWhenTheFolderIsMoved) {
  link_latest(create_run_folder(parent_, "p", kTime));
  const fs::path second = create_run_folder(parent_, "p", kTime);
  link_latest(second);
  const fs::path link = fs::path(parent_) / "p" / "latest";
  EXPECT_EQ(fs::read_symlink(link), second.filename());
  EXPECT_TRUE(fs::is_directory(link));
}

TEST_F(RunFolder, AFileInTheWayIsNamed) {
  write_file(fs::path(parent_) / "p", "");
  try {
    create_run_folder(parent_, "p", kTime);
    FAIL() << "a file was taken for a folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find((parent_ / "p").string()), std::string::npos) << error.what();
  }
}

TEST_F(RunFolder, RemovingOneLeavesOtherRunsOfThePlan) {
  const fs::path first = create_run_folder(parent_, "p", kTime);
  const fs::path second = create_run_folder(parent_, "p", kTime);
  write_file(first / "run.json", "");
  remove_run_folder(first);
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::is_directory(second));
  remove_run_folder(second);
  EXPECT_TRUE(fs::is_empty(parent_));
}

TEST_F(RunFolder, ANameThatLeadsElsewhereIsRefused) {
  for (const char* const name : {"", ".", "../x", "/tmp/x", "a/b"}) {
    EXPECT_THROW(create_run_folder(parent_, name, kTime), Error) << name;
  }
}

TEST_F(RunFolder, AnythingButALinkIsLeftAlone) {
  const fs::path folder = create_run_folder(parent_, "p", kTime);
  const fs::path latest = fs::path(parent_) / "p" / "latest";
  write_file(latest, "MY NOTES");
  EXPECT_FALSE(link_latest(folder));
  EXPECT_EQ(read_file(latest), "MY NOTES");
  fs::remove(latest);
  fs::create_directories(latest / "mine");
  EXPECT_FALSE(link_latest(folder));
  EXPECT_TRUE(fs::exists(latest / "mine"));
}

TEST_F(RunFolder, ALinkThatLeadsNowhereIsReplaced) {
  const fs::path folder = create_run_folder(parent_, "p", kTime);
  fs::create_symlink("gone", fs::path(parent_) / "p" / "latest");
  EXPECT_TRUE(link_latest(folder));
  EXPECT_EQ(fs::read_symlink(fs::path(parent_) / "p" / "latest"), folder.filename());
}

TEST(RescueRun, KeepsTheRunElsewhereAndNamesThePlace) {
  rooflinectl::Run run;  // plain `Run` is a member of the test
  run.plan.name = "p";
  run.host = "here";
  const Error error = rescue_run(run, Error(ErrorKind::usage, "no room"));
  EXPECT_EQ(error.kind(), ErrorKind::environment);
  const std::string words = "no room; all results were saved to ";
  ASSERT_TRUE(std::string(error.what()).starts_with(words));
  const fs::path file = std::string(error.what()).substr(words.size());
  EXPECT_EQ(run_from_json(read_file(file), "run.json").host, "here");
  EXPECT_EQ(error.hint(),
            "write the reports to another folder: rooflinectl report " + file.string() + " --output DIR");
  const fs::path made = file.parent_path().parent_path().parent_path();
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all) << "others can look into it";
  fs::remove_all(made);
}

}  // namespace
}  // namespace rooflinectl::run_folder_test
