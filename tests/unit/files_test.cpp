// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl {
namespace {

using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

/// The error that `write_file` or `read_file` throws.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::usage, ""};
}

TEST_F(Files, ReadsWhatWasWritten) {
  const std::string content = std::string("line\r\n\0 end", 11) + "\xff";
  write_file(folder_ / "a.json", content);
  EXPECT_EQ(read_file(folder_ / "a.json"), content);
}

TEST_F(Files, ReadsAnEmptyFile) {
  write_file(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
}

TEST_F(Files, ReplacesTheWholeContentAndLeavesNothingElseBehind) {
  write_file(folder_ / "a", "a long first content");
  write_file(folder_ / "a", "short");
  EXPECT_EQ(read_file(folder_ / "a"), "short");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, AReaderSeesTheOldContentUntilTheNewOneIsComplete) {
  write_file(folder_ / "a", "old");
  std::ifstream reader(folder_ / "a");
  write_file(folder_ / "a", "new");
  const std::string seen(std::istreambuf_iterator<char>(reader), {});
  EXPECT_EQ(seen, "old");
  EXPECT_EQ(read_file(folder_ / "a"), "new");
}

TEST_F(Files, NamesAFileThatCannotBeRead) {
  const Error missing = error_of([&] { read_file(folder_ / "missing.json"); });
  EXPECT_EQ(missing.kind(), ErrorKind::usage);
  EXPECT_THAT(missing.what(), HasSubstr((folder_ / "missing.json").string()));
  EXPECT_THAT(missing.what(), HasSubstr("No such file"));

  const Error folder = error_of([&] { read_file(folder_); });
  EXPECT_THAT(folder.what(), HasSubstr("folder"));
}

TEST_F(Files, NamesAFileThatCannotBeWritten) {
  const Error missing_folder = error_of([&] { write_file(folder_ / "missing" / "a", "x"); });
  EXPECT_EQ(missing_folder.kind(), ErrorKind::environment);
  EXPECT_THAT(missing_folder.what(), HasSubstr((folder_ / "missing" / "a").string()));
  EXPECT_THAT(missing_folder.what(), HasSubstr("No such file"));
  EXPECT_FALSE(missing_folder.hint().empty());

  write_file(folder_ / "file", "x");
  const Error not_a_folder = error_of([&] { write_file(folder_ / "file" / "a", "x"); });
  EXPECT_THAT(not_a_folder.what(), HasSubstr("Not a directory"));
}

TEST_F(Files, KeepsTheOldContentAndCleansUpWhenAWriteFails) {
  std::filesystem::create_directories(folder_ / "target" / "inside");
  EXPECT_THROW(write_file(folder_ / "target", "x"), Error);
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "target" / "inside"));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  std::filesystem::create_symlink("/dev/full", folder_ / "a.part");
  const Error full = error_of([&] { write_file(folder_ / "a", std::string(1 << 20, 'x')); });
  EXPECT_EQ(full.kind(), ErrorKind::environment);
  EXPECT_THAT(full.what(), HasSubstr("No space left"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(Files, WhatIsTooLargeIsRefusedBeforeItIsRead) {
  write_file(folder_ / "large", std::string(3 << 20, 'x'));
  EXPECT_EQ(read_file(folder_ / "large").size(), 3U << 20);
  const Error error = error_of([&] { read_file(folder_ / "large", 2 << 20); });
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.what(), HasSubstr("is larger than 2 MiB"));
}

TEST_F(Files, AFileWithoutEndIsRefused) {
  EXPECT_THAT(error_of([&] { read_file("/dev/zero", 1 << 20); }).what(),
              HasSubstr("/dev/zero: is larger than 1 MiB"));
}

}  // namespace
}  // namespace rooflinectl
