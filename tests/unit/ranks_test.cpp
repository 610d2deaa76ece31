// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/ranks.h"

#include <gmock/gmock.h>

#include "analysis/roofline/point.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"

namespace rooflinectl::ranks_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";

/// A group of one rank, with an interval of 1 % to either side.
Measurement group(int rank, const std::string& subject, double median_s, std::uint64_t count = 100) {
  Measurement measurement;
  measurement.point = {.experiment = "train", .subject = subject, .axes = {}};
  measurement.point.axes.set(axis::kPath, std::string("step"));
  measurement.device = static_cast<std::size_t>(rank);
  measurement.rank = rank;
  measurement.process = 100 + rank;
  measurement.time = TimeResult{
      .median_s = median_s, .ci_low_s = 0.99 * median_s, .ci_high_s = 1.01 * median_s, .samples_s = {}};
  measurement.launches = LaunchStatistics{
      .symbol = subject, .count = count, .traced = count, .total_s = static_cast<double>(count) * median_s};
  return measurement;
}

/// The one with this title among the tables of the ranks.
Table table_of(const Run& run, std::string_view title) {
  const std::vector<Table> tables = rank_tables(run, *rank_analysis(run), 10);
  return *std::ranges::find(tables, title, &Table::title);
}

Run run_of(int ranks) {
  Run run;
  run.devices.resize(static_cast<std::size_t>(ranks));
  Application& application = run.application.emplace();
  application.hosts = {{.name = "node", .boot_id = "a", .clock_ns = 0, .uncertainty_s = 0}};
  for (int rank = 0; rank < ranks; ++rank) {
    run.devices[static_cast<std::size_t>(rank)].name = "NVIDIA H200";
    application.processes.push_back({.id = 100 + rank,
                                     .rank = rank,
                                     .ranks = ranks,
                                     .host = 0,
                                     .devices = {static_cast<std::size_t>(rank)},
                                     .collectives = {}});
  }
  return run;
}

TEST(Ranks, OneProcessHasNone) {
  auto run = run_of(1);
  run.measurements = {group(0, "gemm", 1e-3)};
  EXPECT_FALSE(rank_analysis(run).has_value());
  EXPECT_FALSE(rank_analysis(rooflinectl::Run{}).has_value());
}

TEST(Ranks, NamesTheOneThatIsSlower) {
  auto run = run_of(4);
  for (int rank = 0; rank < 4; ++rank) {
    run.measurements.push_back(group(rank, "gemm", rank == 2 ? 1.1e-3 : 1e-3));
    run.measurements.push_back(group(rank, "copy", 1e-4));
  }
  const auto analysis = rank_analysis(run);
  ASSERT_TRUE(analysis.has_value());
  EXPECT_THAT(analysis->stragglers, ElementsAre(2));
  const RankGroupUse& gemm = analysis->groups.front();
  EXPECT_EQ(gemm.kernel, "gemm");
  EXPECT_EQ(gemm.slowest, 2);
  EXPECT_EQ(gemm.slower(), 1);
  EXPECT_DOUBLE_EQ(gemm.min_s, 1e-3);
  EXPECT_DOUBLE_EQ(gemm.max_s, 1.1e-3);
  EXPECT_NEAR(analysis->ranks[2].slow_s, 100 * 0.1e-3, 1e-9);
  EXPECT_THAT(
      rank_sentences(run, *analysis),
      Contains(HasSubstr("Rank 2 (node, device 2) is slower than the others in 1 of 2 launch groups")));

  for (Measurement& measurement : run.measurements) {
    measurement.launches->overlapped_s = 0.7 * measurement.launches->total_s;
  }
  EXPECT_THAT(rank_sentences(run, *rank_analysis(run)),
              Contains(HasSubstr("1.100 ms per launch in the mean, against 1.000 ms in the median rank; "
                                 "other kernels ran alongside it for 70.0 % of its time.")));
}

TEST(Ranks, LoseMostWhereTheyTakeLongestBeyondTheOthers) {
  auto run = run_of(4);
  for (int rank = 0; rank < 4; ++rank) {
    // The fastest of the others is far ahead in `copy`; the median of the others is what counts.
    run.measurements.push_back(group(rank, "copy", rank == 3 ? 1.1e-3 : rank == 0 ? 0.1e-3 : 1e-3));
    run.measurements.push_back(group(rank, "gemm", rank == 3 ? 1.3e-3 : 1e-3));
    run.measurements.push_back(group(rank, "gelu", rank == 3 ? 0.9e-3 : 1e-3));
  }
  const auto analysis = rank_analysis(run);
  ASSERT_NE(analysis->slowest_group(3), nullptr);
  EXPECT_EQ(analysis->slowest_group(3)->kernel, "gemm");
  EXPECT_NEAR(analysis->slowest_group(3)->of(3)->slow_s, 100 * 0.3e-3, 1e-9);
  EXPECT_EQ(analysis->slowest_group(0), nullptr) << "it is slower in none";
  EXPECT_EQ(analysis->groups.front().of(7), nullptr);
}

