// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "analysis/roofline/quantities/quantities.h"
#include "core/stats/sampling.h"
#include "reports/compare/comparison_reports.h"
#include "tests/support/changed_runs.h"

namespace rooflinectl::comparison_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kThreshold = 0.01;

TimeInterval interval(double median_s, double relative_half_width) {
  return {median_s, median_s * (1 - relative_half_width), median_s * (1 + relative_half_width)};
}

/// The verdict on a time that was one second before.
PointChange verdict(double to_s, double half_width) {
  return classify({interval(1, half_width), interval(to_s, half_width)}, kThreshold);
}

TEST(Classify, IntervalsThatDoNotOverlapAndMoreThanTheThreshold) {
  EXPECT_EQ(verdict(1.02, 0.002), PointChange::slower);
  EXPECT_EQ(verdict(0.98, 0.002), PointChange::faster);
}

TEST(Classify, LessThanTheThresholdIsSame) {
  EXPECT_EQ(verdict(1, 0), PointChange::same);
  EXPECT_EQ(verdict(1.009, 0.001), PointChange::same);  // certain, and too small to matter
  EXPECT_EQ(verdict(0.995, 0.004), PointChange::same);
}

TEST(Classify, IntervalsTooWideToTellAreUnclear) {
  EXPECT_EQ(verdict(1, 0.02), PointChange::unclear);
  EXPECT_EQ(verdict(1.03, 0.025), PointChange::unclear);
  EXPECT_EQ(verdict(0.97, 0.025), PointChange::unclear);
}

TEST(Classify, TheThresholdIsTheCallers) {
  const TimeChange change = {interval(1, 0.002), interval(1.02, 0.002)};
  EXPECT_EQ(classify(change, 0.01), PointChange::slower);
  EXPECT_EQ(classify(change, 0.05), PointChange::same);
}

TEST(Classify, DriftBetweenRunsWidensTheInterval) {
  TimeChange change = {interval(1, 0.003), interval(1.02, 0.004)};
  EXPECT_NEAR(change.lowest_ratio(), 1.02 * std::exp(-0.005), 1e-4);
  EXPECT_NEAR(change.highest_ratio(), 1.02 * std::exp(0.005), 1e-4);
  EXPECT_EQ(classify(change, 0.01), PointChange::slower);
  change.drift = 0.02;
  EXPECT_NEAR(change.lowest_ratio(), 1.02 * std::exp(-std::hypot(0.005, 0.02)), 1e-4);
  EXPECT_EQ(classify(change, 0.01), PointChange::unclear);
}

// ---- drift between runs ----

/// `points` points, each measured in `runs` runs that drift by `drift`; the noise within a run is known
/// exactly.
std::vector<std::vector<TimeInterval>> drifting_points(int points, int runs, double drift, double noise) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<std::vector<TimeInterval>> all;
  for (int point = 0; point < points; ++point) {
    std::vector<TimeInterval> times;
    for (int run = 0; run < runs; ++run) {
      const double median_s = std::exp(std::hypot(drift, noise) * normal(random));
      times.push_back({median_s, median_s * std::exp(-1.96 * noise), median_s * std::exp(1.96 * noise)});
    }
    all.push_back(std::move(times));
  }
  return all;
}

TEST(Drift, OfOneRunIsTheUsualOne) {
  EXPECT_DOUBLE_EQ(drift_between_runs(drifting_points(36, 1, 0.01, 0.001)), kUsualDrift);
}

TEST(Drift, IsEstimatedOverAllPointsWithoutTheNoiseWithinRuns) {
  EXPECT_NEAR(drift_between_runs(drifting_points(400, 2, 0.01, 0.005)), 0.01, 0.001);
  EXPECT_NEAR(drift_between_runs(drifting_points(400, 3, 0.001, 0.002)), 0.001, 0.0005);
  EXPECT_LT(drift_between_runs(drifting_points(400, 2, 0, 0.005)), 0.001);
}

TEST(Drift, OfIdenticalRunsIsNone) {
  const std::vector<std::vector<TimeInterval>> points(36, {interval(1, 0.002), interval(1, 0.002)});
  EXPECT_LT(drift_between_runs(points), kUsualDrift);
}

// ---- whole runs ----

using namespace changed;

const PointComparison& point_of(const RunComparison& comparison, std::string_view variant) {
  return *std::find_if(comparison.points.begin(), comparison.points.end(),
                       [&](const PointComparison& point) { return point.point.subject == variant; });
}

