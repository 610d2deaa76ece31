// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "tests/support/full_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::run_file_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class RunFile : public ::testing::Test {
 protected:
  std::string refusal_of(const std::filesystem::path& file) {
    try {
      read_run(file);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  const rooflinectl::Run run_ = constructed::full_run();
};

TEST_F(RunFile, IsCompressedWhereItsNameSaysSo) {
  write_run(folder_ / "run.json", run_);
  write_run(folder_ / "run.json.gz", run_);
  EXPECT_EQ(read_file(folder_ / "run.json"), run_to_json(run_));
  EXPECT_EQ(read_file(folder_ / "run.json.gz"), gzipped(run_to_json(run_)));
  EXPECT_EQ(read_run(folder_ / "run.json"), run_);
  EXPECT_EQ(read_run(folder_ / "run.json.gz"), run_);
}

TEST_F(RunFile, IsReadUnderAnyName) {
  write_file(folder_ / "kept.json", gzipped(run_to_json(run_)));
  write_file(folder_ / "kept.gz", run_to_json(run_));
  EXPECT_EQ(read_run(folder_ / "kept.json"), run_);
  EXPECT_EQ(read_run(folder_ / "kept.gz"), run_);
}

TEST_F(RunFile, OfAFolderIsThePlainOneIfThereAreBoth) {
  EXPECT_EQ(run_file(folder_), folder_ / "run.json");
  write_run(folder_ / "run.json.gz", run_);
  EXPECT_EQ(run_file(folder_), folder_ / "run.json.gz");
  write_run(folder_ / "run.json", run_);
  EXPECT_EQ(run_file(folder_), folder_ / "run.json");
  EXPECT_EQ(run_file(folder_ / "other.json"), folder_ / "other.json");
}

TEST_F(RunFile, IsReadAsItWasWritten) {
  auto run = run_;
  run.wall_s = 1.0 / 3;
  write_run(folder_ / "run.json", run);
  EXPECT_NE(as_written(run), run);
  EXPECT_EQ(as_written(run), read_run(folder_ / "run.json"));
}

TEST_F(RunFile, RefusalsNameIt) {
  const std::string text = run_to_json(run_);
  write_file(folder_ / "half.json.gz", gzipped(text.substr(0, text.size() / 2)));
  EXPECT_THAT(refusal_of(folder_ / "half.json.gz"), HasSubstr("half.json.gz: not valid JSON at byte"));
  write_file(folder_ / "cut.json.gz", gzipped(text).substr(0, 500));
  EXPECT_THAT(refusal_of(folder_ / "cut.json.gz"),
              EndsWith("cut.json.gz: ends before its compressed content does"));
}

}  // namespace
}  // namespace rooflinectl::run_file_test
