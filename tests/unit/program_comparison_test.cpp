// SPDX-License-Identifier: Apache-2.0
// Two runs of a profiled program side by side, and what the gate makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "reports/compare/comparison_reports.h"
#include "reports/compare/comparison_table.h"
#include "reports/compare/gate_reports.h"
#include "reports/formats/explanation_text.h"
#include "tests/support/program_run.h"

namespace rooflinectl::program_comparison_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Measurement& group(Run& run, std::string_view kernel) {
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.subject == kernel) return measurement;
  }
  throw std::logic_error("no such kernel");
}

void scale_time(Measurement& measurement, double factor) {
  for (double* time_s : {&measurement.time->median_s, &measurement.time->ci_low_s,
                         &measurement.time->ci_high_s, &measurement.launches->total_s}) {
    *time_s *= factor;
  }
}

void set_process(Run& run, int process) {
  for (Measurement& measurement : run.measurements) measurement.process = process;
  run.application->processes = {{.id = process}};
}

/// Its parts point into each other.
struct Compared {
  Compared(Run before, Run after) {
    bases.emplace_back("before", std::move(before));
    now.emplace("after", std::move(after));
    comparison = compare(bases, *now);
  }

  const PointComparison* find(const std::string& label) const {
    for (const PointComparison& point : comparison.points) {
      if (point.label == label) return &point;
    }
    return nullptr;
  }

  std::vector<AnalysedRun> bases;
  std::optional<AnalysedRun> now;
  RunComparison comparison;
};

TEST(ProgramComparison, MatchesGroupsThoughProcessesHaveOtherIds) {
  auto after = constructed::program_run();
  set_process(after, 90210);
  const Compared compared(constructed::program_run(), std::move(after));
  EXPECT_EQ(compared.comparison.count(PointChange::same), compared.comparison.points.size());
}

TEST(ProgramComparison, KeepsTheProcessesOfOneProgramApart) {
  auto before = constructed::program_run();
  before.measurements = {before.measurements[0], before.measurements[0]};
  before.measurements[1].process = 4712;
  before.application->processes = {{.id = 4711}, {.id = 4712}};
  auto after = before;
  after.measurements[0].process = 1;
  after.measurements[1].process = 2;
  after.application->processes = {{.id = 1}, {.id = 2}};
  scale_time(after.measurements[1], 1.5);
  const Compared compared(std::move(before), std::move(after));
  ASSERT_EQ(compared.comparison.points.size(), 2U);
  EXPECT_EQ(compared.comparison.points[0].change, PointChange::slower);
  EXPECT_THAT(compared.comparison.points[0].label, HasSubstr("process 2"));
  EXPECT_EQ(compared.comparison.points[1].change, PointChange::same);
}

TEST(ProgramComparison, ShowsFirstWhatChangedTheProgramMost) {
  auto after = constructed::program_run();
  scale_time(group(after, constructed::kAddName), 3);     // 640 times 4.1 µs: 5.2 ms more
  scale_time(group(after, constructed::kAdamName), 1.5);  // 20 times 1.1 ms: 11 ms more
  const Compared compared(constructed::program_run(), std::move(after));
  EXPECT_THAT(compared.comparison.points[0].label, HasSubstr("FusedAdam"));
  EXPECT_THAT(compared.comparison.points[1].label, HasSubstr("elementwise<add"));
}

TEST(ProgramComparison, HasTheTotalAndWhatOnlyOneRunLaunches) {
  auto after = constructed::program_run();
  after.measurements.erase(after.measurements.begin() + 7);  // the additions: 644 launches of 4.1 µs
  Measurement fused = after.measurements[6];
  fused.point.subject = "fused(float*)";
  after.measurements.push_back(fused);
  const Compared compared(constructed::program_run(), std::move(after));
  EXPECT_EQ(compared.find("elementwise<add, bf16>")->change, PointChange::missing);
  EXPECT_EQ(compared.find("fused")->change, PointChange::added);
  ASSERT_EQ(compared.comparison.programs.size(), 1U);
  const ProgramComparison& program = compared.comparison.programs[0];
  const TimeChange& time = *program.whole.time;
  EXPECT_NEAR(time.to.median_s - time.from.median_s, 324 * 31e-6 - 644 * 4.1e-6, 1e-9);
  EXPECT_EQ(program.launches_now, program.launches_before + 324 - 644);
  EXPECT_EQ(program.whole.change, PointChange::slower);
  const std::string text = comparison_text(compared.comparison, 100);
  EXPECT_THAT(text, HasSubstr("GPU time of all kernels of train.py"));
  EXPECT_THAT(text, HasSubstr("1 added"));
  // What is the same is counted and not listed.
  EXPECT_THAT(text, Not(HasSubstr("flash_fwd")));
}

