// SPDX-License-Identifier: Apache-2.0
// Two runs of a profiled program side by side, and what the gate makes of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "core/text/printable.h"
#include "reports/compare/comparison_reports.h"
#include "reports/formats/formats.h"
#include "tests/support/program_run.h"

namespace rooflinectl::program_comparison_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

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
  for (double& sample_s : measurement.time->samples_s) sample_s *= factor;
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
  EXPECT_EQ(compared.comparison.count(PointChange::same), compared.comparison.points.size() - 1);
  EXPECT_EQ(compared.find("elementwise<add, bf16>")->change, PointChange::unclear)
      << "a tick of the timer is 0.8 % of 4.1 µs";
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

TEST(ProgramComparison, OfUnrelatedProgramsIsASentence) {
  auto after = constructed::program_run();
  for (Measurement& measurement : after.measurements) measurement.point.subject.insert(0, "other_");
  const std::size_t groups = after.measurements.size();
  const Compared compared(constructed::program_run(), std::move(after));
  const std::string text = comparison_text(compared.comparison, 80);
  EXPECT_THAT(text,
              HasSubstr(fmt::format("\n\nThe runs have no points in common; {0} only in the base, {0} only "
                                    "in the new run.\n",
                                    groups)));
  EXPECT_THAT(text, Not(HasSubstr("GPU time of")));
  EXPECT_THAT(text, Not(HasSubstr("missing")));
}