TEST(Ranks, AddUp) {
  auto run = run_of(2);
  run.measurements = {group(0, "gemm", 1e-3), group(1, "gemm", 2e-3), group(0, kAllReduce, 1e-3)};
  run.measurements[2].launches->overlapped_s = 0.025;
  const RankUse all = rank_analysis(run)->sum();
  EXPECT_DOUBLE_EQ(all.compute_s, 0.3);
  EXPECT_DOUBLE_EQ(all.collective_share(), 0.25);
  EXPECT_DOUBLE_EQ(all.overlapped_share(), 0.25);
  EXPECT_EQ(all.wait_share(), 0) << "nothing was judged";
}

TEST(Ranks, NoneIsSlowerWithoutEvidence) {
  const auto stragglers = [](auto change) {
    auto run = run_of(4);
    for (int rank = 0; rank < 4; ++rank)
      run.measurements.push_back(group(rank, "gemm", rank == 2 ? 1.1e-3 : 1e-3));
    change(run.measurements);
    return rank_analysis(run)->stragglers;
  };
  EXPECT_THAT(stragglers([](auto&) {}), ElementsAre(2));
  EXPECT_THAT(stragglers([](auto& all) { all[2].launches->total_s = 0.104; }), IsEmpty()) << "4 %";
  EXPECT_THAT(stragglers([](auto& all) { all[2].time->ci_low_s = 0.99e-3; }), IsEmpty())
      << "intervals overlap";
  EXPECT_THAT(stragglers([](auto& all) { all[2].launches->traced = 4; }), IsEmpty()) << "too few launches";
  EXPECT_THAT(stragglers([](auto& all) {
                for (Measurement& one : all) one.point.subject = kAllReduce;
              }),
              IsEmpty())
      << "who is longer in a collective waits for others";
}

TEST(Ranks, TakesThoseWithoutMeasurementsToo) {
  auto run = run_of(4);
  run.measurements = {group(0, "gemm", 1e-3)};
  RankGroup rest = {.point = run.measurements[0].point, .ranks = {}};
  for (int rank = 1; rank < 4; ++rank) {
    rest.ranks.push_back({.process = 100 + rank,
                          .count = 10,
                          .traced = 10,
                          .total_s = 0.02,
                          .median_s = 2e-3,
                          .ci_low_s = 2e-3,
                          .ci_high_s = 2e-3});
  }
  run.application->other_ranks = {rest};
  const auto analysis = rank_analysis(run);
  EXPECT_EQ(analysis->ranks.size(), 4);
  EXPECT_EQ(analysis->groups.at(0).ranks.size(), 4);
  EXPECT_DOUBLE_EQ(analysis->groups[0].median_s, 2e-3);
}

TEST(Ranks, PutsTimesIntoPhases) {
  auto run = run_of(2);
  run.measurements = {group(0, "gemm", 1e-3), group(1, "gemm", 1e-3), group(0, kAllReduce, 2e-3),
                      group(1, "copy", 1e-3)};
  run.measurements[3].point.axes = {};
  const auto analysis = rank_analysis(run);
  ASSERT_EQ(analysis->phases.size(), 3);
  EXPECT_EQ(analysis->phases[0].name, "collectives");
  EXPECT_THAT(analysis->phases[0].times_s, ElementsAre(testing::DoubleEq(0.2), 0));
  EXPECT_EQ(analysis->phases[1].name, "step");
  EXPECT_EQ(analysis->phases[2].name, "no range");
  EXPECT_EQ(analysis->single_groups, 2);
}

