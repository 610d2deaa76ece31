// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/timeline_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/counters/metrics.h"
#include "tests/support/program_timeline.h"

namespace rooflinectl::timeline_view_test {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kUs = 1000;

Measurement kernel(std::string_view path, double read_mb, double fadd, double tensor = 0) {
  constructed::ProgramKernel made = {"kernel", "64", "128", path, 100, 10, read_mb, 0, 200, 200};
  made.fadd = fadd;
  made.tensor_bf16 = tensor;
  return constructed::program_measurement(made, true);
}

/// The run with these points, samples of 10 µs from 0 on, each with what `bytes_read` has.
struct Sampled {
  explicit Sampled(std::vector<Measurement> measurements, const std::vector<double>& bytes_read) {
    run = constructed::program_run();
    run.measurements = std::move(measurements);
    for (std::size_t i = 0; i < run.measurements.size(); ++i) {
      run.measurements[i].point.axes.set("grid", std::uint64_t{i + 1});
    }
    DeviceTimeline& device = timeline.devices.emplace_back();
    device.interval_ns = 10 * kUs;
    for (std::size_t i = 0; i < bytes_read.size(); ++i) {
      device.start_ns.push_back(i * device.interval_ns);
      device.duration_ns.push_back(device.interval_ns);
    }
    device.values[std::string(sampled::kDramReadBytes)] = bytes_read;
    device.values[std::string(sampled::kDramWriteBytes)].assign(bytes_read.size(), 0);
  }

  DeviceTimeline& device() { return timeline.devices.front(); }
  const DeviceView& view() {
    analysis = analyse(run);
    found = device_view(run, analysis.experiments.front(), timeline);
    return found.value();
  }