TEST(ProgramComparison, FitsATerminalOf80Columns) {
  auto after = constructed::program_run();
  for (Measurement& measurement : after.measurements) measurement.time->median_s *= 1.5;
  const Compared compared(constructed::program_run(), std::move(after));
  std::istringstream lines(comparison_text(compared.comparison, 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(count_characters(line), 80U) << line;
}

TEST(ProgramComparison, SaysWhatItComparesIn80ColumnsInAPipeToo) {
  const Compared compared(constructed::program_run(), constructed::program_run());
  const std::string text = comparison_text(compared.comparison, 100'000);
  std::istringstream lines(text.substr(0, text.find("\n\n")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(count_characters(line), 80U) << line;
  EXPECT_THAT(text, testing::StartsWith("base: "));
  EXPECT_THAT(text, HasSubstr("\n      NVIDIA H200"));
  EXPECT_THAT(text, HasSubstr("\nnow:  "));
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

// ---- the run as a whole ----

/// `exit code failed`, `groups: 1 launch group of the base …`: what failed, and the notes.
std::vector<std::string> run_texts(const Gate& gate) {
  std::vector<std::string> texts;
  for (const GateRunResult& result : gate.run) {
    if (result.has_failed) texts.push_back(fmt::format("{} failed", to_string(result.check)));
    if (!result.has_failed && !result.text.empty()) {
      texts.push_back(fmt::format("{}: {}", to_string(result.check), result.text));
    }
  }
  return texts;
}

/// The program's run, which ended well, after `change`.
template <typename Change>
Run ended(Change change) {
  Run run = constructed::program_run();
  run.application->exit_code = 0;
  change(run);
  return run;
}

Run ended() {
  return ended([](Run&) {});
}

void erase_adam(Run& run) {  // 31.5 % of the GPU time
  std::erase_if(run.measurements, [](const Measurement& measurement) {
    return measurement.point.subject == constructed::kAdamName;
  });
}

void rename_kernels(Run& run, std::size_t first) {
  for (std::size_t i = first; i < run.measurements.size(); ++i) run.measurements[i].point.subject += "_other";
}

void scale_launches(Run& run, double factor) {
  for (Measurement& measurement : run.measurements) {
    auto& count = measurement.launches->count;
    count = static_cast<std::uint64_t>(static_cast<double>(count) * factor);
  }
}

/// As many groups again, which take a hundredth of the time together.
void add_small_groups(Run& run) {
  const std::size_t groups = run.measurements.size();
  for (std::size_t i = 0; i < groups; ++i) {
    Measurement small = run.measurements[i];
    small.point.subject += "_small";
    scale_time(small, 0.01);
    run.measurements.push_back(std::move(small));
  }
}

TEST(ProgramGate, RefusesAProgramThatHasLittleInCommonWithTheBase) {
  const auto other = ended([](auto& run) {
    rename_kernels(run, 1);
    run.application->command_line = {"./other"};
  });
  const Compared compared(ended(), other);
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 2);
  EXPECT_THAT(result.incomparable,
              ElementsAre(AllOf(
                  HasSubstr("only 12.0 % of the base's GPU time (1 of 13 launch groups) is in launch groups"),
                  HasSubstr("the base ran 'python3 train.py --steps 20', the new run './other'"))));
  EXPECT_EQ(result.count(GateOutcome::unchecked), 1U);  // the time of all kernels
  EXPECT_EQ(gate(compared.comparison, {.allow_other_points = true}).exit_code(), 0);

  const Compared unlike(ended(), ended([](auto& run) { rename_kernels(run, 0); }));
  EXPECT_EQ(gate(unlike.comparison, {.allow_other_points = true}).exit_code(), 2);
}

TEST(ProgramGate, ComparesTheProgramFromAnywhereAndNamesAnother) {
  const Compared moved(
      ended(), ended([](auto& run) {
        run.application->command_line = {"/usr/bin/python3.12", "/ci/7/train.py", "--steps", "20"};
      }));
  const Gate same = gate(moved.comparison, {});
  EXPECT_EQ(same.exit_code(), 0);
  EXPECT_THAT(run_texts(same), IsEmpty());

  const Compared renamed(ended(), ended([](auto& run) {
                           for (Measurement& measurement : run.measurements)
                             measurement.point.experiment = "tune";
                           run.application->command_line = {"./tune"};
                         }));
  const Gate other = gate(renamed.comparison, {});
  EXPECT_EQ(other.exit_code(), 0);
  EXPECT_THAT(
      run_texts(other),
      ElementsAre("program: the programs have different names: the base ran 'python3 train.py --steps 20', "
                  "the new run './tune'"));
}

TEST(ProgramGate, FailsIfTheProgramFailed) {
  const auto gated = [](std::optional<int> before, std::optional<int> now) {
    const auto run = [](std::optional<int> code) {
      return ended([&](auto& r) { r.application->exit_code = code; });
    };
    const Compared compared(run(before), run(now));
    const Gate result = gate(compared.comparison, {});
    return fmt::format("{} {}", result.exit_code(), fmt::join(run_texts(result), ""));
  };
  EXPECT_EQ(gated(0, 0), "0 ");
  EXPECT_EQ(gated(0, 1), "4 exit code failed");
  EXPECT_EQ(gated(0, 139), "4 exit code failed");
  EXPECT_EQ(gated(0, std::nullopt), "4 exit code failed");
  EXPECT_EQ(
      gated(1, 0),
      "0 exit code: the program of the base ended with exit code 1: what it did not reach is not checked");
  EXPECT_EQ(gated(std::nullopt, std::nullopt), "0 ");
  EXPECT_EQ(gated(3, 1), "4 exit code failed");
  EXPECT_EQ(gated(3, std::nullopt), "4 exit code failed");
  EXPECT_THAT(gated(3, 3), StartsWith("0 exit code: the program of the base ended with exit code 3:"));
}

TEST(ProgramGate, SaysHowTheProgramEndedInTheBase) {
  const Compared compared(ended([](auto& run) { run.application->exit_code = 3; }),
                          ended([](auto& run) { run.application->exit_code = 139; }));
  EXPECT_THAT(
      gate_text(gate(compared.comparison, {}), 1000),
      HasSubstr("failed: exit code: the program was ended by signal 11; in the base, it ended with exit "
                "code 3\n"));
}

TEST(ProgramGate, WhatAFailedProgramDidNotReachMakesItNoOther) {
  const Compared compared(ended(), ended([](auto& run) {
                            run.measurements.clear();
                            run.application->exit_code = 139;
                          }));
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(run_texts(result), ElementsAre("exit code failed", "groups failed"));
  EXPECT_THAT(gate_text(result, 1000), HasSubstr("failed: exit code: the program was ended by signal 11"));
}

TEST(ProgramGate, FailsOnMuchThatIsGoneUnlessSomethingTookItsPlace) {
  const Compared lost(ended(), ended(erase_adam));
  EXPECT_EQ(gate(lost.comparison, {}).exit_code(), 4);
  EXPECT_THAT(run_texts(gate(lost.comparison, {})), ElementsAre("groups failed"));
  EXPECT_EQ(gate(lost.comparison, {.allow_other_points = true}).exit_code(), 0);

  const auto fused = [&](double factor) {
    return ended([&](auto& run) {
      Measurement& adam = group(run, constructed::kAdamName);
      adam.point.subject = "fused(float*)";
      scale_time(adam, factor);
    });
  };
  const Compared replaced(ended(), fused(0.2));
  EXPECT_EQ(gate(replaced.comparison, {}).exit_code(), 0);
  const Compared hardly(ended(), fused(0.05));
  EXPECT_EQ(gate(hardly.comparison, {}).exit_code(), 4);
}

TEST(ProgramGate, AlwaysListsWhatTheBaseHadAndTheNewRunLacks) {
  const Compared compared(ended(), ended([](auto& run) {
                            std::erase_if(run.measurements, [](const Measurement& measurement) {
                              return measurement.point.subject == constructed::kAddName ||
                                     measurement.point.subject == constructed::kEmbeddingName;
                            });
                          }));
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_THAT(
      run_texts(result),
      ElementsAre("groups: 2 launch groups of the base (3.5 % of its GPU time) are not in the new run"));
  EXPECT_THAT(gate_text(result, 1000), AllOf(HasSubstr("note: groups: 2 launch groups of the base (3.5 %"),
                                             HasSubstr(" passed; 2 launch groups of the base missing\n")));
  EXPECT_THAT(gate_md(result),
              AllOf(HasSubstr("- note: groups: 2 launch groups of the base (3.5\u00a0%"),
                    HasSubstr("\n  - elementwise\\<add, bf16\\> (3.2\u00a0%)\n"),
                    HasSubstr("# Roofline gate: PASSED"), HasSubstr("2 launch groups of the base missing")));
  EXPECT_THAT(gate_junit(result),
              AllOf(HasSubstr("<system-out>groups: 2 launch groups of the base (3.5 %"),
                    HasSubstr("not in the new run: elementwise&lt;add, bf16&gt; (3.2 %), indexSelect"),
                    HasSubstr(R"(<testcase name="groups" classname="rooflinectl.runs")")));
  EXPECT_THAT(gate_json(result), AllOf(HasSubstr("\"text\": \"2 launch groups of the base (3.5 %"),
                                       HasSubstr("\"label\": \"elementwise<add, bf16>\"")));
}

TEST(ProgramGate, ListsAllThatIsMissingIn80Columns) {
  const Compared compared(ended(), ended([](auto& run) { run.measurements.resize(1); }));
  const Gate result = gate(compared.comparison, {});
  ASSERT_EQ(result.coverage.missing_groups.size(), 12U);
  const std::string text = gate_text(result, 80);
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(count_characters(line), 80U) << line;
    lines.push_back(line);
  }
  for (const PointComparison* group : result.coverage.missing_groups) {
    const std::string end = " %  " + group->label.substr(0, 60);
    EXPECT_EQ(std::ranges::count_if(lines, [&](const auto& line) { return line.ends_with(end); }), 1) << text;
  }
  EXPECT_THAT(gate_md(result), Not(HasSubstr(" more\n")));
}

TEST(ProgramGate, FailsIfHalfOfTheGroupsAreMissingHoweverSmall) {
  // Ever more of the smallest, which take less than a tenth of the time together.
  const auto gated = [](std::size_t missing, const GateOptions& options = {}) {
    const auto before = ended(add_small_groups);
    auto after = before;
    after.measurements.resize(after.measurements.size() - missing);
    const Compared compared(before, std::move(after));
    const Gate result = gate(compared.comparison, options);
    EXPECT_EQ(result.coverage.missing_groups.size(), missing);
    EXPECT_LT(result.coverage.missing_share(), kMostMissing);
    return fmt::format("{} {}", result.exit_code(), fmt::join(run_texts(result), ""));
  };
  EXPECT_THAT(gated(12), StartsWith("0 groups: 12 launch groups"));
  EXPECT_EQ(gated(13), "4 groups failed");
  EXPECT_THAT(gated(13, {.allow_other_points = true}), StartsWith("0 groups: 13 launch groups"));
}

std::string groups_text(const Gate& gate) {
  return std::ranges::find(gate.run, RunCheck::groups, &GateRunResult::check)->text;
}

TEST(ProgramGate, SaysThatHalfOfTheGroupsAreMissing) {
  const auto before = ended(add_small_groups);
  auto after = before;
  after.measurements.resize(13);
  const Compared compared(before, std::move(after));
  EXPECT_THAT(groups_text(gate(compared.comparison, {})),
              HasSubstr("50.0 % of the base's groups are gone, so the program may do less"));
}

TEST(ProgramGate, OtherGroupsDoNotReplaceHalfOfThem) {
  const Compared compared(ended(add_small_groups), ended([](auto& run) {
                            add_small_groups(run);
                            rename_kernels(run, 13);
                          }));
  const Gate result = gate(compared.comparison, {});
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(groups_text(result),
              HasSubstr("50.0 % of the base's groups are gone, so the program may do other work"));
}

// Each has groups that no other run has.
TEST(ProgramGate, OfSeveralBaseRunsTheMeanNumberOfGroupsCounts) {
  std::vector<AnalysedRun> bases;
  for (const std::string name : {"a", "b", "c"}) {
    bases.emplace_back(name, ended([&](auto& run) {
                         add_small_groups(run);
                         for (std::size_t i = 13; i < 26; ++i) run.measurements[i].point.subject += name;
                       }));
  }
  const AnalysedRun now("now", ended([](auto& run) {
                          add_small_groups(run);
                          run.measurements.resize(16);
                        }));
  const RunComparison comparison = compare(bases, now);
  const Coverage found = coverage(comparison);
  EXPECT_EQ(found.missing_groups.size(), 39U);
  EXPECT_DOUBLE_EQ(found.missing_share_of_groups(), 0.5);
}

TEST(ProgramGate, FailsIfTheProgramDidMuchLessOrMore) {
  const auto gated = [](double factor, const GateOptions& options = {}) {
    const Compared compared(ended(), ended([&](auto& run) { scale_launches(run, factor); }));
    const Gate result = gate(compared.comparison, options);
    EXPECT_EQ(result.count(GateOutcome::unchecked) > 0, std::abs(factor - 1) > 0.2) << factor;
    return result.exit_code();
  };
  EXPECT_EQ(gated(0.1), 4);
  EXPECT_EQ(gated(2), 4);
  EXPECT_EQ(gated(0.85), 0);
  EXPECT_EQ(gated(0.1, {.allow_other_launches = true}), 0);
  EXPECT_EQ(gated(2, {.allow_other_launches = true}), 0);
}

// 644 of 1,700 launches, and 3.6 % of the time.
TEST(ProgramGate, LaunchesCountWithTheirTime) {
  const Compared compared(ended(),
                          ended([](auto& run) { group(run, constructed::kAddName).launches->count = 4; }));
  const Gate result = gate(compared.comparison, {});
  EXPECT_LT(result.coverage.launches_now, 0.8 * result.coverage.launches_before);
  EXPECT_EQ(result.exit_code(), 0);
}

TEST(ProgramGate, SeveralBaseRunsCountWithTheirMean) {
  std::vector<AnalysedRun> bases;
  bases.emplace_back("a", ended());
  bases.emplace_back("b", ended(erase_adam));
  const AnalysedRun now("now", ended(erase_adam));
  const RunComparison comparison = compare(bases, now);
  const Coverage found = coverage(comparison);
  const double adam_s = whole_time_s(*comparison.points[0].base);
  EXPECT_EQ(found.missing_groups.size(), 1U);
  EXPECT_DOUBLE_EQ(found.missing_groups_s, adam_s / 2);
  EXPECT_DOUBLE_EQ(found.launched_again(), 1);
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
  EXPECT_THAT(text, HasSubstr("multi_tensor_apply<FusedAdam, f32>: 25.7 % of a step, DRAM-bound, 70.3 % of"));
  EXPECT_THAT(text, HasSubstr("The 10 kernels that could save most; 3 more"));
  EXPECT_THAT(text, Not(HasSubstr("useful")));
  EXPECT_THAT(text, Not(HasSubstr("redundan")));
  EXPECT_THAT(text, Not(HasSubstr("declare")));
  const std::string one = terminal_explanation(run, analysis, {.point = "reduce<NormTwo, f32>"}, 80);
  EXPECT_THAT(one,
              HasSubstr("no roof: DRAM bytes, operations, L2 bytes, FP64 operations, FP32 operations,\n"));
  EXPECT_THAT(one, HasSubstr("counted: launched once, before it could be counted\n"));
}

}  // namespace
}  // namespace rooflinectl::program_comparison_test
