// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/stats/statistics.h"
#include "reports/compare/comparison_reports.h"
#include "tests/support/changed_runs.h"

namespace rooflinectl::gate_test {
namespace {

using namespace changed;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kV3 = "reduce_v3_sequential";
constexpr const char* kV7 = "reduce_v7_multi_add";
constexpr const char* kV8 = "reduce_v8_warp_shuffle";

/// Runs, their comparison and the gate over it, which point into each other.
class Judged {
 public:
  /// The last run is the new one.
  explicit Judged(std::vector<Run> runs, const GateOptions& options = {})
      : runs_(analysed(std::move(runs))),
        comparison_(compare({runs_.data(), runs_.size() - 1}, runs_.back())),
        gate_(gate(comparison_, options)) {}
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;

  const Gate* operator->() const { return &gate_; }
  const Gate& operator*() const { return gate_; }

  /// `V3 time`, or `V3` where the point was lost.
  std::vector<std::string> regressions() const {
    std::vector<std::string> texts;
    for (const GatePoint& point : gate_.points) {
      if (!point.loss.empty()) texts.push_back(point.point->label);
      for (const GateResult& result : point.results) {
        if (result.outcome != GateOutcome::regressed) continue;
        texts.push_back(fmt::format("{} {}", point.point->label, to_string(result.check)));
      }
    }
    return texts;
  }

