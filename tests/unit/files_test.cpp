// SPDX-License-Identifier: Apache-2.0
#include "core/files/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>
#include <vector>

#include "core/error.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::files_test {
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
  std::filesystem::create_symlink("/dev/full", folder_ / "a");
  const Error full = error_of([&] { write_file(folder_ / "a", std::string(1 << 20, 'x')); });
  EXPECT_EQ(full.kind(), ErrorKind::environment);
  EXPECT_THAT(full.what(), HasSubstr("No space left"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "a"));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, FollowsALinkAndLeavesItThere) {
  write_file(folder_ / "target", "old");
  std::filesystem::create_symlink("target", folder_ / "link");
  std::filesystem::create_symlink("link", folder_ / "link to a link");
  std::filesystem::create_symlink("not there", folder_ / "to nothing");
  write_file(folder_ / "link to a link", "new");
  EXPECT_EQ(read_file(folder_ / "target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  write_file(folder_ / "to nothing", "made");
  EXPECT_EQ(read_file(folder_ / "not there"), "made");
  EXPECT_EQ(files_in_folder(), 5u);
}

TEST_F(Files, KeepsThePermissions) {
  write_file(folder_ / "a", "old");
  std::filesystem::permissions(folder_ / "a",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  write_file(folder_ / "a", "new");
  EXPECT_EQ(std::filesystem::status(folder_ / "a").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Files, WritesToADescriptorOfThisProcessAsItIs) {
  std::FILE* const file = std::fopen((folder_ / "a").c_str(), "w");
  std::fputs("said before, ", file);
  write_file("/dev/fd/" + std::to_string(fileno(file)), "written, ");
  std::fputs("said after", file);
  std::fclose(file);
  EXPECT_EQ(read_file(folder_ / "a"), "said before, written, said after");
}

TEST_F(Files, WaitsForTheReaderOfAFifo) {
  const std::filesystem::path fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string content(std::size_t{1} << 20, 'x');  // more than the pipe holds
  std::future<std::string> reader = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return read_file(fifo);
  });
  write_file(fifo, content);
  EXPECT_EQ(reader.get(), content);
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(Files, ManyWritersOfOneFileDoNotDisturbEachOther) {
  std::vector<std::future<void>> writers;
  for (int i = 0; i < 50; ++i) {
    writers.push_back(
        std::async(std::launch::async, [&] { write_file(folder_ / "a", std::string(100000, 'x')); }));
  }
  for (std::future<void>& writer : writers) EXPECT_NO_THROW(writer.get());
  EXPECT_EQ(read_file(folder_ / "a").size(), 100000U);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, AnInputIsNeverAnOutput) {
  write_file(folder_ / "input", "x");
  std::filesystem::create_symlink("input", folder_ / "link");
  std::filesystem::create_hard_link(folder_ / "input", folder_ / "hard link");
  for (const char* name : {"input", "link", "hard link", "./input"}) {
    EXPECT_EQ(error_of([&] {
                refuse_to_overwrite(folder_ / name, {folder_ / "other", folder_ / "input"});
              }).kind(),
              ErrorKind::usage);
  }
  EXPECT_NO_THROW(refuse_to_overwrite(folder_ / "not there", {folder_ / "input"}));
  EXPECT_TRUE(is_same_file(folder_ / "not there", folder_ / "./not there"));
  EXPECT_TRUE(is_same_file("not there", "./not there"));
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
}

TEST_F(Files, WhatIsTooLargeIsRefusedBeforeItIsRead) {
  write_file(folder_ / "large", std::string(3 << 20, 'x'));
  EXPECT_EQ(read_file(folder_ / "large").size(), 3U << 20);
  const Error error = error_of([&] { read_file(folder_ / "large", 2 << 20); });
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.what(), HasSubstr("larger than 2 MiB"));
}

TEST_F(Files, AFileWithoutEndIsRefused) {
  EXPECT_THAT(error_of([&] { read_file("/dev/zero", 1 << 20); }).what(),
              HasSubstr("/dev/zero: larger than 1 MiB"));
}

}  // namespace
}  // namespace rooflinectl::files_test