TEST(Ranks, RangesNameTheRankThatIsSlowerThere) {
  auto run = run_of(4);
  for (int rank = 0; rank < 4; ++rank) {
    run.measurements.push_back(group(rank, "gemm", rank == 2 ? 1.1e-3 : 1e-3));
    run.measurements.push_back(group(rank, "copy", 1e-4, rank == 1 ? 900 : 100));
    run.measurements.back().point.axes.set(axis::kPath, std::string("load"));
    run.measurements.push_back(group(rank, kAllReduce, 5e-3));
  }
  const auto analysis = rank_analysis(run);
  const Table table = table_of(run, "Ranges on several ranks");
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_THAT(table.rows[0],
              ElementsAre("step", "4", "100.0 ms", "100.0 ms", "110.0 ms", "10.0 %", "rank 2", "9.1 %"));
  EXPECT_THAT(table.rows[1], ElementsAre("load", "4", "10.00 ms", "10.00 ms", "90.00 ms", "800.0 %", "", ""))
      << "more launches are not slower ones";
  EXPECT_THAT(rank_sentences(run, *analysis),
              Contains(HasSubstr("most of it in gemm in step: 1.100 ms per launch")));
}

/// Two ranks in collectives of 10 ms; rank 1 comes 4 ms late to each.
Run waiting_run() {
  auto run = run_of(2);
  run.measurements = {group(0, kAllReduce, 10e-3, 3), group(1, kAllReduce, 6e-3, 3)};
  run.measurements[0].launches->overlapped_s = 3e-3;
  run.application->collectives = {{.subject = kAllReduce, .path = "step"}};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t end_ns = 100'000'000 * (i + 1);
    run.application->processes[0].collectives.push_back({0, end_ns - 10'000'000, 10'000'000});
    run.application->processes[1].collectives.push_back({0, end_ns - 6'000'000, 6'001'000});
  }
  return run;
}

TEST(CollectiveWaits, AreBeyondTheRankThatComesLast) {
  const auto run = waiting_run();
  const auto analysis = rank_analysis(run);
  EXPECT_EQ(analysis->ranks[0].last, 0);
  EXPECT_EQ(analysis->ranks[1].last, 3);
  EXPECT_NEAR(analysis->ranks[0].wait_s, 3 * 3.999e-3, 1e-9);
  EXPECT_EQ(analysis->ranks[1].wait_s, 0);
  ASSERT_EQ(analysis->collectives.size(), 1);
  EXPECT_EQ(analysis->collectives[0].path, "step");
  EXPECT_EQ(analysis->collectives[0].judged, 6);
  EXPECT_NEAR(analysis->collectives[0].overlapped_s, 3e-3, 1e-12);
  EXPECT_EQ(analysis->latest().first->name, "rank 1");
  EXPECT_DOUBLE_EQ(analysis->caused_share(analysis->ranks[1]), 1);
  EXPECT_THAT(rank_sentences(run, *analysis),
              Contains(HasSubstr("(3 were matched between ranks). Of that, 100.0 % is for rank 1.")));
  EXPECT_EQ(analysis->ranks[0].last_share(), 0);
  const Table table = table_of(run, "Collectives by range");
  EXPECT_THAT(table.rows.at(0), ElementsAre("step", "48.00 ms", "25.0 %", "6", "6.2 %"));
}

TEST(CollectiveWaits, NameOneRankOnlyIfMostOfTheWaitingIsForIt) {
  auto run = waiting_run();
  run.application->processes[0].collectives[2] = {0, 299'000'000, 1'000'000};
  run.application->processes[1].collectives[2] = {0, 290'000'000, 10'000'000};
  const auto analysis = rank_analysis(run);
  EXPECT_EQ(analysis->ranks[1].last, 2);
  EXPECT_EQ(analysis->latest().first->name, "rank 0") << "rank 1 is last more often, but by less";
  EXPECT_THAT(rank_sentences(run, *analysis),
              Contains(HasSubstr("Of that, 52.9 % is for rank 0, 47.1 % for rank 1: the ranks take turns "
                                 "arriving last.")));
}

