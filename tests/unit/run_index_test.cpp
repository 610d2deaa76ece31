// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::run_index_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRuns = RunIndex::kFewestNew;

/// Files of any content stand for the runs: the index does not read them.
class RunIndexTest : public testing::Test {
 protected:
  RunIndexTest() {
    for (std::size_t i = 0; i < kRuns; ++i) {
      make_folder(file(i).parent_path());
      write_file(file(i), fmt::format("run {}", i));
    }
  }

  fs::path file(std::size_t run) const { return folder_.path() / fmt::format("{:03}", run) / "run.json"; }
  fs::path index_file() const { return folder_.path() / RunIndex::kFileName; }
  static std::string shared_text(std::size_t run) { return fmt::format("shared {}", run % 2); }
  static std::string own_text(std::size_t run) { return fmt::format("own\ttext {}", run); }

  /// As whoever uses it: looks for the run, and adds it if it is not known. Whether it was known.
  bool use(RunIndex& index, std::size_t run) const { return use(index, file(run), run); }
  static bool use(RunIndex& index, const fs::path& file, std::size_t run) {
    const auto state = RunIndex::state_of(file).value();
    if (const auto known = index.find(file, state)) {
      EXPECT_EQ(known->shared, shared_text(run));
      EXPECT_EQ(known->own, own_text(run));
      return true;
    }
    index.add(file, state, {shared_text(run), own_text(run)});
    return false;
  }

  void make_index() const {
    RunIndex index(folder_.path(), "1");
    for (std::size_t i = 0; i < kRuns; ++i) use(index, i);
    index.save();
  }

  /// How many of the runs are known.
  std::size_t known_runs(const std::string& version = "1") const {
    RunIndex index(folder_.path(), version);
    std::size_t known = 0;
    for (std::size_t i = 0; i < kRuns; ++i) known += use(index, i) ? 1 : 0;
    return known;
  }

  TemporaryFolder folder_;
};

TEST_F(RunIndexTest, KnowsWhatWasAdded) {
  EXPECT_EQ(known_runs(), 0);
  make_index();
  EXPECT_EQ(known_runs(), kRuns);
  const std::string content = read_file(index_file());
  EXPECT_EQ(content.find("shared 1"), content.rfind("shared 1")) << "once, however many runs have it";
}

TEST_F(RunIndexTest, DoesNotKnowChangedRuns) {
  make_index();
  fs::last_write_time(file(0), fs::last_write_time(file(0)) + std::chrono::milliseconds(1));
  write_file(file(1), read_file(file(1)) + "\n");
  EXPECT_EQ(known_runs(), kRuns - 2);
}

TEST_F(RunIndexTest, OfAnotherVersionIsNotUsed) {
  make_index();
  EXPECT_EQ(known_runs("2"), 0);
}

TEST_F(RunIndexTest, DamageCostsTheRunsThatItHit) {
  make_index();
  const std::string content = read_file(index_file());
  const auto known_after_damage_at = [&](std::size_t at) {
    std::string damaged = content;
    damaged.at(at) ^= 1;
    write_file(index_file(), damaged);
    return known_runs();
  };
  EXPECT_EQ(known_after_damage_at(3), 0);
  EXPECT_EQ(known_after_damage_at(content.find("shared 1") + 3), kRuns / 2);
  EXPECT_EQ(known_after_damage_at(content.find("text 42") + 3), kRuns - 1);
  for (const std::size_t length : {std::size_t{0}, std::size_t{50}, content.size() / 2}) {
    write_file(index_file(), content.substr(0, length));
    EXPECT_LT(known_runs(), kRuns) << length;
  }
}

TEST_F(RunIndexTest, IsWrittenOnceManyRunsAreNew) {
  RunIndex few(folder_.path(), "1");
  for (std::size_t i = 1; i < kRuns; ++i) use(few, i);
  few.save();
  EXPECT_FALSE(fs::exists(index_file()));
  make_index();
  const auto written = fs::last_write_time(index_file());
  make_index();
  EXPECT_EQ(fs::last_write_time(index_file()), written);
}

TEST_F(RunIndexTest, KeepsWhatItKnewAndForgetsRunsThatAreGone) {
  make_index();
  RunIndex index(folder_.path(), "1");
  EXPECT_TRUE(use(index, 0));
  for (std::size_t i = 1; i <= kRuns; ++i) {
    const fs::path moved = folder_.path() / fmt::format("new-{}", i) / "run.json";
    make_folder(moved.parent_path());
    write_file(moved, "moved");
    EXPECT_FALSE(use(index, moved, i));
  }
  index.save();
  EXPECT_EQ(known_runs(), 1);
  const std::string after = read_file(index_file());
  EXPECT_EQ(after.find("\t001/run.json\t"), std::string::npos);
  EXPECT_NE(after.find("\tnew-1/run.json\t"), std::string::npos);
}

TEST_F(RunIndexTest, ManyThreadsAndWritersDoNotDisturbEachOther) {
  const auto use_all = [&] {
    RunIndex index(folder_.path(), "1");
    std::vector<std::jthread> readers;
    for (std::size_t first : {0U, 1U, 2U}) {
      readers.emplace_back([&, first] {
        for (std::size_t i = first; i < kRuns; i += 3) use(index, i);
      });
    }
    readers.clear();
    index.save();
  };
  {
    const std::jthread one(use_all);
    const std::jthread other(use_all);
  }
  EXPECT_EQ(known_runs(), kRuns);
}

TEST_F(RunIndexTest, CoversRunsBelowItsFolder) {
  const RunIndex index(folder_.path(), "1");
  EXPECT_TRUE(index.covers(file(0)));
  EXPECT_FALSE(index.covers(folder_.path() / "run.json"));
  EXPECT_FALSE(index.covers(folder_.path().parent_path() / "other/run.json"));
  EXPECT_FALSE(index.covers("relative/run.json"));
}

}  // namespace
}  // namespace rooflinectl::run_index_test
