// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

#include "core/files/files.h"
#include "runner/machine/machine.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::counter_users_test {
namespace {

namespace fs = std::filesystem;

/// A process file system with a shell, which started this process.
class Processes {
 public:
  static constexpr int kShell = 10;
  static constexpr int kSelf = 20;

  Processes() {
    add(1, 0, "init", "init");
    add(kShell, 1, "bash", "bash");
    add(kSelf, kShell, "rooflinectl", "rooflinectl|profile|--|app");
    fs::create_directories(folder_.path() / "sys");
  }

  /// `command`: arguments with `|` between them.
  void add(int id, int parent, std::string_view name, std::string command) const {
    for (char& character : command) character = character == '|' ? '\0' : character;
    const fs::path process = folder_.path() / std::to_string(id);
    fs::create_directories(process);
    write_file(process / "comm", fmt::format("{}\n", name));
    write_file(process / "stat", fmt::format("{} ({}) S {} 1 1 0 -1", id, name, parent));
    write_file(process / "cmdline", command + '\0');
  }

  std::optional<Check> check() const { return counter_users_check(folder_.path(), kSelf); }

 private:
  TemporaryFolder folder_;
};

TEST(CounterUsers, NobodyIsNoWarning) {
  EXPECT_FALSE(Processes().check());
  EXPECT_FALSE(counter_users_check("/no such folder", 1));
}

TEST(CounterUsers, DcgmIsPaused) {
  const Processes processes;
  processes.add(42, 1, "nv-hostengine", "nv-hostengine|-n");
  const auto check = processes.check();
  ASSERT_TRUE(check);
  EXPECT_EQ(check->subject, "counter users");
  EXPECT_EQ(check->status, CheckStatus::warning);
  EXPECT_FALSE(check->stops_measuring);
  EXPECT_EQ(check->detail, "nv-hostengine (process 42) may be using the counters");
  EXPECT_EQ(check->fix, "if counting fails: dcgmi profile --pause, and --resume afterwards");
}

TEST(CounterUsers, OtherProfilersAreNamedWithWhatEndsThem) {
  const Processes processes;
  processes.add(42, 1, "nv-hostengine", "nv-hostengine");
  processes.add(43, 1, "ncu", "ncu|app");
  processes.add(44, 43, "app (ncu) S 1", "app");
  processes.add(45, 1, "rooflinectl", "/opt/bin/rooflinectl|watch|--export");
  processes.add(46, 45, "rooflinectl-col", "rooflinectl-collector|--watch");
  processes.add(47, 1, "rooflinectl", "rooflinectl|report|runs/app");
  const auto check = processes.check();
  ASSERT_TRUE(check);
  EXPECT_EQ(
      check->detail,
      "nv-hostengine (process 42), ncu (process 43) and rooflinectl watch (process 45) may be using the "
      "counters");
  EXPECT_EQ(
      check->fix,
      "if counting fails: dcgmi profile --pause, and --resume afterwards; wait for the other profiler, or "
      "end it: kill 43 45");
}

TEST(CounterUsers, OwnProcessesAreNotMeant) {
  const Processes processes;
  processes.add(Processes::kShell, 1, "ncu", "ncu|rooflinectl");  // what started this process
  processes.add(21, Processes::kSelf, "rooflinectl-col", "rooflinectl-collector");  // what it started
  processes.add(22, 21, "nsys", "nsys");
  processes.add(23, 1, "rooflinectl", "rooflinectl|profile|--|app");  // another rank
  EXPECT_FALSE(processes.check());
}

TEST(CounterUsers, ProcessesThatNobodyMayLookIntoAreLeftOut) {
  const Processes processes;
  processes.add(42, 42, "ncu", "ncu");  // its own parent: no endless search
  ASSERT_TRUE(processes.check());
  const TemporaryFolder hidden;
  fs::create_directories(hidden.path() / "43");
  EXPECT_FALSE(counter_users_check(hidden.path(), 1));
}

}  // namespace
}  // namespace rooflinectl::counter_users_test
