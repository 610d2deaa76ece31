// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/run_digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/compare/history.h"
#include "reports/history/history_reports.h"
#include "tests/support/changed_runs.h"
#include "tests/support/program_run.h"

namespace rooflinectl::run_digest_test {
namespace {

AnalysedRun analysed(rooflinectl::Run run) {
  return {run.started_utc, std::move(run)};
}

AnalysedRun digested(const AnalysedRun& run, const std::vector<std::string>& counters = {}) {
  const RunDigest digest = digest_of(run);
  auto read = DigestReader().read(run.name, digest.shared, digest.own, counters);
  EXPECT_TRUE(read.has_value());
  return std::move(read).value();
}

/// Runs that become slower, fail in between, and change their driver.
std::vector<AnalysedRun> runs_over_time(const rooflinectl::Run& first) {
  std::vector<AnalysedRun> runs;
  for (int day = 1; day < 8; ++day) {
    rooflinectl::Run run = first;
    run.started_utc = fmt::format("2026-12-{:02}T10:00:00Z", day);
    for (Measurement& measurement : run.measurements) {
      if (measurement.time) changed::scale_time(measurement, day < 5 ? 1 : 1.1);
      if (measurement.launches) measurement.launches->total_s *= day < 5 ? 1 : 1.1;
    }
    if (day == 3) {
      run.measurements.front().time.reset();
      run.measurements.front().status = Status::failed;
      run.measurements.front().cause = "out of \"memory\"\n";
    }
    if (day > 5) run.devices.front().driver_version = "590.1";
    runs.push_back(analysed(std::move(run)));
  }
  return runs;
}

std::vector<std::string> history_of(std::vector<AnalysedRun> runs) {
  const ComparableRuns comparable = comparable_runs(std::move(runs));
  const HistoryReport report = {history(comparable.runs), followed_quantities({"dram_read_bytes"}),
                                comparable.left_out};
  return {history_csv(report), history_json(report), history_text(report, 120)};
}

void expect_same_history(const rooflinectl::Run& first) {
  std::vector<AnalysedRun> digests;
  for (const AnalysedRun& run : runs_over_time(first)) digests.push_back(digested(run, {"dram_read_bytes"}));
  const auto expected = history_of(runs_over_time(first));
  const auto found = history_of(std::move(digests));
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i], expected[i]);
  EXPECT_NE(expected.front().find("slower"), std::string::npos);
}

TEST(RunDigest, GivesTheSameHistoryOfAPlan) {
  expect_same_history(changed::ladder_run());
}

TEST(RunDigest, GivesTheSameHistoryOfAProgram) {
  expect_same_history(constructed::program_run());
}

TEST(RunDigest, HasOnlyTheCountersThatAreFollowed) {
  const AnalysedRun run = analysed(changed::ladder_run());
  const auto point_of = [](const AnalysedRun& of) -> const Measurement& {
    return of.run.measurements.front();
  };
  EXPECT_TRUE(point_of(digested(run)).counters.empty());
  const AnalysedRun followed = digested(run, {"dram_read_bytes", "unknown"});
  ASSERT_EQ(point_of(followed).counters.size(), 1);
  EXPECT_EQ(
      value_of(point_of(followed).counters, "dram_read_bytes"),
      value_of(run.analysis.experiments.front().points.front().measurement->counters, "dram_read_bytes"));
}

TEST(RunDigest, OfAnotherRunOfTheSamePointsSharesItsText) {
  const auto runs = runs_over_time(changed::ladder_run());
  EXPECT_EQ(digest_of(runs[0]).shared, digest_of(runs[4]).shared);
  EXPECT_NE(digest_of(runs[0]).own, digest_of(runs[4]).own);
  EXPECT_EQ(digest_of(runs[0]).own.find('\n'), std::string::npos);
}

TEST(RunDigest, IsNotReadIfItIsDamaged) {
  const RunDigest digest = digest_of(analysed(changed::ladder_run()));
  DigestReader reader;
  EXPECT_TRUE(reader.read("run", digest.shared, digest.own));
  EXPECT_FALSE(reader.read("run", digest.shared.substr(1), digest.own));
  EXPECT_FALSE(reader.read("run", digest.shared, digest.own.substr(1)));
  EXPECT_FALSE(reader.read("run", digest.shared, digest.own.substr(0, 100)));
  EXPECT_FALSE(reader.read("run", digest.shared, ""));
}

}  // namespace
}  // namespace rooflinectl::run_digest_test