TEST(ProgramComparison, TellsGroupsOfOneNameApart) {
  auto before = constructed::program_run();
  before.measurements = {before.measurements[2]};
  auto after = before;
  after.measurements[0].point.axes.set("grid", std::uint64_t{64});
  const Compared compared(std::move(before), std::move(after));
  ASSERT_EQ(compared.comparison.points.size(), 2U);
  EXPECT_NE(compared.comparison.points[0].label, compared.comparison.points[1].label);
  EXPECT_NE(
      compared.find("flash_fwd<bf16, hdim 64, causal> grid 64 block 128 shared 81920 in step/forward/block"),
      nullptr);
}

TEST(ProgramGate, PassesTheSameProgramAndNamesNothingDeclared) {
  const Compared compared(constructed::program_run(), constructed::program_run());
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 0) << gate_text(result, 100);
}

TEST(ProgramGate, DoesNotFailOnAKernelThatIsGoneIfTheTotalDoesNot) {
  auto after = constructed::program_run();
  after.measurements.erase(after.measurements.begin() + 7);
  const Compared compared(constructed::program_run(), std::move(after));
  EXPECT_EQ(gate(compared.comparison, {}).exit_code(), 0);
}

TEST(ProgramGate, FailsOnTheTotal) {
  auto after = constructed::program_run();
  Measurement more = after.measurements[10];
  more.point.subject = "extra(float*)";
  after.measurements.push_back(more);
  const Compared compared(constructed::program_run(), std::move(after));
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(gate_text(result, 100), HasSubstr("all kernels of train.py"));
}

TEST(ProgramGate, FailsOnAGroupThatIsSlower) {
  auto after = constructed::program_run();
  scale_time(group(after, constructed::kCopyName), 1.2);
  const Compared compared(constructed::program_run(), std::move(after));
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(gate_junit(result), HasSubstr("failure"));
}

TEST(ProgramGate, LeavesSmallGroupsToTheTotal) {
  auto after = constructed::program_run();
  scale_time(group(after, constructed::kEmbeddingName), 1.5);  // 0.3 % of the time
  const Compared compared(constructed::program_run(), std::move(after));
  EXPECT_EQ(gate(compared.comparison, {}).exit_code(), 0);
}

// How much of what L2 holds comes from DRAM is chance. For the additions 3 MB do, and L2 is asked for 25: 2 %
// of these may.
TEST(ProgramGate, JudgesDramBytesByWhatIsAskedOfL2) {
  const auto gated = [](std::string_view kernel, double more) {
    auto after = constructed::program_run();
    Counters& counters = group(after, kernel).counters;
    const double read = *value_of(counters, counter::kDramReadBytes) + more;
    counters.insert_or_assign(std::string(counter::kDramReadBytes), CounterValue::measured(read));
    const Compared compared(constructed::program_run(), std::move(after));
    return gate(compared.comparison, {}).exit_code();
  };
  EXPECT_EQ(gated(constructed::kAddName, 0.4e6), 0);
  EXPECT_EQ(gated(constructed::kAddName, 1e6), 4);
  EXPECT_EQ(gated(constructed::kCopyName, 20e6), 4);
}

TEST(ProgramExplanation, ExplainsWhatCouldSaveMostAndAsksNothingOfDeclaredWork) {
  auto run = constructed::program_run();
  const Analysis analysis = analyse(run);
  const std::string text = terminal_explanation(run, analysis, {}, 80);
  EXPECT_THAT(text,
              HasSubstr("multi_tensor_apply<FusedAdam, f32>: 29.6 % of GPU time, DRAM-bound, 71.4 % of"));
  EXPECT_THAT(text, HasSubstr("The 10 kernels that could save most; 3 more"));
  EXPECT_THAT(text, Not(HasSubstr("useful")));
  EXPECT_THAT(text, Not(HasSubstr("redundan")));
  EXPECT_THAT(text, Not(HasSubstr("declare")));
  const std::string one = terminal_explanation(run, analysis, {.point = "reduce<NormTwo, f32>"}, 80);
  EXPECT_THAT(one, HasSubstr("no roof: DRAM bytes not counted: launched once"));
}

}  // namespace
}  // namespace rooflinectl::program_comparison_test