constexpr const char* kV1 = "reduce_v1_shared";
constexpr const char* kV3 = "reduce_v3_sequential";
constexpr const char* kV7 = "reduce_v7_multi_add";
constexpr const char* kV8 = "reduce_v8_warp_shuffle";

TEST(Compare, ARunIsTheSameAsItself) {
  const auto runs = analysed({ladder_run(), ladder_run()});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  EXPECT_THAT(comparison.points, SizeIs(10));
  EXPECT_EQ(comparison.count(PointChange::same), 10U);
  EXPECT_THAT(comparison.environment, IsEmpty());
  EXPECT_THAT(comparison.ceilings, IsEmpty());
  for (const PointComparison& point : comparison.points) {
    EXPECT_EQ(point.time->ratio(), 1);
    EXPECT_THAT(point.counter_changes, IsEmpty());
  }
}

TEST(Compare, RegressionsComeFirstTheLargestAtTheTop) {
  auto now = ladder_run();
  scale_time(measurement_of(now, kV1), 1.05);
  scale_time(measurement_of(now, kV3), 1.5);
  scale_time(measurement_of(now, kV7), 0.5);
  fail(measurement_of(now, kV8), Status::failed, "illegal address");
  const auto runs = analysed({ladder_run(), now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);

  std::vector<std::string> order;
  for (std::size_t i = 0; i < 5; ++i) {
    order.push_back(fmt::format("{} {}", comparison.points[i].label, to_string(comparison.points[i].change)));
  }
  EXPECT_THAT(order, ElementsAre("V8 broken", "V3 slower", "V1 slower", "V7 faster", "V0 same"));
  EXPECT_NEAR(comparison.points[1].time->ratio(), 1.5, 1e-12);
}

TEST(Compare, WhatBecameOfPointsWithoutATime) {
  auto base = ladder_run();
  auto now = ladder_run();
  fail(measurement_of(base, kV1), Status::failed, "timeout");
  fail(measurement_of(base, kV3), Status::failed, "timeout");
  fail(measurement_of(now, kV3), Status::unverified, "wrong sum");
  std::erase_if(base.measurements, [](const Measurement& m) { return m.point.subject == kV7; });
  std::erase_if(now.measurements, [](const Measurement& m) { return m.point.subject == kV8; });
  const auto runs = analysed({base, now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  EXPECT_EQ(point_of(comparison, kV1).change, PointChange::fixed);
  EXPECT_EQ(point_of(comparison, kV3).change, PointChange::untimed);
  EXPECT_EQ(point_of(comparison, kV7).change, PointChange::added);
  EXPECT_EQ(point_of(comparison, kV8).change, PointChange::missing);
  EXPECT_EQ(point_of(comparison, kV8).now, nullptr);
  EXPECT_EQ(point_of(comparison, kV7).base, nullptr);
}

double width(const PointComparison& point) {
  return point.time->highest_ratio() / point.time->lowest_ratio() - 1;
}

TEST(Compare, SeveralBaseRunsShowTheDriftBetweenThem) {
  std::vector<rooflinectl::Run> all(4, ladder_run());
  scale_time(measurement_of(all[0], kV7), 0.97);  // a lucky day
  scale_time(measurement_of(all[2], kV7), 1.02);
  scale_time(measurement_of(all[3], kV7), 1.01);
  const double median_s = measurement_of(all[1], kV7).time->median_s;
  const auto runs = analysed(all);

  // Against the lucky day alone it is slower; all three show that such times occur.
  EXPECT_EQ(point_of(compare({runs.data(), 1}, runs[3]), kV7).change, PointChange::slower);
  const RunComparison comparison = compare({runs.data(), 3}, runs[3]);
  const PointComparison& point = point_of(comparison, kV7);
  EXPECT_EQ(point.change, PointChange::unclear);
  EXPECT_THAT(point.bases, SizeIs(3));
  EXPECT_DOUBLE_EQ(point.time->from.median_s, median_s * std::cbrt(0.97 * 1.02));
  EXPECT_EQ(point.base->measurement->time->median_s, median_s);
}

TEST(Compare, MoreBaseRunsTightenTheInterval) {
  std::vector<rooflinectl::Run> all(9, ladder_run());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (Measurement& measurement : all[i].measurements) scale_time(measurement, i % 2 == 0 ? 1.001 : 0.999);
  }
  const auto runs = analysed(all);
  double last = 1;
  for (const std::size_t bases : {1U, 2U, 4U, 8U}) {
    const RunComparison comparison = compare({runs.data(), bases}, runs.back());
    EXPECT_LT(width(point_of(comparison, kV7)), last) << bases;
    last = width(point_of(comparison, kV7));
  }
}

TEST(Compare, WhatWasTimedDifferentlyIsNeitherSlowerNorFaster) {
  auto now = ladder_run();
  scale_time(measurement_of(now, kV7), 8);
  measurement_of(now, kV7).time->mode = LaunchMode::graph;
  set_counter(measurement_of(now, kV7), counter::kFadd, 1.5);
  auto graphs = ladder_run();
  measurement_of(graphs, kV7).time->launches_per_sample = 64;  // an older run
  const auto runs = analysed({ladder_run(), graphs, now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[2]);
  const PointComparison& point = point_of(comparison, kV7);
  EXPECT_EQ(point.change, PointChange::timed_differently);
  EXPECT_EQ(to_string(point.change), "timed-differently");
  EXPECT_EQ(point.time, std::nullopt);
  EXPECT_THAT(point.counter_changes, SizeIs(1));
  EXPECT_EQ(timing_difference(point), "timed launch by launch before, in graphs now");
  // Of two base runs, the one that was timed in the same way is the reference.
  EXPECT_EQ(point_of(compare({runs.data(), 2}, runs[2]), kV7).change, PointChange::slower);
}

TEST(Compare, CountsThatDifferFromLaunchToLaunchHaveNotChanged) {
  auto base = ladder_run();
  auto now = ladder_run();
  const auto count = [](rooflinectl::Run& run, double hardware, double instrumented) {
    auto& counters = measurement_of(run, kV7).counters;
    counters.insert_or_assign(std::string(counter::kWarpInstructions), CounterValue::measured(hardware));
    counters.insert_or_assign(std::string(counter::kWarpInstructionsSass),
                              CounterValue::measured(instrumented));
  };
  const auto moves = [&] {
    const auto runs = analysed({base, now});
    return point_of(compare({runs.data(), 1}, runs[1]), kV7).counter_changes;
  };
  count(base, 1e7, 1e7);
  count(now, 1.03e7, 1.03e7);
  EXPECT_THAT(moves(), SizeIs(1));
  count(base, 1e7, 1.04e7);  // it waits in a loop
  EXPECT_THAT(moves(), IsEmpty());
  count(base, 1e7, 1e7);
  measurement_of(now, kV7).counter_spread = {{std::string(counter::kWarpInstructions), 0.05}};
  EXPECT_THAT(moves(), IsEmpty());
}

TEST(Compare, OperationsChangeBySmallFactorsNoisyCountersByLargeOnes) {
  auto now = ladder_run();
  set_counter(measurement_of(now, kV7), counter::kFadd, 1.002);
  set_counter(measurement_of(now, kV7), counter::kDramReadBytes, 1.03);
  set_counter(measurement_of(now, kV8), counter::kDramReadBytes, 1.2);
  const auto runs = analysed({ladder_run(), now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  EXPECT_THAT(point_of(comparison, kV7).counter_changes,
              ElementsAre(AllOf(Field(&CounterChange::quantity, &quantity::kFlopsPerElement),
                                Field(&CounterChange::from, DoubleNear(1.01169, 1e-9)),
                                Field(&CounterChange::to, DoubleNear(1.01169 * 1.002, 1e-9)))));
  EXPECT_THAT(point_of(comparison, kV8).counter_changes,
              ElementsAre(Field(&CounterChange::quantity, &quantity::kDramBytesPerElement)));
}

TEST(Compare, ExperimentsMayBeRenamedUnlessAPointIsInTwo) {
  auto now = ladder_run();
  now.plan.experiments.front().name = "renamed";
  for (PointId& point : now.plan.experiments.front().points) point.experiment = "renamed";
  for (Measurement& measurement : now.measurements) measurement.point.experiment = "renamed";
  const auto renamed = analysed({ladder_run(), now});
  EXPECT_EQ(compare({renamed.data(), 1}, renamed[1]).count(PointChange::same), 10U);

  // The same points in two experiments of one run: now the name decides.
  auto twice = ladder_run();
  twice.plan.experiments.push_back(now.plan.experiments.front());
  twice.measurements.insert(twice.measurements.end(), now.measurements.begin(), now.measurements.end());
  scale_time(measurement_of(now, kV3), 2);
  const auto ambiguous = analysed({twice, now});
  const RunComparison comparison = compare({ambiguous.data(), 1}, ambiguous[1]);
  EXPECT_EQ(comparison.count(PointChange::missing), 10U);
  EXPECT_EQ(comparison.count(PointChange::slower), 1U);
  EXPECT_EQ(comparison.count(PointChange::same), 9U);
}

TEST(Compare, EnvironmentAndCeilingsThatChangedAreNamed) {
  auto now = ladder_run();
  now.devices[0].driver_version = "590.1";
  now.tool_commit = "other";
  for (Ceiling& ceiling : now.ceilings) {
    if (ceiling.id == "dram_read" && ceiling.source == CeilingSource::measured) ceiling.value *= 0.9;
    if (ceiling.id == "f32_add" && ceiling.source == CeilingSource::measured) ceiling.value *= 1.01;
  }
  std::erase_if(now.ceilings, [](const Ceiling& ceiling) { return ceiling.id == "launch"; });
  const auto runs = analysed({ladder_run(), now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  EXPECT_THAT(comparison.environment, ElementsAre(AllOf(Field(&EnvironmentChange::name, "driver"),
                                                        Field(&EnvironmentChange::from, "580.159.04"),
                                                        Field(&EnvironmentChange::to, "590.1")),
                                                  Field(&EnvironmentChange::name, "tool")));
  ASSERT_THAT(comparison.ceilings, SizeIs(2));
  EXPECT_EQ(comparison.ceilings[0].now->id, "dram_read");
  EXPECT_EQ(comparison.ceilings[1].base->id, "launch");
  EXPECT_EQ(comparison.ceilings[1].now, nullptr);
  EXPECT_THAT(model_differences(comparison), IsEmpty());
}

TEST(Compare, SettingsOfTheDeviceAreComparedWhereBothRunsKnowThem) {
  auto before = ladder_run();
  auto now = ladder_run();
  before.devices[0].settings = DeviceSettings{.power_limit_w = 700, .application_sm_clock_hz = 1.98e9};
  now.devices[0].settings = DeviceSettings{.power_limit_w = 600};
  const auto runs = analysed({before, now, ladder_run()});
  EXPECT_THAT(
      compare({runs.data(), 1}, runs[1]).environment,
      ElementsAre(AllOf(Field(&EnvironmentChange::name, "power limit"),
                        Field(&EnvironmentChange::from, "700 W"), Field(&EnvironmentChange::to, "600 W"))));
  EXPECT_THAT(compare({runs.data(), 1}, runs[2]).environment, IsEmpty());
}

// ---- several devices ----

std::vector<std::string> ceiling_ids(const RunComparison& comparison) {
  std::vector<std::string> ids;
  for (const CeilingChange& change : comparison.ceilings) {
    const Ceiling& ceiling = change.now != nullptr ? *change.now : *change.base;
    ids.push_back(ceiling.id + device_suffix(comparison, change.device));
  }
  return ids;
}

TEST(CompareDevices, TheOrderOfTheDevicesDoesNotMatter) {
  const auto base = on_two_devices(ladder_run());
  auto now = with_devices_swapped(base);
  now.devices[0].driver_version = "590.1";
  for (Ceiling& ceiling : now.ceilings) {
    if (ceiling.id == "f32_fma" && ceiling.device == 1) ceiling.value *= 1.1;
  }
  const auto runs = analysed({base, now});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  EXPECT_EQ(comparison.count(PointChange::same), 20U);
  EXPECT_THAT(comparison.environment, ElementsAre(AllOf(Field(&EnvironmentChange::name, "driver device 0"),
                                                        Field(&EnvironmentChange::from, "580.159.04"),
                                                        Field(&EnvironmentChange::to, "590.1"))));
  EXPECT_THAT(ceiling_ids(comparison), ElementsAre("f32_fma device 1"));
}

TEST(CompareDevices, OtherDevicesArePairedByModelAndThenByOrder) {
  auto base = on_two_devices(ladder_run());
  base.devices[1].name = "NVIDIA L4";
  auto now = with_devices_swapped(base);
  now.devices[0].uuid = "GPU-2";
  now.devices[1].uuid = "GPU-3";
  const auto runs = analysed({base, now});
  EXPECT_EQ(compare({runs.data(), 1}, runs[1]).count(PointChange::same), 20U);

  now.devices[0].name = "NVIDIA A100";
  now.devices[1].name = "NVIDIA H100";
  const auto others = analysed({base, now});
  const RunComparison comparison = compare({others.data(), 1}, others[1]);
  ASSERT_THAT(model_differences(comparison), SizeIs(2));
  EXPECT_EQ(model_differences(comparison)[0].base, "NVIDIA H200");
  EXPECT_EQ(model_differences(comparison)[0].now, "NVIDIA A100");
  EXPECT_EQ(model_differences(comparison)[1].base, "NVIDIA L4");
}

TEST(ComparisonJson, NamesFromARunAreEscaped) {
  rooflinectl::Run named = ladder_run();
  named.host = "node\u202e\x7f";
  const auto runs = analysed({named, ladder_run()});
  const std::string text = comparison_json({compare({runs.data(), 1}, runs[1])});
  EXPECT_THAT(text, ::testing::HasSubstr("\n     \"host\": \"node\\u202e\\u007f\"")) << "one space per level";
  EXPECT_EQ(nlohmann::json::parse(text)["comparisons"][0]["baseline"][0]["host"], named.host);
}

TEST(CompareDevices, LabelsNameTheDevice) {
  const auto runs = analysed({on_two_devices(ladder_run()), on_two_devices(ladder_run())});
  const RunComparison comparison = compare({runs.data(), 1}, runs[1]);
  std::set<std::string> labels;
  for (const PointComparison& point : comparison.points) labels.insert(point.label);
  EXPECT_THAT(labels, SizeIs(20));
  EXPECT_THAT(labels, Contains("V7 device 1"));
  const auto document = nlohmann::json::parse(comparison_json({comparison}))["comparisons"][0];
  EXPECT_EQ(document["points"][19]["device"], 1);
  EXPECT_EQ(document["devices"].size(), 2U);
}

TEST(CompareDevices, OneThatOnlyARunHasIsTold) {
  const auto runs = analysed({on_two_devices(ladder_run()), ladder_run()});
  const RunComparison lost = compare({runs.data(), 1}, runs[1]);
  EXPECT_EQ(lost.count(PointChange::same), 10U);
  EXPECT_EQ(lost.count(PointChange::missing), 10U);
  EXPECT_THAT(lost.ceilings, IsEmpty());
  const std::string device = "NVIDIA H200 (GPU-00000000-0000-0000-0000-000000000001)";
  EXPECT_THAT(missing_texts(lost), ElementsAre("device 1: only the base has " + device));
  const RunComparison added = compare({runs.data() + 1, 1}, runs[0]);
  EXPECT_EQ(added.count(PointChange::added), 10U);
  EXPECT_THAT(missing_texts(added), ElementsAre("device 1: only the new run has " + device));
}

// ---- how often noise is taken for a change ----

/// A kernel of one second, timed as often as a run does it: noise from launch to launch with a tail to the
/// slow side, and a drift that is the same for all samples of a run.
class Simulation {
 public:
  TimeInterval measure(double seconds) {
    constexpr double kNoise = 0.003;
    constexpr double kDrift = 0.002;
    const double drift = 1 + kDrift * normal_(random_);
    Sampling sampling({}, false);
    do {
      const double noise = kNoise * (normal_(random_) + tail_(random_));
      sampling.add({seconds * drift * (1 + noise), std::nullopt, std::nullopt});
    } while (sampling.next(0) != Sampling::Next::stop);
    const TimeResult& time = sampling.result();
    return {time.median_s, time.ci_low_s, time.ci_high_s};
  }

  /// How many of `kPairs` pairs of runs get the verdict `wanted` where the new time is `factor` times the old
  /// one.
  int count(PointChange wanted, double factor) {
    int found = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
      const double drift = 1.96 * kUsualDrift * std::sqrt(2);  // as with a single base run
      if (classify({measure(1), measure(factor), drift}, kThreshold) == wanted) ++found;
    }
    return found;
  }

  static constexpr int kPairs = 5000;

 private:
  std::mt19937_64 random_{20261121};
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> tail_;
};

TEST(FalseAlarms, AreRarerThanOneInAThousandPairs) {
  Simulation simulation;
  const int alarms = simulation.count(PointChange::slower, 1) + simulation.count(PointChange::faster, 1);
  EXPECT_LE(alarms, 2 * Simulation::kPairs / 1000);
}

TEST(FalseAlarms, MostRunsOfTheSameCodeAreSame) {
  EXPECT_GE(Simulation().count(PointChange::same, 1), Simulation::kPairs * 95 / 100);
}

TEST(FalseAlarms, AChangeOfThreePercentIsSeen) {
  EXPECT_GE(Simulation().count(PointChange::slower, 1.03), Simulation::kPairs * 99 / 100);
  EXPECT_GE(Simulation().count(PointChange::faster, 1 / 1.03), Simulation::kPairs * 99 / 100);
}

}  // namespace
}  // namespace rooflinectl::comparison_test