TEST(CollectiveWaits, AreSaidWithTheRankThatCausesThem) {
  const DeviceUse device = {.span_s = 1, .busy_s = 1};
  ProgramUse program;
  program.gpus = 2;
  program.device = &device;
  program.kernel_s = 1;
  program.waiting = {.wait_s = 0.3,
                     .last = "rank 1",
                     .last_share = 0.83,
                     .is_one_late = true,
                     .second = "rank 0",
                     .second_share = 0.17};
  const Loss loss = {.kind = LossKind::waiting, .share = 0.3};
  EXPECT_THAT(program_headline(program), HasSubstr("83 % of it for rank 1, whose CPU launches late."));
  EXPECT_THAT(loss_text(program, loss).cause,
              StartsWith("83 % of the ranks’ waiting in collectives is for rank 1. Its kernels are not"));
  program.waiting->last_slow_share = 0.03;
  EXPECT_THAT(program_headline(program), HasSubstr("83 % of it for rank 1, whose kernels are slower."));
  program.waiting->is_one_late = false;
  program.waiting->last_share = 0.6;
  program.waiting->second_share = 0.4;
  EXPECT_THAT(program_headline(program),
              HasSubstr(": the ranks take turns arriving last, as their CPUs launch unevenly."));
  EXPECT_EQ(loss_text(program, loss).cause,
            "The ranks take turns arriving last: 60 % of the ranks’ waiting in collectives is for rank 1, "
            "40 % for rank 0. Their CPUs launch unevenly.");
  program.gpus = 1;
  EXPECT_THAT(program_headline(program),
              EndsWith("for the rank that arrives last 30 % of the time (300.0 ms of "
                       "1.000 s)."))
      << "it may be the one that the others wait for";
}

// Held launches of collectives, and those of kernels while the trace was off.
TEST(Ranks, LaunchesWithoutATimeAreInNoTime) {
  auto run = waiting_run();
  run.measurements.push_back(group(0, "gemm", 1e-3));
  for (Measurement& measurement : run.measurements) measurement.launches->count *= 2;
  const auto analysis = rank_analysis(run);
  EXPECT_NEAR(analysis->ranks[0].compute_s, 0.1, 1e-12);
  EXPECT_NEAR(analysis->ranks[0].collective_s, 30e-3, 1e-12);
  EXPECT_NEAR(analysis->ranks[0].overlapped_share(), 0.1, 1e-9);
  EXPECT_NEAR(analysis->phases[1].times_s[0], 30e-3, 1e-12);
  EXPECT_NEAR(analysis->collectives[0].total_s, analysis->sum().collective_s, 1e-12);
}

TEST(RankWindow, HasATypicalWaitAndWhenEachRankCame) {
  auto run = waiting_run();
  // Three parts of 100 ms from the first launch on; rank 1 is 4, 1 and 9 ms late, and the last part is not
  // full.
  auto& late = run.application->processes[1].collectives;
  late[1] = {0, 199'000'000, 1'000'000};
  const auto window = typical_window(*run.application, 100'000'000);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->duration_ns, 100'000'000);
  ASSERT_EQ(window->processes.size(), 2);
  ASSERT_EQ(window->processes[0].size(), 1);
  ASSERT_EQ(window->processes[1].size(), 1);
  const CollectiveSpan& first = window->processes[0][0];
  EXPECT_EQ(first.start_ns, 0);
  EXPECT_EQ(first.duration_ns, 10'000'000);
  EXPECT_EQ(first.wait_ns, 9'000'000);
  EXPECT_EQ(window->processes[1][0].wait_ns, 0);
  EXPECT_EQ(window->processes[1][0].start_ns, 9'000'000);
  EXPECT_FALSE(typical_window(*run.application, 1'000'000'000)) << "longer than the run";
  run.application->hosts[0].uncertainty_s = std::nullopt;
  EXPECT_FALSE(typical_window(*run.application, 100'000'000)) << "nothing is matched";
}

TEST(RankWindow, IsOneInWhichTheSameRankWaitsAsInTheWholeRun) {
  auto run = waiting_run();
  // Rank 0 waits for 4 ms, rank 1 for 5 ms, rank 0 for 9 ms, and nobody in two parts, of which the last is
  // not full.
  auto& first = run.application->processes[0].collectives;
  auto& second = run.application->processes[1].collectives;
  first[1] = {0, 199'000'000, 1'000'000};
  second[1] = {0, 194'000'000, 6'000'000};
  second[2] = {0, 299'000'000, 1'000'000};
  for (const std::uint64_t start_ns : {390'000'000, 490'000'000}) {
    first.push_back({0, start_ns, 10'000'000});
    second.push_back({0, start_ns, 10'000'000});
  }
  const auto window = typical_window(*run.application, 100'000'000);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->processes[0][0].wait_ns, 9'000'000);
  EXPECT_EQ(window->processes[1][0].wait_ns, 0);
}

