// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/files/files.h"
#include "reports/formats/formats.h"
#include "reports/page/page.h"
#include "reports/page/program/page_program.h"
#include "reports/sentences/sentences.h"
#include "tests/support/program_timeline.h"

namespace rooflinectl::page_timeline_test {
namespace {

using testing::HasSubstr;
using testing::Not;

serial::Json timeline_of(const ReportModel& report) {
  return serial::Json::parse(page_data(report)).at("run").at("experiments").at(0).at("timeline");
}

std::string with_plain_spaces(std::string text) {
  constexpr std::string_view kNoBreak = "\u00a0";
  for (std::size_t at = 0; (at = text.find(kNoBreak, at)) != std::string::npos; ++at) {
    text.replace(at, kNoBreak.size(), " ");
  }
  return text;
}

TEST(PageTimeline, HasLaunchesStripsAndPhasesOfTheWindow) {
  const auto run = constructed::program_run();
  const Timeline timeline = constructed::program_timeline(run);
  const ReportModel report(run, {}, &timeline);
  const auto view = timeline_of(report);
  EXPECT_EQ(view.at("launches").at("point").size(), timeline.devices[0].launches.size());
  EXPECT_EQ(view.at("begin_ns"), timeline.devices[0].start_ns.front());
  // Distances add up to the last start.
  auto start_ns = static_cast<std::int64_t>(timeline.devices[0].start_ns.front());
  for (const auto& distance : view.at("launches").at("start_ns")) start_ns += distance.get<std::int64_t>();
  EXPECT_EQ(start_ns, static_cast<std::int64_t>(timeline.devices[0].launches.back().start_ns));
  const int place = view.at("launches").at("point").front().get<int>();
  const auto& point = report.experiments[0].analysis->points[static_cast<std::size_t>(place)];
  EXPECT_EQ(point.measurement, &run.measurements[timeline.devices[0].launches.front().measurement]);
  EXPECT_EQ(view.at("strips").at(0).at("id"), "dram");
  EXPECT_EQ(view.at("left_out").at(0),
            "Not sampled: NVLink in (not on this device), NVLink out (not on this device).");
  EXPECT_EQ(view.at("phases").size(), report.experiments[0].timeline->phases.size());
}

TEST(PageTimeline, IsAbsentWhereNothingWasSampled) {
  const auto run = constructed::program_run();
  EXPECT_THAT(page_data(ReportModel(run)), Not(HasSubstr("\"timeline\"")));
  EXPECT_THAT(summary_md(ReportModel(run)), Not(HasSubstr("Sampled")));
  Timeline nothing;
  EXPECT_THAT(page_data(ReportModel(run, {}, &nothing)), Not(HasSubstr("\"timeline\"")));
}

TEST(PageTimeline, SummariesTellWhatIsMissingAndWhetherItAgrees) {
  const auto run = constructed::program_run();
  const Timeline timeline = constructed::program_timeline(run);
  const std::string summary = with_plain_spaces(summary_md(ReportModel(run, {}, &timeline)));
  EXPECT_THAT(summary,
              HasSubstr("Sampled for 44.48 ms every 20.00 µs: 2197 samples, 1.2 % of the window lost."));
  EXPECT_THAT(summary, HasSubstr("1.000 of the 83.4 GB counted for the launches and copies in it"));
  EXPECT_THAT(summary, HasSubstr("Tensor Cores active for 7.521 ms, no less than their operations need"));
}

TEST(PageTimeline, SummariesTellWhereSampledAndCountedBytesDiffer) {
  const auto run = constructed::program_run();
  Timeline timeline = constructed::program_timeline(run);
  const auto sentence = [&] {
    return with_plain_spaces(timeline_sentences(*ReportModel(run, {}, &timeline).experiments[0].timeline)[1]);
  };
  EXPECT_THAT(sentence(), Not(HasSubstr("should agree")));
  for (auto& [key, column] : timeline.devices[0].values) {
    for (double& value : column) value *= 0.9;
  }
  EXPECT_THAT(sentence(), HasSubstr("in it: they should agree to 3 %"));
  EXPECT_THAT(sentence(), HasSubstr("less than their operations need"));
}

TEST(PageTimeline, RangesThatAreTooManyAreLeftOutByWholeLevels) {
  const auto run = constructed::program_run();
  Timeline timeline = constructed::program_timeline(run);
  const std::uint64_t start_ns = timeline.devices[0].start_ns.front();
  timeline.paths = {"a", "a/b"};
  timeline.ranges.assign(1, {0, 4711, start_ns, 1'000'000});
  for (int i = 0; i < 200'000; ++i) timeline.ranges.push_back({1, 4711, start_ns, 100});
  const auto view = timeline_of(ReportModel(run, {}, &timeline));
  EXPECT_EQ(view.at("ranges").at("path").size(), 1U);
  EXPECT_EQ(view.at("ranges").at("depths"), 1);
  EXPECT_EQ(view.at("left_out").back(),
            "Not shown: 200000 passages through NVTX ranges deeper than 1 level.");
}

TEST(PageTimeline, AsLargeAsItCanBeThePageStaysBelowTenMegabytes) {
  const auto run = constructed::program_run();
  Timeline timeline;
  DeviceTimeline& device = timeline.devices.emplace_back();
  device.interval_ns = 100'000;
  std::mt19937_64 random(1);
  const auto uniform = [&](std::uint64_t most) { return random() % most; };
  for (std::size_t i = 0; i < kMostSamples; ++i) {
    device.start_ns.push_back(i * device.interval_ns);
    device.duration_ns.push_back(device.interval_ns - uniform(50));
    for (const Metric& metric : sampled_metrics()) {
      device.values[std::string(metric.key)].push_back(static_cast<double>(uniform(1'000'000)));
    }
  }
  const std::uint64_t span_ns = kMostSamples * device.interval_ns;
  for (std::size_t i = 0; i < kMostTimelineLaunches; ++i) {
    device.launches.push_back({uniform(run.measurements.size()), uniform(3),
                               span_ns / kMostTimelineLaunches * i + uniform(20'000),
                               1000 + uniform(80'000)});
  }
  timeline.paths = {"step", "step/forward", "step/backward"};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    timeline.ranges.push_back({uniform(3), 4711, i * 100'000 + uniform(1000), 1000 + uniform(90'000)});
  }
  const std::string page = report_page(ReportModel(run, {}, &timeline), {.experiments = {{}}});
  EXPECT_LT(page.size(), 10'000'000U);
  RecordProperty("bytes", static_cast<int>(page.size()));
}

}  // namespace
}  // namespace rooflinectl::page_timeline_test
