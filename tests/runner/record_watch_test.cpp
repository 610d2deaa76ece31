// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "core/serial/program/program_files.h"
#include "runner/profiling/profile.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::record_watch_test {
namespace {

TEST(RecordWatch, FollowsTheFilesAsTheyGrow) {
  const TemporaryFolder folder;
  RecordWatch watch(folder.path());
  EXPECT_EQ(watch.update(), ProfileProgress{});

  std::ofstream file(folder.path() / "1.jsonl");
  const auto write = [&](const ProfileRecord& record) { file << encode(record) << '\n' << std::flush; };
  write(record::Process{});
  write(record::Group{});
  write(record::Launches{{{.group = 0}, {.group = 0}}});
  write(record::Launches{});
  write(record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 1});
  write(record::Counted{.group = 0, .pass = "memory", .ordinal = 1, .counters = {}});
  EXPECT_EQ(watch.update(),
            (ProfileProgress{.processes = 1, .launches = 2, .groups = 1, .counted = 1, .pass = "memory"}));

  const std::string line = encode(record::Launches{{{.group = 0}}});
  file << line.substr(0, 10) << std::flush;
  EXPECT_EQ(watch.update().launches, 2);
  file << line.substr(10) << '\n' << std::flush;
  write(record::PassBegun{.pass = "", .is_traced = true, .at_ns = 2});
  EXPECT_EQ(watch.update().launches, 3);
  EXPECT_EQ(watch.update().pass, "");
  EXPECT_EQ(watch.update().launches, 3);
}

}  // namespace
}  // namespace rooflinectl::record_watch_test