TEST(CollectiveSizes, HaveTheBandwidthOfTheRankThatComesLast) {
  auto run = waiting_run();
  run.application->collectives[0].bytes = 600'100'000;
  const auto sizes = rank_analysis(run)->collective_sizes;
  ASSERT_EQ(sizes.size(), 1);
  EXPECT_EQ(sizes[0].collective, Collective::all_reduce);
  EXPECT_EQ(sizes[0].ranks, 2);
  EXPECT_EQ(sizes[0].count, 3);
  EXPECT_DOUBLE_EQ(sizes[0].time.time_s, 6.001e-3);
  EXPECT_THAT(table_of(run, "Collectives by size").rows.at(0),
              ElementsAre("all-reduce", "600.10 MB", "2", "3", "6.001 ms", "100 GB/s", "100 GB/s", "–", "–",
                          "–", "–"));
  const auto share_of_nvlink = [&](CeilingSource source, double bytes_per_s) {
    for (std::size_t device = 0; device < 2; ++device) {
      Ceiling& nvlink = run.ceilings.emplace_back();
      nvlink.device = device;
      nvlink.id = "nvlink";
      nvlink.source = source;
      nvlink.value = bytes_per_s;
    }
    const Table table = table_of(run, "Collectives by size");
    return table.columns.at(7).title + ": " + table.rows.at(0).at(7);
  };
  EXPECT_EQ(share_of_nvlink(CeilingSource::theoretical, 400e9), "of theoretical NVLink: 25.0 %");
  EXPECT_EQ(share_of_nvlink(CeilingSource::measured, 200e9), "of NVLink copy: 50.0 %");
}

TEST(CollectiveSizes, AreComparedWithWhatTheyTakeAlone) {
  auto run = waiting_run();
  run.application->collectives[0].bytes = 600'100'000;
  Collectives& alone = run.collectives.emplace();
  alone.nccl = "NCCL 2.28.9";
  alone.measured_utc = "2026-11-23T08:00:00Z";
  alone.times = {{.collective = Collective::all_gather, .sizes = {{.bytes = 8, .time_s = 1}}},
                 {.collective = Collective::all_reduce, .sizes = {{.bytes = 600'100'000, .time_s = 5e-3}}}};
  EXPECT_THAT(table_of(run, "Collectives by size").rows.at(0),
              ElementsAre("all-reduce", "600.10 MB", "2", "3", "6.001 ms", "100 GB/s", "100 GB/s", "–",
                          "120 GB/s", "83.3 %", "1.001 ms"));
  const std::vector<CollectiveSize> sizes = rank_analysis(run)->collective_sizes;
  EXPECT_DOUBLE_EQ(sizes.at(0).share_of_alone().value(), 5e-3 / 6.001e-3);
  EXPECT_DOUBLE_EQ(sizes[0].alone_bus_bytes_per_s().value(), 600'100'000 / 5e-3);
  EXPECT_EQ(against_alone(sizes)->count, 3);
  EXPECT_NEAR(against_alone(sizes)->relative_excess(), 6.001e-3 / 5e-3 - 1, 1e-12);
  EXPECT_FALSE(against_alone({}));
  EXPECT_THAT(rank_sentences(run, *rank_analysis(run)),
              Contains("Without waiting, collectives take 20.0 % longer than in isolation (NCCL 2.28.9, "
                       "2026-11-23 08:00 UTC; over 3 of known size)."));
  alone.times[1].sizes[0].time_s = 7e-3;
  EXPECT_EQ(table_of(run, "Collectives by size").rows.at(0).back(), "");
  EXPECT_THAT(rank_sentences(run, *rank_analysis(run)),
              Contains(HasSubstr("collectives take 14.3 % less than in isolation")));
}

TEST(CollectiveSizes, AreNotComparedWithThoseOverOtherDevices) {
  auto run = waiting_run();
  run.application->collectives[0].bytes = 1000;
  run.devices.resize(3);
  run.collectives.emplace().times = {
      {.collective = Collective::all_reduce, .sizes = {{.bytes = 1000, .time_s = 1e-3}}}};
  EXPECT_FALSE(rank_analysis(run)->collective_sizes.at(0).alone_s.has_value());
  run.devices.resize(2);
  EXPECT_EQ(rank_analysis(run)->collective_sizes.at(0).alone_s, 1e-3);
}

TEST(CollectiveSizes, CountThePartsOfAllRanks) {
  auto run = waiting_run();
  run.application->collectives[0] = {
      .subject = "ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", .path = "step", .bytes = 1000};
  EXPECT_DOUBLE_EQ(rank_analysis(run)->collective_sizes.at(0).time.bytes, 2000);
  run.application->collectives[0].subject = "ncclDevKernel_Generic_4(ncclDevComm*)";
  EXPECT_THAT(rank_analysis(run)->collective_sizes, IsEmpty());
  run.application->collectives[0] = {.subject = kAllReduce, .path = "step", .bytes = std::nullopt};
  EXPECT_THAT(rank_analysis(run)->collective_sizes, IsEmpty());
}

