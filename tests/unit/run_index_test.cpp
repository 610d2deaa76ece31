// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_index.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "analysis/compare/history.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "reports/history/history_reports.h"
#include "tests/support/changed_runs.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::run_index_test {
namespace {

namespace fs = std::filesystem;
using changed::ladder_run;

constexpr std::size_t kRuns = RunIndex::kFewestNew;

class RunIndexTest : public testing::Test {
 protected:
  RunIndexTest() {
    for (std::size_t i = 0; i < kRuns; ++i) {
      auto run = ladder_run();
      run.started_utc = fmt::format("2026-12-01T10:{:02}:{:02}Z", i / 60, i % 60);
      for (Measurement& measurement : run.measurements) {
        changed::scale_time(measurement, i < kRuns / 2 ? 1 : 1.1);
        measurement.time->sm_clock_hz = 1.98e9;
      }
      make_folder(file(i).parent_path());
      write_run(file(i), run);
    }
  }

  fs::path file(std::size_t run) const { return folder_.path() / fmt::format("{:03}", run) / "run.json"; }
  fs::path index_file() const { return folder_.path() / RunIndex::kFileName; }

  std::vector<rooflinectl::Run> read_all(RunIndex& index) const {
    std::vector<rooflinectl::Run> runs;
    for (std::size_t i = 0; i < kRuns; ++i) runs.push_back(index.read(file(i)));
    return runs;
  }

  void make_index() const {
    RunIndex index(folder_.path(), "1");
    read_all(index);
    index.save();
  }

  /// Whether run 0 comes from the index: its file is destroyed, and looks as it did.
  bool knows_first(const std::string& version = "1") const {
    const auto changed = fs::last_write_time(file(0));
    const std::string text = read_file(file(0));
    write_file(file(0), std::string(text.size(), 'x'));
    fs::last_write_time(file(0), changed);
    RunIndex index(folder_.path(), version);
    bool is_known = true;
    try {
      EXPECT_EQ(index.read(file(0)).started_utc, "2026-12-01T10:00:00Z");
    } catch (const Error&) {
      is_known = false;
    }
    write_file(file(0), text);
    fs::last_write_time(file(0), changed);
    return is_known;
  }

  /// What `history` shows of these runs.
  static std::string history_of(std::vector<rooflinectl::Run> runs) {
    std::vector<AnalysedRun> analysed;
    for (auto& run : runs) analysed.emplace_back(run.started_utc, std::move(run));
    const ComparableRuns comparable = comparable_runs(std::move(analysed));
    return history_csv({history(comparable.runs), followed_quantities({"dram_read_bytes"}), {}});
  }

  TemporaryFolder folder_;
};

TEST_F(RunIndexTest, KnowsWhatComparisonsNeed) {
  make_index();
  EXPECT_TRUE(knows_first());
  RunIndex index(folder_.path(), "1");
  RunIndex none(folder_.path() / "elsewhere", "1");
  const auto known = read_all(index);
  EXPECT_EQ(history_of(known), history_of(read_all(none)));
  EXPECT_EQ(known[3].measurements.size(), ladder_run().measurements.size());
  EXPECT_EQ(known[3].devices, ladder_run().devices);
  EXPECT_TRUE(known[3].measurements[0].time->samples_s.empty());
  EXPECT_LT(fs::file_size(index_file()), kRuns * fs::file_size(file(0)));
}

TEST_F(RunIndexTest, ReadsChangedRunsAgain) {
  make_index();
  fs::last_write_time(file(0), fs::last_write_time(file(0)) + std::chrono::milliseconds(1));
  EXPECT_FALSE(knows_first());
  write_file(file(1), read_file(file(1)) + "\n");
  auto changed = ladder_run();
  changed.started_utc = "2026-12-02T10:00:00Z";
  write_run(file(2), changed);
  RunIndex index(folder_.path(), "1");
  EXPECT_EQ(index.read(file(1)).started_utc, "2026-12-01T10:00:01Z");
  EXPECT_EQ(index.read(file(2)).started_utc, "2026-12-02T10:00:00Z");
}

TEST_F(RunIndexTest, OfAnotherVersionIsNotUsed) {
  make_index();
  EXPECT_FALSE(knows_first("2"));
}

TEST_F(RunIndexTest, DamageCostsTimeAlone) {
  make_index();
  const std::string content = read_file(index_file());
  const std::string time = "2026-12-01T10:00:00Z";
  for (const std::size_t at : {std::size_t{3}, content.find("\"devices\""), content.find(time) + 3}) {
    std::string damaged = content;
    damaged[at] ^= 1;
    write_file(index_file(), damaged);
    EXPECT_FALSE(knows_first()) << at;
    RunIndex index(folder_.path(), "1");
    EXPECT_EQ(index.read(file(0)).started_utc, time) << at;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{50}, content.size() / 2}) {
    write_file(index_file(), content.substr(0, length));
    RunIndex index(folder_.path(), "1");
    EXPECT_EQ(read_all(index).size(), kRuns) << length;
  }
}

TEST_F(RunIndexTest, IsWrittenOnceManyRunsAreNew) {
  RunIndex few(folder_.path(), "1");
  for (std::size_t i = 1; i < kRuns; ++i) few.read(file(i));
  few.save();
  EXPECT_FALSE(fs::exists(index_file()));
  make_index();
  const auto written = fs::last_write_time(index_file());
  RunIndex index(folder_.path(), "1");
  read_all(index);
  index.save();
  EXPECT_EQ(fs::last_write_time(index_file()), written);
}

TEST_F(RunIndexTest, KeepsWhatItKnewAndForgetsRunsThatAreGone) {
  make_index();
  const std::string before = read_file(index_file());
  RunIndex index(folder_.path(), "1");
  index.read(file(0));
  for (std::size_t i = 1; i < kRuns; ++i) {
    fs::rename(file(i).parent_path(), folder_.path() / fmt::format("new-{}", i));
    index.read(folder_.path() / fmt::format("new-{}", i) / "run.json");
  }
  make_folder(folder_.path() / "one-more");
  write_run(folder_.path() / "one-more/run.json", ladder_run());
  index.read(folder_.path() / "one-more/run.json");
  index.save();
  EXPECT_TRUE(knows_first());
  const std::string after = read_file(index_file());
  EXPECT_EQ(after.find("\t001/run.json\t"), std::string::npos);
  EXPECT_NE(after.find("\tnew-1/run.json\t"), std::string::npos);
}

TEST_F(RunIndexTest, ManyThreadsAndWritersDoNotDisturbEachOther) {
  const auto use = [&] {
    RunIndex index(folder_.path(), "1");
    std::vector<std::jthread> readers;
    for (std::size_t first : {0U, 1U, 2U}) {
      readers.emplace_back([&, first] {
        for (std::size_t i = first; i < kRuns; i += 3) index.read(file(i));
      });
    }
    readers.clear();
    index.save();
  };
  {
    const std::jthread one(use);
    const std::jthread other(use);
  }
  use();
  EXPECT_TRUE(knows_first());
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
