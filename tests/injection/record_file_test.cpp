// SPDX-License-Identifier: Apache-2.0
#include "injection/record_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>
#include <vector>

#include "core/serial/program/program_files.h"

namespace rooflinectl::injection::record_file_test {
namespace {

namespace fs = std::filesystem;

class RecordFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("records." + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ / "1.jsonl"; }
  std::string content() const {
    std::ifstream stream(path());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t record_count() const {
    std::ifstream stream(path());
    std::size_t count = 0;
    visit_profile(stream, "1.jsonl", [&](const ProfileRecord&) { ++count; });
    return count;
  }

  fs::path folder_;
};

TEST_F(RecordFileTest, HoldsWhatWasFlushed) {
  RecordFile file(path());
  file.add(record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 1});
  EXPECT_EQ(content(), "") << "a line costs no call of the system";
  file.flush();
  file.add(record::End{});
  file.flush();
  EXPECT_EQ(record_count(), 2u);
  EXPECT_EQ(file.lost_records(), 0u);
}

TEST_F(RecordFileTest, IsForItsUserAlone) {
  umask(0);
  const RecordFile file(path());
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(RecordFileTest, LeavesAloneWhatIsThere) {
  std::ofstream(folder_ / "precious") << "precious";
  fs::create_symlink(folder_ / "precious", path());
  RecordFile file(path());
  file.add(record::End{});
  file.flush();
  EXPECT_EQ(content(), "precious");
  EXPECT_EQ(file.lost_records(), 1u);
}

TEST_F(RecordFileTest, LosesRecordsWhenTooMuchHasGathered) {
  RecordFile file(path(), RecordFile::kMostFileBytes, 64'000);
  const record::Problem large = {.group = std::nullopt, .cause = std::string(1000, 'x'), .hint = ""};
  for (int i = 0; i < 100; ++i) file.add(large);
  EXPECT_GT(file.lost_records(), 30u);
  EXPECT_EQ(content(), "") << "whoever adds a record waits for no disk";
  file.flush();
  const std::string expected = encode(large);
  std::ifstream stream(path());
  std::uint64_t written = 0;
  for (std::string line; std::getline(stream, line); ++written)
    ASSERT_EQ(line, expected) << "line " << written;
  EXPECT_EQ(fs::file_size(path()), written * (expected.size() + 1));
  EXPECT_EQ(written + file.lost_records(), 100u);
}

TEST_F(RecordFileTest, LeavesOutLaunchesOfALongProgram) {
  RecordFile file(path(), 1000);
  for (int i = 0; i < 50; ++i) file.add(record::Launches{{{.group = 0}, {.group = 0}}});
  file.add(record::End{.at_ns = 5});
  file.flush();
  EXPECT_LT(content().size(), 1500u);
  EXPECT_THAT(content(), testing::HasSubstr("launches, copies and samples that came later are left out"));
  EXPECT_THAT(content(), testing::HasSubstr("\"end\""));
  EXPECT_GT(file.left_out_launches(), 20u);
}

TEST_F(RecordFileTest, KeepsNoDescriptor) {
  RecordFile file(path());
  file.add(record::End{});
  file.flush();
  const int next = open("/dev/null", O_RDONLY);
  close(next);
  file.add(record::End{});
  file.flush();
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  EXPECT_EQ(next, after);
}

TEST_F(RecordFileTest, LosesWholeRecordsWhereTheDiskIsFull) {
  RecordFile file(path());
  file.add(record::End{});
  file.flush();
  const std::size_t size = content().size();

  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limited = before;
  limited.rlim_cur = size + 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  file.add(record::End{});
  file.add(record::End{});
  file.flush();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(content().size(), size);
  EXPECT_EQ(file.lost_records(), 2u);

  file.add(record::End{.at_ns = 5});  // there is room again
  file.flush();
  EXPECT_EQ(record_count(), 2u);
}

TEST_F(RecordFileTest, TakesRecordsWhileTheDiskIsStuck) {
  RecordFile file(path());
  fs::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), S_IRUSR | S_IWUSR), 0);
  file.add(record::End{});
  auto flushed = std::async(std::launch::async, [&] { file.flush(); });  // until somebody reads
  auto added = std::async(std::launch::async, [&] {
    for (int i = 0; i < 30; ++i) {
      file.add(record::End{});
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  EXPECT_EQ(added.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_EQ(flushed.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  const int reader = open(path().c_str(), O_RDONLY | O_NONBLOCK);
  flushed.get();
  added.get();
  close(reader);
}

TEST_F(RecordFileTest, TakesRecordsOfManyThreads) {
  RecordFile file(path());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 1000; ++repeat) {
        file.add(record::End{.at_ns = 7});
        if (repeat % 100 == 0) file.flush();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  file.flush();
  EXPECT_EQ(record_count(), 8000u);
}

}  // namespace
}  // namespace rooflinectl::injection::record_file_test