  Run run;
  Timeline timeline;
  Analysis analysis;
  std::optional<DeviceView> found;
};

const Strip& strip(const DeviceView& view, std::string_view id) {
  const auto found =
      std::find_if(view.strips.begin(), view.strips.end(), [&](const Strip& one) { return one.id == id; });
  if (found == view.strips.end()) throw std::runtime_error("no strip " + std::string(id));
  return *found;
}

TEST(TimelineView, RatesAreTheBytesOfASampleOverItsTimeUnderTheMeasuredRoof) {
  Sampled sampled({kernel("", 1, 0)}, {1e6, 3e6});
  const DeviceView& view = sampled.view();
  EXPECT_EQ(view.bin_ns, 10 * kUs);
  const Strip& read = strip(view, "dram_read");
  ASSERT_EQ(read.bins.size(), 2U);
  EXPECT_DOUBLE_EQ(read.bins[0]->mean, 1e11);
  EXPECT_DOUBLE_EQ(read.bins[1]->mean, 3e11);
  EXPECT_EQ(read.roof, 4.72e12);
  EXPECT_DOUBLE_EQ(read.mean().value(), 2e11);
  EXPECT_DOUBLE_EQ(read.peak().value(), 3e11);
  EXPECT_DOUBLE_EQ(read.mean_of_roof().value(), 2e11 / 4.72e12);
  EXPECT_EQ(strip(view, "dram").ceiling, "dram_read");
  EXPECT_DOUBLE_EQ(strip(view, "dram").bins[1]->mean, 3e11);
  // What was not sampled has no strip.
  EXPECT_THROW(strip(view, "tensor"), std::runtime_error);
  EXPECT_FALSE(view.tensor);
}

TEST(TimelineView, TheRoofOfNvlinkIsTheoretical) {
  Sampled sampled({kernel("", 1, 0)}, {1e6, 3e6});
  sampled.device().values[std::string(sampled::kNvlinkSentBytes)] = {4e6, 2e6};
  EXPECT_FALSE(strip(sampled.view(), "nvlink_out").roof) << "nothing is known of the links";
  EXPECT_FALSE(strip(sampled.view(), "nvlink_out").mean_of_roof());
  sampled.run.ceilings.push_back(constructed::ceiling(
      "nvlink", CeilingKind::transfer, CeilingSource::theoretical, "nvlink", "", 478e9, "18 links"));
  const Strip& sent = strip(sampled.view(), "nvlink_out");
  EXPECT_EQ(sent.roof, 478e9);
  EXPECT_EQ(sent.ceiling, "nvlink");
  EXPECT_DOUBLE_EQ(sent.bins[0]->mean, 4e11);
}

TEST(TimelineView, AReadingOfPowerStandsForTheTimeSinceTheOneBefore) {
  Sampled sampled({kernel("", 10, 0)}, {1, 1, 1, 1});
  sampled.run.devices.front().settings = DeviceSettings{.power_limit_w = 700};
  sampled.device().power = {{10 * kUs, 300}, {30 * kUs, 500}};
  const Strip& power = strip(sampled.view(), "power");
  EXPECT_EQ(power.roof, 700);
  ASSERT_EQ(power.bins.size(), 4);
  EXPECT_DOUBLE_EQ(power.bins[0]->mean, 300);
  EXPECT_DOUBLE_EQ(power.bins[1]->mean, 500);
  EXPECT_DOUBLE_EQ(power.bins[2]->mean, 500);
  EXPECT_FALSE(power.bins[3]);
  EXPECT_DOUBLE_EQ(power.mean().value(), 1300.0 / 3) << "of what was read";
  EXPECT_FALSE(Strip{}.mean());
  EXPECT_FALSE(Strip{}.peak());
}

TEST(TimelineView, PowerIsMissingWhereReadingsAreFarApart) {
  constexpr std::uint64_t kMs = 1'000'000;
  DeviceTimeline device;
  device.power = {{20 * kMs, 300}, {500 * kMs, 400}};
  const std::vector<PowerSpan> spans = power_spans(device, 0);
  ASSERT_EQ(spans.size(), 2);
  EXPECT_EQ(spans[0].start_ns, 0);
  EXPECT_EQ(spans[1].start_ns, 250 * kMs);
  EXPECT_EQ(spans[1].end_ns, 500 * kMs);
}

TEST(TimelineView, OfAWatchedDeviceNothingIsKnownOfWhatRan) {
  Sampled sampled({}, {100, 100});
  sampled.run.plan.experiments = {{.name = "watch", .title = "watch"}};
  sampled.run.devices.resize(2);
  sampled.analysis = analyse(sampled.run);
  ASSERT_EQ(sampled.analysis.experiments.size(), 2);
  EXPECT_EQ(sampled.analysis.experiments[1].device, 1);
  EXPECT_TRUE(sampled.view().was_watched);
  EXPECT_EQ(sampled.view().dram->ratio(), std::nullopt);
}

TEST(TimelineView, OperationsOfTwoStreamsAtOnceAddUp) {
  Sampled sampled({kernel("", 1, 4e6), kernel("", 1, 1e6)}, {1e6, 1e6, 1e6, 1e6});
  sampled.device().launches = {{0, 0, 0, 40 * kUs}, {1, 1, 10 * kUs, 10 * kUs}};
  const DeviceView& view = sampled.view();
  const Strip& flops = strip(view, "flops");
  ASSERT_EQ(flops.bins.size(), 4U);
  EXPECT_NEAR(flops.bins[0]->mean, 1e11, 1);
  EXPECT_NEAR(flops.bins[1]->mean, 2e11, 1);
  EXPECT_NEAR(flops.bins[2]->mean, 1e11, 1);
  EXPECT_NEAR(flops.bins[3]->mean, 1e11, 1);
  EXPECT_EQ(flops.ceiling, "f32_add");
  EXPECT_DOUBLE_EQ(view.kernel_s, 50e-6);
  EXPECT_DOUBLE_EQ(view.unknown_flops_s, 0);
}

TEST(TimelineView, OperationsThatAreNotKnownAreToldByTheirShareOfTheTime) {
  Sampled sampled({kernel("", 1, 4e6), kernel("", 1, 1e6)}, {1e6, 1e6, 1e6, 1e6});
  sampled.run.measurements[1].counters.insert_or_assign(std::string(counter::kFadd),
                                                        CounterValue::unavailable("too late"));
  sampled.device().launches = {{0, 0, 0, 30 * kUs}, {1, 0, 30 * kUs, 10 * kUs}};
  const DeviceView& view = sampled.view();
  EXPECT_DOUBLE_EQ(view.unknown_flops_s, 10e-6);
  EXPECT_NEAR(strip(view, "flops").bins[3]->mean, 0, 1);
}

TEST(TimelineView, SampledBytesAreHeldAgainstThoseOfLaunchesAndCopies) {
  Sampled sampled({kernel("", 3, 0)}, {1e6, 1e6, 1e6, 0.4e6});
  sampled.run.application->transfers = {{0, TransferKind::device_to_device, 2, 1e6, 50e-6}};
  sampled.device().launches = {{0, 0, 0, 30 * kUs}};
  sampled.device().transfers = {{TransferKind::device_to_device, 30 * kUs, 10 * kUs}};
  const DramCheck check = sampled.view().dram.value();
  EXPECT_DOUBLE_EQ(check.sampled_bytes, 3.4e6);
  EXPECT_DOUBLE_EQ(check.counted_bytes, 3e6);
  // 20 kB a microsecond, read and written.
  EXPECT_DOUBLE_EQ(check.transfer_bytes, 0.4e6);
  EXPECT_DOUBLE_EQ(check.ratio().value(), 1);
  EXPECT_DOUBLE_EQ(check.unknown_share, 0);

  sampled.run.application->transfers.clear();
  const DramCheck unknown = sampled.view().dram.value();
  EXPECT_DOUBLE_EQ(unknown.transfer_bytes, 0);
  EXPECT_DOUBLE_EQ(unknown.unknown_share, 0.25);
}

TEST(TimelineView, OfALaunchCountsWhatRanWhileSamplesWereTaken) {
  Sampled sampled({kernel("", 4, 0)}, {1e6, 1e6, 1e6});
  sampled.device().launches = {{0, 0, 0, 40 * kUs}};
  sampled.device().start_ns[2] = 30 * kUs;
  const DeviceView& view = sampled.view();
  EXPECT_DOUBLE_EQ(view.dram->counted_bytes, 3e6);
  EXPECT_DOUBLE_EQ(view.missing_s, 10e-6);
  EXPECT_DOUBLE_EQ(view.missing_share(), 0.25);
  const Strip& dram = strip(view, "dram");
  ASSERT_EQ(dram.bins.size(), 4U);
  EXPECT_FALSE(dram.bins[2]);
  EXPECT_DOUBLE_EQ(dram.bins[3]->mean, 1e11);
}

TEST(TimelineView, SamplesThatWereNotKeptAreToldApartFromThoseThatAreMissing) {
  Sampled sampled({kernel("", 4, 0)}, {1e6, 1e6, 1e6});
  for (std::uint64_t& start_ns : sampled.device().start_ns) start_ns += 70 * kUs;
  EXPECT_DOUBLE_EQ(sampled.view().not_kept_s, 70e-6);
  EXPECT_DOUBLE_EQ(sampled.view().not_kept_share(), 0.7);
  EXPECT_DOUBLE_EQ(sampled.view().missing_s, 0);
  // The first sample includes the time since the start, and does not count as one.
  sampled.device().began_ns = 55 * kUs;
  EXPECT_DOUBLE_EQ(sampled.view().not_kept_s, 0);
}

TEST(TimelineView, TensorCoresWorkedForAsLongAsTheirOperationsNeed) {
  Sampled sampled({kernel("", 1, 0, 915e12 * 5e-6)}, {1e6, 1e6});
  sampled.device().launches = {{0, 0, 0, 20 * kUs}};
  auto& active = sampled.device().values[std::string(sampled::kTensorActive)];
  active = {0.25, 0.3};
  TensorCheck check = sampled.view().tensor.value();
  EXPECT_DOUBLE_EQ(check.needed_s, 5e-6);
  EXPECT_DOUBLE_EQ(check.active_s, 5.5e-6);
  EXPECT_TRUE(check.holds());
  active = {0.2, 0.2};
  EXPECT_FALSE(sampled.view().tensor->holds());
}

TEST(TimelineView, ManySamplesBecomeTwoThousandPartsThatKeepTheirExtremes) {
  std::vector<double> bytes(100'000, 1e6);
  bytes[51'003] = 9e6;
  Sampled sampled({kernel("", 1, 0)}, bytes);
  const Strip& dram = strip(sampled.view(), "dram");
  EXPECT_EQ(dram.bins.size(), kMostBins);
  EXPECT_DOUBLE_EQ(dram.bins[1020]->most, 9e11);
  EXPECT_NEAR(dram.bins[1020]->mean, (49 * 1e11 + 9e11) / 50, 1e3);
  EXPECT_NEAR(dram.bins[1019]->most, 1e11, 1e3);
}

TEST(TimelineView, ATimelineWithoutSamplesOfTheDeviceShowsNothing) {
  Sampled sampled({kernel("", 1, 0)}, {});
  const Analysis analysis = analyse(sampled.run);
  EXPECT_FALSE(device_view(sampled.run, analysis.experiments.front(), sampled.timeline));
  sampled.timeline.devices.clear();
  EXPECT_FALSE(device_view(sampled.run, analysis.experiments.front(), sampled.timeline));
}

std::vector<std::string> names(const std::vector<Phase>& phases) {
  std::vector<std::string> all;
  for (const Phase& phase : phases) all.push_back(phase.name);
  return all;
}

void expect_consecutive(const DeviceView& view) {
  std::uint64_t at_ns = view.start_ns;
  for (const Phase& phase : view.phases) {
    EXPECT_EQ(phase.start_ns, at_ns);
    at_ns = phase.end_ns();
  }
  EXPECT_EQ(at_ns, view.end_ns);
}

TEST(Phases, AreTheOutermostRangesOfTheLaunchesThatChange) {
  Sampled sampled(
      {kernel("step/forward/a", 1, 1e6), kernel("step/forward/b", 1, 1e6), kernel("step/backward", 1, 0)},
      std::vector<double>(12, 2e6));
  auto& launches = sampled.device().launches;
  for (std::uint64_t i = 0; i < 12; ++i) {
    launches.push_back({i % 4 < 2 ? i % 2 : 2, 0, i * 10 * kUs, 10 * kUs});
  }
  const DeviceView& view = sampled.view();
  EXPECT_EQ(view.phase_rule, PhaseRule::ranges);
  EXPECT_THAT(names(view.phases), ElementsAre("step/forward", "step/backward", "step/forward",
                                              "step/backward", "step/forward", "step/backward"));
  expect_consecutive(view);
  EXPECT_DOUBLE_EQ(view.phases[0].dram_bytes_per_s.value(), 2e11);
  EXPECT_NEAR(view.phases[0].flop_per_s.value(), 1e11, 1);
  EXPECT_NEAR(view.phases[0].ai.value(), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(view.phases[1].flop_per_s.value(), 0);
  EXPECT_FALSE(view.phases[1].ai);
}

TEST(Phases, HaveNoRateWhereOperationsAreNotKnown) {
  Sampled sampled({kernel("a", 1, 1e6), kernel("b", 1, 1e6)}, std::vector<double>(4, 2e6));
  sampled.run.measurements[1].counters.insert_or_assign(std::string(counter::kFadd),
                                                        CounterValue::unavailable("too late"));
  sampled.device().launches = {{0, 0, 0, 20 * kUs}, {1, 0, 20 * kUs, 20 * kUs}};
  const DeviceView& view = sampled.view();
  ASSERT_EQ(view.phases.size(), 2U);
  EXPECT_TRUE(view.phases[0].flop_per_s);
  EXPECT_FALSE(view.phases[1].flop_per_s);
}

TEST(Phases, AreThePassagesOfTheHostWhereAllLaunchesAreInOneRange) {
  Sampled sampled({kernel("step", 1, 1e6)}, std::vector<double>(6, 2e6));
  sampled.device().launches = {{0, 0, 0, 60 * kUs}};
  sampled.timeline.paths = {"train", "step"};
  sampled.timeline.ranges = {
      {1, 4711, 5 * kUs, 20 * kUs}, {1, 4711, 25 * kUs, 20 * kUs}, {1, 99, 0, 60 * kUs}};
  const DeviceView& view = sampled.view();
  EXPECT_EQ(view.phase_rule, PhaseRule::passages);
  EXPECT_THAT(names(view.phases), ElementsAre("no range", "step", "step"));
  expect_consecutive(view);
}

TEST(Phases, WithoutRangesAreChangesOfRegime) {
  std::vector<double> bytes(400, 10e6);
  std::fill(bytes.begin() + 200, bytes.end(), 40e6);
  // Noise of a tenth of the difference is no change.
  for (std::size_t i = 0; i < bytes.size(); i += 3) bytes[i] += 2e6;
  Sampled sampled({kernel("", 1, 0)}, bytes);
  const DeviceView& view = sampled.view();
  EXPECT_EQ(view.phase_rule, PhaseRule::regimes);
  ASSERT_EQ(view.phases.size(), 2U);
  EXPECT_EQ(view.phases[1].start_ns, 2000 * kUs);
  expect_consecutive(view);

  // Of a multiple of what repeats, no shorter part is left at the end.
  std::vector<double> repeating(407, 0);
  for (std::size_t i = 0; i < repeating.size(); i += 2) repeating[i] = 20e6;
  Sampled cycle({kernel("", 1, 0)}, repeating);
  EXPECT_TRUE(cycle.view().phases.empty());

  Sampled steady({kernel("", 1, 0)}, std::vector<double>(400, 10e6));
  EXPECT_EQ(steady.view().phase_rule, PhaseRule::none);
  EXPECT_TRUE(steady.view().phases.empty());
}

TEST(Phases, AreNotPartedByWhatIsTooShortToBeSeen) {
  Sampled sampled({kernel("a", 1, 0), kernel("b", 1, 0)}, std::vector<double>(500, 1e6));
  sampled.device().launches = {{0, 0, 0, 2000 * kUs},
                               {1, 1, 1000 * kUs, kUs},
                               {0, 0, 1000 * kUs + kUs, 999 * kUs},
                               {1, 0, 3000 * kUs, 2000 * kUs}};
  EXPECT_THAT(names(sampled.view().phases), ElementsAre("a", "b"));
}

TEST(Phases, AreNotMadeUpWhereRangesChangeFasterThanTheyCanShow) {
  Sampled sampled({kernel("a", 1, 0), kernel("b", 1, 0)}, std::vector<double>(500, 1e6));
  auto& launches = sampled.device().launches;
  // One in twenty is long enough to be seen.
  std::uint64_t at_ns = 0;
  for (std::size_t i = 0; at_ns < 5000 * kUs; ++i) {
    const std::uint64_t duration_ns = (i % 20 == 0 ? 10 : 4) * kUs;
    launches.push_back({i % 2, 0, at_ns, duration_ns});
    at_ns += duration_ns;
  }
  EXPECT_EQ(sampled.view().phase_rule, PhaseRule::none);
}

TEST(TimelineView, TheProgramOfTheTestsAgreesWithItsCounters) {
  const rooflinectl::Run run = constructed::program_run();
  const Timeline timeline = constructed::program_timeline(run);
  const Analysis analysis = analyse(run);
  const DeviceView view = device_view(run, analysis.experiments.front(), timeline).value();
  EXPECT_NEAR(view.dram->ratio().value(), 1, 0.001);
  EXPECT_TRUE(view.tensor->holds());
  EXPECT_GT(view.missing_share(), 0.005);
  EXPECT_EQ(view.not_kept_s, 0);
  EXPECT_EQ(view.phase_rule, PhaseRule::ranges);
  const std::vector<std::string> all = names(view.phases);
  EXPECT_EQ(std::count(all.begin(), all.end(), "step/optimizer"), 10);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 5U);
  expect_consecutive(view);
}

}  // namespace
}  // namespace rooflinectl::timeline_view_test
