// SPDX-License-Identifier: Apache-2.0
// The self-test in the terminal and in summary.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "core/counters/counters.h"
#include "reports/formats/formats.h"
#include "reports/tables/tables.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::self_test_table_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Agreement operations(double counted) {
  return {.subject = "f32_add",
          .quantity = "fadd",
          .unit = ComparedUnit::instructions,
          .ours = CounterValue::measured(counted),
          .reference = CounterValue::measured(8650752)};
}

Agreement written(double counted) {
  return {.subject = "dram_write",
          .quantity = "dram_write_bytes",
          .unit = ComparedUnit::bytes,
          .ours = CounterValue::measured(counted),
          .reference = CounterValue::measured(1e9),
          .tolerance = 7e7,
          .is_relative = false};
}

Agreement efficiency(double counted) {
  return {.subject = "half_masked_branch",
          .quantity = "warp_execution_efficiency",
          .unit = ComparedUnit::ratio,
          .ours = CounterValue::measured(counted),
          .reference = CounterValue::measured(0.5),
          .tolerance = 0.002,
          .is_relative = false};
}

Agreement unavailable() {
  Agreement agreement = operations(0);
  agreement.subject = "bf16_add";
  agreement.ours = CounterValue::unavailable("its instructions need compute capability 9.0");
  return agreement;
}

SelfTest self_test(std::vector<Agreement> agreements) {
  return {.wall_s = 1.5, .agreements = std::move(agreements)};
}

std::vector<std::string> row(const Agreement& agreement) {
  return self_test_table({.agreements = {agreement}}).rows.front();
}

TEST(SelfTestTable, ShowsEverySingleOperation) {
  EXPECT_THAT(row(operations(8650753)),
              ElementsAre("f32_add", "fadd", "8650752", "8650753", "exact", "differs"));
  EXPECT_THAT(row(written(1.05e9)), ElementsAre("dram_write", "dram_write_bytes", "1000000000 B",
                                                "1050000000 B", "±70000000 B", "agrees"));
  EXPECT_THAT(row(efficiency(0.5011)), ElementsAre("half_masked_branch", "warp_execution_efficiency",
                                                   "0.5000", "0.5011", "±0.002000", "agrees"));
  EXPECT_THAT(row(unavailable()), ElementsAre("bf16_add", "fadd", "8650752",
                                              "unavailable: its instructions need compute capability 9.0",
                                              "exact", "unavailable"));
}

TEST(SelfTestTable, TheVerdictCountsWhatWasCompared) {
  EXPECT_EQ(self_test_verdict(self_test({operations(8650752), written(1e9), unavailable()})),
            "2 of 2 numbers agree with known work, 1 unavailable");
  EXPECT_EQ(self_test_verdict(self_test({operations(1)})), "0 of 1 number agree with known work");
  EXPECT_EQ(self_test_verdict({.reason = "no counters: reserved"}),
            "nothing was tested: no counters: reserved");
}

TEST(SelfTestTable, AFindingNamesWhatItMakesSuspect) {
  EXPECT_THAT(self_test_findings(self_test({operations(8650752), unavailable()})), IsEmpty());
  EXPECT_THAT(
      self_test_findings(self_test({operations(8650752), written(5e8), efficiency(1)})),
      ElementsAre(
          "self-test dram_write: dram_write_bytes is 500000000 B, but should be 1000000000 B; suspect: "
          "DRAM bytes, executed intensities, bounds and busiest levels",
          "self-test half_masked_branch: warp_execution_efficiency is 1.000, but should be "
          "0.5000; suspect: warp execution efficiencies"));
}

TEST(SelfTestTable, EveryQuantityHasItsOwnFigures) {
  using namespace counter;
  for (const std::string_view key :
       {kFadd, kFfma2, kDfma, kHmul, kIntegerOps, kDramReadBytes, kL2Bytes, kL1Bytes, kSharedBytes,
        kSharedLoadWavefronts, kGlobalLoadSectorEfficiency, kWarpNonpredExecutionEfficiency}) {
    EXPECT_NE(shown_figures(key), "all counters") << key;
  }
  EXPECT_EQ(shown_figures(kWarpInstructions), "all counters");
}

TEST(SelfTestTable, OfARunThatPassedIsALineInTheTerminalAndATableInTheSummary) {
  auto run = constructed::run();
  EXPECT_THAT(terminal_summary(ReportModel(run), 120), Not(HasSubstr("elf-test")));
  EXPECT_THAT(summary_md(ReportModel(run)), Not(HasSubstr("elf-test")));
  run.self_test = self_test({operations(8650752)});
  EXPECT_THAT(terminal_summary(ReportModel(run), 120),
              HasSubstr("\nself-test: 1 of 1 number agree with known work\n"));
  const std::string summary = summary_md(ReportModel(run));
  EXPECT_THAT(summary, HasSubstr("## Self-test"));
  EXPECT_THAT(summary, Not(HasSubstr("suspect")));
}

TEST(SelfTestTable, ADifferenceStandsBeforeTheNumbersThatItMakesSuspect) {
  auto run = constructed::run();
  run.self_test = self_test({operations(8650751)});
  const std::string summary = summary_md(ReportModel(run));
  const std::size_t finding = summary.find("suspect: executed FP32 operations");
  ASSERT_NE(finding, std::string::npos);
  EXPECT_LT(finding, summary.find("\n## "));
  EXPECT_THAT(terminal_summary(ReportModel(run), 200),
              HasSubstr("fadd is 8650751, but should be 8650752; suspect: executed"));
  EXPECT_THAT(terminal_summary(ReportModel(run), 200), HasSubstr("fadd is 8650751"));
  EXPECT_THAT(terminal_self_test(*run.self_test, 200),
              AllOf(HasSubstr("known work"), HasSubstr("differs"), HasSubstr(kSuspectCounters)));
}

}  // namespace
}  // namespace rooflinectl::self_test_table_test