 private:
  std::vector<AnalysedRun> runs_;
  RunComparison comparison_;
  Gate gate_;
};

template <typename Change>
Run changed_run(std::string_view variant, Change change) {
  Run run = ladder_run();
  change(measurement_of(run, variant));
  return run;
}

TEST(Gate, ARunPassesAgainstItself) {
  const Judged judged({ladder_run(), ladder_run()});
  EXPECT_EQ(judged->exit_code(), 0);
  EXPECT_THAT(judged.regressions(), IsEmpty());
  EXPECT_EQ(judged->count(GateOutcome::passed), 40U);
}

TEST(Gate, SlowerByMoreThanTheThresholdFails) {
  const auto slower = [](Measurement& m) { scale_time(m, 1.08); };
  const Judged judged({ladder_run(), changed_run(kV3, slower)});
  EXPECT_EQ(judged->exit_code(), 4);
  EXPECT_THAT(judged.regressions(), ElementsAre("V3 time", "V3 roof"));

  GateOptions generous;
  generous.time = generous.roof = 0.1;
  EXPECT_EQ(Judged({ladder_run(), changed_run(kV3, slower)}, generous)->exit_code(), 0);
}

TEST(Gate, WhatNoiseCanExplainIsUncertainAndPasses) {
  const auto noisy = [](Measurement& m) {
    scale_time(m, 1.08);
    m.time->ci_low_s = m.time->median_s / 1.05;
  };
  const Judged judged({ladder_run(), changed_run(kV3, noisy)});
  EXPECT_EQ(judged->exit_code(), 0);
  EXPECT_EQ(judged->count(GateOutcome::uncertain), 2U);
}

/// The smallest change of V3 that fails `check`, as a factor of what is checked.
double detectable_factor(const Judged& judged, GateCheck check) {
  for (const GatePoint& point : judged->points) {
    for (const GateResult& result : point.results) {
      if (point.point->label == "V3" && result.check == check) return 1 + result.detectable.value();
    }
  }
  return 0;
}

TEST(Gate, StatesTheSmallestChangeThatFails) {
  const Judged judged({ladder_run(), ladder_run()});
  const auto fails = [](GateCheck check, double factor) {
    const auto worse = changed_run(kV3, [=](Measurement& m) {
      if (check == GateCheck::time) scale_time(m, factor);
      if (check == GateCheck::roof) scale_time(m, 1 / (2 - factor));
      if (check == GateCheck::dram) set_counter(m, counter::kDramReadBytes, factor);
      if (check == GateCheck::operations) set_counter(m, counter::kFadd, factor);
    });
    GateOptions only;
    only.checks = {check};
    return Judged({ladder_run(), worse}, only)->exit_code() == 4;
  };
  for (const GateCheck check : kGateChecks) {
    const double factor = detectable_factor(judged, check);
    EXPECT_TRUE(fails(check, factor + 1e-3)) << to_string(check);
    EXPECT_FALSE(fails(check, factor - 1e-3)) << to_string(check);
  }
  EXPECT_GT(detectable_factor(judged, GateCheck::time), 1.05);
  EXPECT_EQ(detectable_factor(judged, GateCheck::operations), 1);
  EXPECT_THAT(gate_text(*judged, 200), HasSubstr("\nsmallest change that fails: time +5."));
  EXPECT_THAT(gate_md(*judged), HasSubstr("\n\nSmallest change that fails: time"));
}

TEST(Gate, RepetitionsOfTheNewRunTightenWhatItSees) {
  const auto runs = analysed(std::vector<rooflinectl::Run>(6, ladder_run()));
  const std::span<const AnalysedRun> earlier(runs.data(), 5);
  double last = detectable_factor(Judged({ladder_run(), ladder_run()}), GateCheck::time);
  for (const std::size_t bases : {4U, 3U}) {
    const RunComparison comparison = compare_repeated(earlier, bases, runs.back());
    const Gate judged = gate(comparison, {});
    ASSERT_EQ(judged.exit_code(), 0);
    const auto& point = *std::find_if(judged.points.begin(), judged.points.end(),
                                      [](const GatePoint& one) { return one.point->label == "V3"; });
    EXPECT_EQ(point.point->repeats.size(), 5 - bases);
    EXPECT_LT(1 + *point.results.front().detectable, last);
    last = 1 + *point.results.front().detectable;
  }
}

TEST(Gate, RepetitionsOfTheNewRunCountAsMuchAsTheLast) {
  const auto slower = [](double factor) {
    return changed_run(kV3, [=](Measurement& m) { scale_time(m, factor); });
  };
  // One of three was unlucky; then two were.
  const auto once = analysed({ladder_run(), ladder_run(), ladder_run(), ladder_run(), slower(1.1)});
  const RunComparison unlucky = compare_repeated({once.data(), 4}, 2, once.back());
  EXPECT_EQ(gate(unlucky, {}).exit_code(), 0);
  const auto always = analysed({ladder_run(), ladder_run(), slower(1.1), slower(1.1), slower(1.1)});
  const RunComparison worse = compare_repeated({always.data(), 4}, 2, always.back());
  const Gate judged = gate(worse, {});
  EXPECT_EQ(judged.exit_code(), 4);
  EXPECT_THAT(gate_text(judged, 200), HasSubstr("+10.0 %"));
  EXPECT_EQ(worse.baseline.size(), 2U);
  EXPECT_EQ(worse.devices.front().bases.size(), 2U);
}

TEST(Gate, WhatOnlyARepetitionMeasuredIsNoPoint) {
  auto fewer = ladder_run();
  std::erase_if(fewer.plan.experiments.front().points,
                [](const PointId& point) { return point.subject == kV3; });
  std::erase_if(fewer.measurements, [](const Measurement& m) { return m.point.subject == kV3; });
  const auto runs = analysed({fewer, ladder_run(), fewer});
  const RunComparison comparison = compare_repeated({runs.data(), 2}, 1, runs.back());
  EXPECT_EQ(comparison.points.size(), fewer.measurements.size());
}

TEST(Gate, ABaselineOfSeveralRunsForgivesALuckyDay) {
  const auto lucky = changed_run(kV7, [](Measurement& m) { scale_time(m, 0.92); });
  EXPECT_EQ(Judged({lucky, ladder_run()})->exit_code(), 4);
  EXPECT_EQ(Judged({lucky, ladder_run(), ladder_run()})->exit_code(), 0);
}

TEST(Gate, OneOperationMoreIsTooMany) {
  const auto one_more = [](Measurement& m) {
    const double count = *value_of(m.counters, counter::kFadd);
    set_counter(m, counter::kFadd, (count + 1) / count);
  };
  const Judged judged({ladder_run(), changed_run(kV8, one_more)});
  EXPECT_EQ(judged->exit_code(), 4);
  EXPECT_THAT(judged.regressions(), ElementsAre("V8 operations"));
  EXPECT_THAT(gate_text(*judged, 120), HasSubstr("+1 OP"));
  const auto fewer = [](Measurement& m) { set_counter(m, counter::kFadd, 0.995); };
  EXPECT_EQ(Judged({ladder_run(), changed_run(kV8, fewer)})->exit_code(), 0);
}

TEST(Gate, MoreDramBytesThanTheThresholdFail) {
  const auto more = [](double factor) {
    return changed_run(kV7, [=](Measurement& m) { set_counter(m, counter::kDramReadBytes, factor); });
  };
  EXPECT_THAT(Judged({ladder_run(), more(1.03)}).regressions(), ElementsAre("V7 dram"));
  EXPECT_EQ(Judged({ladder_run(), more(1.015)})->exit_code(), 0);
}

TEST(Gate, CompulsoryBytesAreTheScaleForPointsThatACacheServes) {
  const auto counting = [](double fraction) {
    return changed_run(kV7, [=](Measurement& m) {
      const double bytes = fraction * m.work.bytes();
      m.counters.insert_or_assign(std::string(counter::kDramReadBytes), CounterValue::measured(bytes));
    });
  };
  EXPECT_EQ(Judged({counting(0.0001), counting(0.01)})->exit_code(), 0);
  EXPECT_EQ(Judged({counting(0.0001), counting(0.05)})->exit_code(), 4);
}

TEST(Gate, OnlyTheChosenChecksCount) {
  const auto worse = changed_run(kV3, [](Measurement& m) {
    scale_time(m, 2);
    set_counter(m, counter::kFadd, 2);
  });
  GateOptions counters;
  counters.checks = {GateCheck::dram, GateCheck::operations};
  EXPECT_THAT(Judged({ladder_run(), worse}, counters).regressions(), ElementsAre("V3 operations"));
}

TEST(Gate, BrokenAndMissingPointsAreRegressions) {
  auto now = changed_run(kV3, [](Measurement& m) { fail(m, Status::failed, "illegal address"); });
  std::erase_if(now.measurements, [](const Measurement& m) { return m.point.subject == kV7; });
  const Judged judged({ladder_run(), now});
  EXPECT_EQ(judged->exit_code(), 4);
  EXPECT_THAT(judged.regressions(), ElementsAre("V3", "V7"));
  EXPECT_THAT(gate_text(*judged, 120), HasSubstr("failed: illegal address"));
  // What failed before may fail now.
  const auto failed = changed_run(kV3, [](Measurement& m) { fail(m, Status::failed, "timeout"); });
  EXPECT_EQ(Judged({failed, failed})->exit_code(), 0);
}

/// `run` with every point in another size.
Run resized(Run run) {
  for (PointId& point : run.plan.experiments.front().points) point.axes.set(axis::kSize, *size_of(point) / 2);
  for (Measurement& measurement : run.measurements)
    measurement.point.axes.set(axis::kSize, *size_of(measurement.point) / 2);
  return run;
}

TEST(Gate, RefusesOtherDevicesAndPoints) {
  auto other_device = ladder_run();
  other_device.devices[0].name = "NVIDIA L4";
  EXPECT_EQ(Judged({ladder_run(), other_device})->exit_code(), 2);
  GateOptions any_device;
  any_device.allow_other_devices = true;
  EXPECT_EQ(Judged({ladder_run(), other_device}, any_device)->exit_code(), 0);

  const Judged other_size({ladder_run(), resized(ladder_run())});
  EXPECT_EQ(other_size->exit_code(), 2);
  EXPECT_THAT(other_size->incomparable, Not(IsEmpty()));
  // Restricted to common points, the gate has none to check.
  GateOptions any_points;
  any_points.allow_other_points = true;
  EXPECT_EQ(Judged({ladder_run(), resized(ladder_run())}, any_points)->exit_code(), 2);
}

TEST(Gate, OtherPointsMayBeLeftOut) {
  auto fewer = ladder_run();
  std::erase_if(fewer.plan.experiments.front().points,
                [](const PointId& point) { return point.subject == kV7; });
  std::erase_if(fewer.measurements, [](const Measurement& m) { return m.point.subject == kV7; });
  EXPECT_EQ(Judged({ladder_run(), fewer})->exit_code(), 4);
  GateOptions any_points;
  any_points.allow_other_points = true;
  EXPECT_EQ(Judged({ladder_run(), fewer}, any_points)->exit_code(), 0);
}

/// The run of a plan without these variants.
Run without(const std::vector<std::string_view>& variants) {
  const auto is_one = [&](const PointId& point) {
    return std::find(variants.begin(), variants.end(), point.subject) != variants.end();
  };
  Run run = ladder_run();
  std::erase_if(run.plan.experiments.front().points, is_one);
  std::erase_if(run.measurements, [&](const Measurement& m) { return is_one(m.point); });
  return run;
}

TEST(Gate, RefusesAPlanThatHasLessThanHalfOfTheBasesPoints) {
  const std::vector<std::string_view> five = {"reduce_v0_global", "reduce_v1_shared", "reduce_v2_strided",
                                              kV3, kV7};
  std::vector<std::string_view> six = five;
  six.push_back(kV8);
  const Judged half({ladder_run(), without(five)});
  EXPECT_EQ(half->exit_code(), 4);
  EXPECT_EQ(half.regressions().size(), 5U);
  const Judged less({ladder_run(), without(six)});
  EXPECT_EQ(less->exit_code(), 2);
  EXPECT_THAT(less->incomparable,
              ElementsAre(HasSubstr("only 4 of the 10 points of the base are in the new run")));
  // What was planned, but did not come to a time, was lost.
  auto interrupted = ladder_run();
  interrupted.measurements.resize(2);
  EXPECT_EQ(Judged({ladder_run(), interrupted})->exit_code(), 4);

  GateOptions any_points;
  any_points.allow_other_points = true;
  const Judged common({ladder_run(), without(six)}, any_points);
  EXPECT_EQ(common->exit_code(), 0);
  EXPECT_THAT(gate_text(*common, 1000),
              AllOf(HasSubstr("note: points: 6 points of the base are not in the new run:\n  V0\n"),
                    HasSubstr("; 6 points of the base missing")));
}

TEST(Gate, LostCountersDoNotPass) {
  auto uncounted = ladder_run();
  for (Measurement& measurement : uncounted.measurements) measurement.counters.clear();
  uncounted.counter_session = {.available = false, .reason = "no permission"};
  const Judged judged({ladder_run(), uncounted});
  EXPECT_EQ(judged->exit_code(), 2);
  EXPECT_THAT(gate_text(*judged, 200), HasSubstr("no permission"));
  // A base without counters has nothing to compare them with.
  const Judged base_uncounted({uncounted, ladder_run()});
  EXPECT_EQ(base_uncounted->exit_code(), 0);
  EXPECT_EQ(base_uncounted->count(GateOutcome::unchecked), 20U);
  GateOptions counters;
  counters.checks = {GateCheck::dram, GateCheck::operations};
  EXPECT_EQ(Judged({uncounted, ladder_run()}, counters)->exit_code(), 2);
}

TEST(Gate, ReportsNameWhatRegressed) {
  const auto slower = changed_run(kV3, [](Measurement& m) { scale_time(m, 1.5); });
  const Judged judged({ladder_run(), slower});
  EXPECT_THAT(gate_text(*judged, 120), AllOf(HasSubstr("regressed  V3"), HasSubstr("+50.0 %"),
                                             HasSubstr("FAILED: 40 checks of 10 points: 2 regressed")));
  EXPECT_THAT(gate_md(*judged), AllOf(HasSubstr("# Roofline gate: FAILED"), HasSubstr("| regressed | V3 |")));
  EXPECT_THAT(gate_junit(*judged), AllOf(HasSubstr(R"(tests="40" failures="2" errors="0" skipped="0")"),
                                         HasSubstr(R"(<failure type="regression" message="time )")));
}

TEST(Gate, NamesFromFilesAreNotMarkup) {
  auto now = changed_run(kV3, [](Measurement& m) { fail(m, Status::failed, "<b>\"&|\x01"); });
  const Judged judged({ladder_run(), now});
  EXPECT_THAT(gate_junit(*judged), AllOf(HasSubstr("&lt;b&gt;&quot;&amp;|"), Not(HasSubstr("<b>"))));
  EXPECT_THAT(gate_md(*judged), AllOf(HasSubstr("\\<b\\>"), Not(HasSubstr("&|"))));
  EXPECT_THAT(gate_text(*judged, 120), Not(HasSubstr("\x01")));
}

TEST(Gate, CountsThatDifferFromLaunchToLaunchMayDifferByThat) {
  const auto counted = [](double operations, double other_pass, double spread) {
    return changed_run(kV8, [=](Measurement& m) {
      constructed::set_precision(m, Dtype::i32);
      const auto set = [&](std::string_view key, double value) {
        m.counters.insert_or_assign(std::string(key), CounterValue::measured(value));
      };
      set(counter::kIntegerOps, operations);
      set(counter::kWarpInstructions, 1e6);
      set(counter::kWarpInstructionsSass, other_pass);
      if (spread > 0) m.counter_spread = {{std::string(counter::kIntegerOps), spread}};
    });
  };
  EXPECT_THAT(Judged({counted(1e6, 1e6, 0), counted(1.01e6, 1e6, 0)}).regressions(),
              ElementsAre("V8 operations"));
  // Instructions of the two passes are 2 % apart, on one side or the other.
  EXPECT_THAT(Judged({counted(1e6, 1.02e6, 0), counted(1.01e6, 1e6, 0)}).regressions(), IsEmpty());
  EXPECT_THAT(Judged({counted(1e6, 1e6, 0), counted(1.01e6, 1.02e6, 0)}).regressions(), IsEmpty());
  EXPECT_THAT(Judged({counted(1e6, 1e6, 0.005), counted(1.009e6, 1e6, 0.005)}).regressions(), IsEmpty());
  EXPECT_THAT(Judged({counted(1e6, 1e6, 0.005), counted(1.011e6, 1e6, 0.005)}).regressions(),
              ElementsAre("V8 operations"));
}

TEST(Gate, ASpreadOfDramBytesIsAllowed) {
  const auto more = [](double factor, double spread) {
    return changed_run(kV7, [=](Measurement& m) {
      set_counter(m, counter::kDramReadBytes, factor);
      m.counter_spread = {{std::string(counter::kDramReadBytes), spread}};
    });
  };
  EXPECT_THAT(Judged({more(1, 0.01), more(1.03, 0)}).regressions(), ElementsAre("V7 dram"));
  EXPECT_THAT(Judged({more(1, 0.03), more(1.03, 0.03)}).regressions(), IsEmpty());
}

TEST(Gate, TimesTakenDifferentlyAreUncheckedAndNamed) {
  const auto in_graphs = changed_run(kV7, [](Measurement& m) {
    scale_time(m, 2);
    m.time->mode = LaunchMode::graph;
  });
  const Judged judged({ladder_run(), in_graphs});
  EXPECT_EQ(judged->exit_code(), 0);
  EXPECT_EQ(judged->count(GateOutcome::unchecked), 2U);
  EXPECT_EQ(judged->count(GateOutcome::passed), 38U);
  EXPECT_THAT(gate_text(*judged, 160), HasSubstr("timed launch by launch before, in graphs now"));
}

TEST(Gate, OnlyBaseRunsTimedInTheSameWayCount) {
  const auto in_graphs = changed_run(kV7, [](Measurement& m) {
    scale_time(m, 0.5);
    m.time->mode = LaunchMode::graph;
  });
  const Judged judged({ladder_run(), in_graphs, ladder_run()});
  EXPECT_EQ(judged->count(GateOutcome::passed), 40U);
}

// ---- several devices ----

TEST(GateDevices, IdenticalRunsPassWhateverTheOrderOfTheirDevices) {
  const auto run = on_two_devices(ladder_run());
  const Judged judged({run, with_devices_swapped(run)});
  EXPECT_EQ(judged->exit_code(), 0);
  EXPECT_EQ(judged->count(GateOutcome::passed), 80U);
}

TEST(GateDevices, EveryOneMustBeOfTheModelThatItIsComparedWith) {
  auto other = on_two_devices(ladder_run());
  other.devices[1].name = "NVIDIA H100";
  other.devices[1].uuid = "GPU-2";
  const Judged judged({on_two_devices(ladder_run()), other});
  EXPECT_EQ(judged->exit_code(), 2);
  EXPECT_THAT(judged->incomparable,
              ElementsAre("device 1: the base was measured on NVIDIA H200, the new run on NVIDIA H100"));
  GateOptions any_device;
  any_device.allow_other_devices = true;
  EXPECT_EQ(Judged({on_two_devices(ladder_run()), other}, any_device)->exit_code(), 0);
}

TEST(GateDevices, OneThatTheNewRunLacksLosesItsPoints) {
  const Judged judged({on_two_devices(ladder_run()), ladder_run()});
  EXPECT_EQ(judged->exit_code(), 4);
  EXPECT_THAT(judged.regressions(), Contains("V7 device 1"));
  EXPECT_THAT(gate_text(*judged, 200),
              AllOf(HasSubstr("the new run has no such device"),
                    HasSubstr("not checked: device 1: only the base has NVIDIA H200 (GPU-")));
}

TEST(GateDevices, PointsAddedOnOneDeviceReplaceNoneOfAnother) {
  auto now = on_two_devices(ladder_run());
  now.plan.experiments.front().points.clear();
  erase(now, kV7, 0);
  auto base = on_two_devices(ladder_run());
  erase(base, kV7, 1);
  EXPECT_THAT(Judged({base, now}).regressions(), ElementsAre("V7 device 0"));
}

TEST(GateDevices, TestCasesAreUnique) {
  const auto run = on_two_devices(ladder_run());
  const std::string xml = gate_junit(*Judged({run, run}));
  const std::string start = "<testcase name=\"";
  std::set<std::string> names;
  std::size_t cases = 0;
  for (std::size_t at = xml.find(start); at != std::string::npos; at = xml.find(start, at + 1)) {
    const std::size_t begin = at + start.size();
    names.insert(xml.substr(begin, xml.find('"', begin) - begin));
    ++cases;
  }
  EXPECT_EQ(cases, 81U);
  EXPECT_EQ(names.size(), cases);
}

// ---- how often noise is taken for a regression ----

/// Runs of the same code with noise from launch to launch and drift from run to run.
class SimulatedRuns {
 public:
  /// With times alone, which are all that is checked.
  SimulatedRuns() {
    ladder_.ceilings.clear();
    for (Measurement& measurement : ladder_.measurements) measurement.counters.clear();
  }

  Run again(double slowdown = 1) {
    Run run = ladder_;
    for (Measurement& measurement : run.measurements) {
      // More noise than an H200 shows: 2 % from launch to launch, 0.5 % from run to run.
      const double drift = 1 + 0.005 * normal_(random_);
      std::vector<double> samples;
      for (int i = 0; i < 24; ++i) {
        samples.push_back(slowdown * measurement.time->median_s * drift * (1 + 0.02 * normal_(random_)));
      }
      const MedianInterval found = median_interval(samples);
      measurement.time->median_s = found.median;
      measurement.time->ci_low_s = found.low;
      measurement.time->ci_high_s = found.high;
    }
    return run;
  }

  /// How many points of `rounds` new runs the gate fails over their time, with that many base runs each.
  std::size_t failed_points(int rounds, std::size_t bases, double slowdown) {
    GateOptions time_only;
    time_only.checks = {GateCheck::time};
    std::size_t failures = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<Run> runs;
      for (std::size_t base = 0; base < bases; ++base) runs.push_back(again());
      runs.push_back(again(slowdown));
      failures += Judged(std::move(runs), time_only)->count(GateOutcome::regressed);
    }
    return failures;
  }

 private:
  Run ladder_ = ladder_run();
  std::mt19937_64 random_{20261121};
  std::normal_distribution<double> normal_;
};

TEST(Gate, FailsNoneOfManyRunsOfTheSameCode) {
  EXPECT_EQ(SimulatedRuns().failed_points(250, 1, 1), 0U);
  EXPECT_EQ(SimulatedRuns().failed_points(100, 2, 1), 0U);
  EXPECT_EQ(SimulatedRuns().failed_points(50, 5, 1), 0U);
}

TEST(Gate, FailsAtMostOneInFortyPointsAtTheThreshold) {
  for (const std::size_t bases : {1U, 3U}) {
    EXPECT_LE(SimulatedRuns().failed_points(60, bases, 1.05), 600U / 40) << bases;
  }
}

TEST(Gate, FindsMoreRegressionsWithMoreBaseRuns) {
  constexpr int kRounds = 60;  // of ten points
  const std::size_t with_one = SimulatedRuns().failed_points(kRounds, 1, 1.075);
  const std::size_t with_two = SimulatedRuns().failed_points(kRounds, 2, 1.075);
  const std::size_t with_six = SimulatedRuns().failed_points(kRounds, 6, 1.075);
  EXPECT_GT(with_two, with_one + 20);
  EXPECT_GT(with_six, with_two + 20);
}

}  // namespace
}  // namespace rooflinectl::gate_test