TEST(CollectiveWaits, NeedThatTheyEndTogether) {
  auto run = waiting_run();
  for (CollectiveLaunch& launch : run.application->processes[1].collectives) launch.start_ns += 1'000'000;
  EXPECT_THAT(collective_waits(*run.application).launches, IsEmpty());
  run.application->hosts[0].uncertainty_s = 1e-3;
  EXPECT_THAT(collective_waits(*run.application).launches, testing::SizeIs(6));
  run.application->hosts[0].uncertainty_s = std::nullopt;
  EXPECT_THAT(collective_waits(*run.application).launches, IsEmpty());
}

/// A pass of rank 1; the collectives end at 0.1, 0.2 and 0.3 s.
PassUse pass_of_rank_1(double start_s, std::optional<double> counted_until_s, double end_s) {
  return {.process = 101,
          .pass = "memory",
          .is_traced = true,
          .start_s = start_s,
          .end_s = end_s,
          .counted_until_s = counted_until_s};
}

TEST(CollectiveWaits, AreNotJudgedWhileAnyRankIsHeldToBeCounted) {
  const auto judged = [](const std::vector<PassUse>& passes) {
    auto run = waiting_run();
    run.application->passes = passes;
    const CollectiveWaits waits = collective_waits(*run.application);
    EXPECT_EQ(waits.judged.size() + waits.set_aside, 3);
    return waits.judged.size();
  };
  EXPECT_EQ(judged({pass_of_rank_1(0.31, 0.35, 0.4)}), 3) << "begins behind the last one";
  EXPECT_EQ(judged({pass_of_rank_1(0.12, 0.13, 0.14)}), 2) << "between two: it was late for the next";
  EXPECT_EQ(judged({pass_of_rank_1(0, 0.05, 0.31)}), 2) << "nothing is held behind the last counted launch";
  EXPECT_EQ(judged({pass_of_rank_1(0, 0.05, 0.25)}), 1) << "but where the pass ends";
  EXPECT_EQ(judged({pass_of_rank_1(0, std::nullopt, 0.25)}), 0) << "an older run: all of the pass";
  EXPECT_EQ(judged({pass_of_rank_1(0, 0.05, 0.15), pass_of_rank_1(0.15, 0.2, 0.25)}), 0);
}

TEST(CollectiveWaits, KnowExactlyWhenARankWasHeld) {
  const auto judged = [](const std::vector<Hold>& holds) {
    auto run = waiting_run();
    run.application->passes = {pass_of_rank_1(0, 0.3, 0.4)};
    run.application->processes[1].holds = holds;
    return collective_waits(*run.application).judged.size();
  };
  EXPECT_EQ(judged({}), 0) << "an older run knows only its passes";
  EXPECT_EQ(judged({{.start_ns = 310'000'000, .duration_ns = 1'000}}), 3);
  EXPECT_EQ(judged({{.start_ns = 120'000'000, .duration_ns = 1'000}}), 2) << "it was late for the next";
  EXPECT_EQ(judged({{.start_ns = 120'000'000, .duration_ns = 90'000'000}}), 1);
}

TEST(CollectiveWaits, AreUnavailableWithAReasonWhereAllWereHeld) {
  auto run = waiting_run();
  run.application->passes = {pass_of_rank_1(0, 0.3, 0.3)};
  const auto analysis = rank_analysis(run);
  EXPECT_THAT(rank_sentences(run, *analysis),
              Contains(HasSubstr("The waiting time in them is unknown: around all 3 that were matched")));
  const Table table = table_of(run, "Each rank");
  EXPECT_THAT(table.rows.at(0), Contains("–").Times(2));
  run.application->passes = {pass_of_rank_1(0, 0.05, 0.06)};
  EXPECT_THAT(rank_sentences(run, *rank_analysis(run)),
              Contains(testing::AllOf(HasSubstr("(2 were matched"),
                                      HasSubstr("; 1 more is left out: counting disturbed it)."))));
}

TEST(Ranks, NamesDifferentGpus) {
  auto run = run_of(2);
  run.devices[1].name = "NVIDIA L4";
  run.measurements = {group(0, "gemm", 1e-3), group(1, "gemm", 2e-3)};
  EXPECT_THAT(rank_sentences(run, *rank_analysis(run)), Contains(HasSubstr("not all alike")));
}

}  // namespace
}  // namespace rooflinectl::ranks_test
