// SPDX-License-Identifier: Apache-2.0
//
// What is concluded from the recorded programs, against what is known about them from their sources and from
// counts worked out by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "analysis/compare/gate.h"
#include "analysis/devices/ranks.h"
#include "analysis/explain/explanation.h"
#include "analysis/roofline/point.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"

namespace rooflinectl::recorded_verdicts_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Run recording(const std::string& name) {
  return read_run(std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / name / "run.json.gz");
}

constexpr const char* kPrograms[] = {"training-step-h200",     "matrix-sums-h200",       "cupy-fft-h200",
                                     "data-parallel-two-h200", "jax-training-step-h200", "generation-h200",
                                     "triton-attention-h200"};

/// A recording with all that follows from it; its parts point into each other.
struct Program {
  explicit Program(const std::string& name) : run(recording(name)), report(run) {}

  const ExperimentReport& first() const { return report.experiments.front(); }
  const ProgramUse& use() const { return *first().program; }

  /// The groups of the first experiment whose kernel's name has `part` in it, launched with so many blocks (0
  /// for any number).
  std::vector<const RooflinePoint*> groups(std::string_view part, std::uint64_t grid = 0) const {
    std::vector<const RooflinePoint*> found;
    for (const RooflinePoint& point : first().analysis->points) {
      const bool is_meant = point.measurement->point.subject.find(part) != std::string::npos;
      if (is_meant && (grid == 0 || point.measurement->launch.grid == grid)) found.push_back(&point);
    }
    return found;
  }
  const RooflinePoint& group(std::string_view part, std::uint64_t grid = 0) const {
    const auto found = groups(part, grid);
    if (found.empty()) throw std::logic_error(fmt::format("no group of {}", part));
    return *found.front();
  }
  std::vector<Finding> findings(const RooflinePoint& point) const {
    return explain(*first().run, point).findings;
  }

  Run run;
  ReportModel report;
};

/// Read and judged once for all tests.
const Program& program_of(const std::string& name) {
  static std::map<std::string, Program> known;
  return known.try_emplace(name, name).first->second;
}

std::vector<std::string_view> ids_of(const std::vector<Finding>& findings) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : findings) ids.push_back(finding.rule);
  return ids;
}

double share_of(const RooflinePoint& point, Bound resource) {
  for (const ResourceShare& one : point.verdict.shares) {
    if (one.resource == resource) return one.share;
  }
  return 0;
}

// One atomic addition per block to one address: 262,144 × 1.755 ns of 465.9 µs.
TEST(RecordedVerdict, AtomicsOnOneAddressBoundTheNaiveSum) {
  const Program& program = program_of("matrix-sums-h200");
  for (const auto& [grid, share] :
       {std::pair(262144, 0.987), std::pair(65536, 0.982), std::pair(4096, 0.826)}) {
    const RooflinePoint& sum = program.group("naive_block_sum", static_cast<std::uint64_t>(grid));
    EXPECT_EQ(sum.bound, Bound::atomics) << grid;
    EXPECT_NEAR(share_of(sum, Bound::atomics), share, 0.001) << grid;
    EXPECT_THAT(ids_of(program.findings(sum)), testing::ElementsAre("atomics"))
        << "nothing else saves time, and it has no stores that could be uncoalesced";
  }
}

// V9: of 2,097,796, the busiest slice of L2 has 22,916, a 92nd. On one address they would take 62 %.
TEST(RecordedVerdict, AtomicsOnManyAddressesDoNotBoundAttention) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& attention = program.group("flash_bprop");
  EXPECT_NEAR(share_of(attention, Bound::atomics), 0.26, 0.01) << "22,916 × 0.7314 ns of 64.4 µs";
  EXPECT_EQ(attention.bound, Bound::memory_latency);
}

TEST(RecordedVerdict, AMatrixProductInFp32IsBoundByFp32) {
  const Program& program = program_of("matrix-sums-h200");
  const RooflinePoint& product = program.group("simt_sgemm");
  EXPECT_GT(share_of(product, Bound::issue_slots), share_of(product, Bound::fp32));
  EXPECT_EQ(product.bound, Bound::fp32);
  EXPECT_THAT(program.findings(product).front().next_step, HasSubstr("allow TF32"));
  EXPECT_NEAR(*find_level(product, MemoryLevel::shared)->utilisation, share_of(product, Bound::shared), 1e-12)
      << "one resource has one utilisation";
}

TEST(RecordedVerdict, AFillIsBoundByWhatItWrites) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& fill = program.group("FillFunctor<c10::BFloat16>", 12288);
  EXPECT_EQ(fill.bound, Bound::l2);
  EXPECT_NEAR(share_of(fill, Bound::l2), 0.62, 0.01) << "25.17 MB at 4.76 TB/s of 8.44 µs";
  EXPECT_EQ(find_use(fill, Bound::l2)->ceilings, CeilingIds{"l2_write"});
  EXPECT_THAT(ids_of(program.findings(fill)), Not(Contains("scattered-loads")));
  for (const RooflinePoint* other : program.groups("FillFunctor")) {
    EXPECT_THAT(ids_of(program.findings(*other)), Not(Contains("scattered-loads"))) << other->label;
  }
}

TEST(RecordedVerdict, NobodySaysHowManyBytesAProgramNeeds) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const RooflinePoint& point : program.first().analysis->points) {
      for (const Finding& finding : program.findings(point)) {
        EXPECT_THAT(finding.text, Not(HasSubstr("algorithm needs"))) << point.label;
        EXPECT_THAT(finding.next_step, Not(HasSubstr("little left to gain"))) << point.label;
      }
    }
  }
}

// AdamW of 166 million parameters, as seven passes over them.
TEST(RecordedVerdict, ThePassesOfAnOptimizerAreOneSaving) {
  const Program& program = program_of("training-step-h200");
  const auto& fusion = program.use().fusion;
  ASSERT_TRUE(fusion.has_value());
  EXPECT_EQ(fusion->path, "optimizer");
  EXPECT_EQ(fusion->kernels.size(), 7U);
  EXPECT_NEAR(fusion->bytes / fusion->fewest_bytes, 5.0, 0.1);
  EXPECT_GT(fusion->recoverable_s, *program.use().recoverable.front()->launches->recoverable_s);
  EXPECT_THAT(program_headline(program.use()),
              HasSubstr("Fusing 7 DRAM-bound kernels over the same data in optimizer could save up to"));
  EXPECT_FALSE(program_of("data-parallel-two-h200").use().fusion) << "its optimizer is one kernel";
  EXPECT_FALSE(program_of("matrix-sums-h200").use().fusion);
}

TEST(RecordedVerdict, FewBlocksLeaveMostSmsIdle) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& gamma_beta = program.group("GammaBetaBackward");
  EXPECT_EQ(gamma_beta.measurement->launch.grid, 32U);
  EXPECT_EQ(gamma_beta.bound, Bound::tail);
  EXPECT_THAT(ids_of(program.findings(gamma_beta)), Contains("idle-sms"));
  const Program together("data-parallel-two-h200");
  const RooflinePoint& embedding = together.group("embedding_backward_feature");
  EXPECT_EQ(embedding.bound, Bound::tail) << "what 24 of 132 SMs have cannot be busy, counted or not";
}

TEST(RecordedVerdict, UnvectorisedCopiesOfBothTypesGetOneAdvice) {
  const Program& program = program_of("training-step-h200");
  const auto of_f32 = program.findings(program.group("unrolled_elementwise_kernel", 256000));
  const auto of_bf16 = program.findings(program.group("::elementwise_kernel<128, 4", 24576));
  EXPECT_EQ(of_f32.front().next_step, of_bf16.front().next_step);
  EXPECT_THAT(ids_of(of_f32), Contains("unvectorised"));
  EXPECT_THAT(ids_of(of_bf16), Contains("unvectorised"));
}

TEST(RecordedVerdict, ShortKernelsSaveNothingEach) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const RooflinePoint& point : program.first().analysis->points) {
      if (!point.launches->is_short) continue;
      EXPECT_LE(point.launches->recoverable_s.value_or(0), 0) << point.label;
    }
  }
  const Program& program = program_of("training-step-h200");
  EXPECT_THAT(program_sentences(program.run, program.use()),
              Contains(StartsWith(
                  "Launches of less than 3.000 µs take 82.55 µs (0.3 %) of a step (20 launch groups).")));
}

TEST(RecordedVerdict, NamesOfRoofsAreWholeInTheTerminal) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const int columns : {80, 100}) {
      const std::string drawn = terminal_roofline(program.first(), columns);
      for (std::size_t at = drawn.find("FLOP/s\n"); at != std::string::npos;
           at = drawn.find("FLOP/s\n", at + 1)) {
        const std::string line = drawn.substr(drawn.rfind('\n', at) + 1, at + 6 - drawn.rfind('\n', at) - 1);
        const auto& roofs = program.first().chart.roofs;
        EXPECT_TRUE(std::any_of(roofs.begin(), roofs.end(), [&](const auto& roof) {
          return line.ends_with(" " + std::string(roof.text)) || line.ends_with("│" + std::string(roof.text));
        })) << line;
      }
    }
  }
}

TEST(RecordedVerdict, WhatCostsMostHasAnActionIfItIsAKernel) {
  const Program& program = program_of("cupy-fft-h200");
  EXPECT_THAT(program_sentences(program.run, program.use()),
              Contains(testing::MatchesRegex(
                  "saxpy: Traffic between DRAM .* Next: Increase the bytes in flight .*")));
}

TEST(RecordedVerdict, GapsOfAnEagerProgramMakeItLaunchBound) {
  const Program& program = program_of("training-step-h200");
  EXPECT_EQ(program.use().idle->cause, IdleCause::launches);
  EXPECT_THAT(
      program_headline(program.use()),
      StartsWith(
          "The GPU is idle 35 % of the time (8.192 ms of each 23.64 ms step), waiting for launches in "));
}

TEST(RecordedVerdict, WaitingForARankIsNotWork) {
  const Program& program = program_of("data-parallel-two-h200");
  EXPECT_NEAR(*program.use().busy_share(), 0.262, 0.001);
  EXPECT_NEAR(program.use().waiting_share(), 0.183, 0.001);
  EXPECT_NEAR(program.use().idle->share, 0.556, 0.001);
  EXPECT_THAT(
      program_headline(program.use()),
      StartsWith(
          "The GPUs are idle 56 % of the time (9.397 ms of each 16.91 ms step), waiting for launches in "));
  EXPECT_THAT(
      program_headline(program.use()),
      HasSubstr(
          "The GPUs wait in collectives for the rank that arrives last 18 % of the time (3.094 ms): 67 % of "
          "it for rank 0, whose CPU launches late."));
}

// The page, the terminal and the headline rank all of them by what they cost of a step.
TEST(RecordedVerdict, LossesOfAllKindsAreComparedByTheSameStep) {
  const auto rows_of = [](const char* recording) {
    const Program& program = program_of(recording);
    std::vector<std::string> rows;
    for (const auto& row : loss_table(program.use(), 3).rows) rows.push_back(row[0] + ": " + row[1]);
    return rows;
  };
  EXPECT_THAT(rows_of("training-step-h200"),
              ElementsAre("GPU idle: 8.192 ms",
                          "fusing 7 DRAM-bound kernels over the same data in optimizer: 2.798 ms",
                          "elementwise<direct copy, f32> [unrolled] (8 launch groups): 456.9 µs"));
  EXPECT_THAT(rows_of("data-parallel-two-h200"),
              ElementsAre("GPU idle: 9.397 ms", "waiting in collectives: 3.094 ms",
                          "embedding_backward_feature<f32, i64>: ~82.89 µs"));
}

TEST(RecordedVerdict, ShortLaunchesThatTakeNotableTimeLeadWhereToBegin) {
  const Program& program = program_of("generation-h200");
  const Loss first = losses(program.use()).front();
  EXPECT_EQ(first.kind, LossKind::short_launches);
  EXPECT_EQ(loss_text(program.use(), first).cost, "98.72 ms");
  EXPECT_THAT(
      program_sentences(program.run, program.use()),
      Contains(StartsWith(
          "While it started, ended or paused, the program left the GPU idle for 162.2 ms, in 1 gap.")));
}

TEST(RecordedVerdict, NoKernelSavesWhatAShortOneTakes) {
  const Program& program = program_of("generation-h200");
  const ProgramUse& use = program.use();
  const auto norm =
      std::find_if(use.recoverable.begin(), use.recoverable.end(), [](const RooflinePoint* group) {
        return group->label.starts_with("vectorized_layer_norm<bf16, f32, false> in CUDA graph");
      });
  ASSERT_NE(norm, use.recoverable.end());
  const LaunchUse& launches = *(*norm)->launches;
  const double time_s = launches.total_s / static_cast<double>((*norm)->measurement->launches->traced);
  EXPECT_LT(*(*norm)->fraction_of_roofline, 0.01);
  EXPECT_NEAR(*launches.recoverable_s, launches.total_s * (1 - kShortLaunchS / time_s), 1e-9);
}

TEST(RecordedVerdict, AKernelBesideACollectiveSaysSo) {
  const Program& program = program_of("data-parallel-two-h200");
  const RooflinePoint& product = program.group("nvjet_sm90_tst_192x96_64x5_1x2_h_bz_NTT");
  EXPECT_THAT(ids_of(program.findings(product)), ElementsAre("tensor", "beside-others"));
  const RooflinePoint& other = program.group("nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_NNT");
  EXPECT_EQ(other.bound, Bound::other_kernels) << "though its shared memory was not counted";
  EXPECT_THAT(ids_of(program.findings(other)), ElementsAre("other-kernels"));
}

// Where kernels run beside an all-reduce or alone, medians flip between both. All kernels of rank 1 together
// take 94 ms longer.
TEST(RecordedVerdict, RanksAreComparedByMeans) {
  const auto& run = program_of("data-parallel-two-h200").run;
  const auto ranks = rank_analysis(run);
  EXPECT_THAT(ranks->stragglers, ElementsAre(1U));
  EXPECT_LT(ranks->ranks[1].slow_s, ranks->ranks[1].compute_s - ranks->ranks[0].compute_s);
}

/// The forward products with 29.38 µs in the mean: half of them take 15 µs, half 43.5 µs.
Measurement& bimodal(Run& run) {
  for (Measurement& one : run.measurements) {
    const bool is_meant = one.point.subject.ends_with("bias_TNT") && one.launch.grid == 128;
    if (is_meant && one.launches->count == 1600) return one;
  }
  throw std::logic_error("no such group");
}

TEST(RecordedVerdict, TheGateComparesMeansAndNotWhichHalfHasTheMedian) {
  const auto gated = [](const std::function<void(Measurement&)>& change) {
    auto before = recording("training-step-h200");
    bimodal(before).time->median_s = 15.5e-6;
    auto after = recording("training-step-h200");
    change(bimodal(after));
    std::vector<AnalysedRun> bases;
    bases.emplace_back("before", std::move(before));
    const AnalysedRun now("after", std::move(after));
    const RunComparison comparison = compare(bases, now);
    return gate(comparison, {}).exit_code();
  };
  EXPECT_EQ(gated([](Measurement&) {}), 0);
  EXPECT_EQ(gated([](Measurement& one) { one.launches->total_s *= 1.5; }), 4);
}

TEST(RecordedVerdict, AGroupOfTwoKindsOfLaunchesSaysSo) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& product = program.group("1x2_h_bz_coopA_bias_TNT", 128);
  EXPECT_THAT(product.evidence, Contains(StartsWith("its launches take different times: 50 % up to 15.")));
  EXPECT_THAT(program.group("GammaBetaBackward").evidence, Not(Contains(HasSubstr("different times"))));
}

/// The column of a table with this title, by rows; empty if there is none.
std::vector<std::string> column_of(const Table& table, std::string_view title) {
  const auto found = std::ranges::find(table.columns, title, &TableColumn::title);
  std::vector<std::string> cells;
  if (found == table.columns.end()) return cells;
  for (const auto& row : table.rows)
    cells.push_back(row.at(static_cast<std::size_t>(found - table.columns.begin())));
  return cells;
}

TEST(RecordedVerdict, AGroupOfTwoKindsOfLaunchesHasAMeanTime) {
  const ProgramUse& use = program_of("training-step-h200").use();
  const std::vector<std::string> times = column_of(recoverable_table(use, use.recoverable.size()), "time");
  ASSERT_GE(times.size(), use.recoverable.size());
  std::size_t means = 0;
  for (std::size_t i = 0; i < use.recoverable.size(); ++i) {
    const RooflinePoint& group = *use.recoverable[i];
    means += times[i].starts_with("mean ") ? 1 : 0;
    EXPECT_EQ(times[i].starts_with("mean "), uneven_evidence(*group.measurement).has_value()) << group.label;
  }
  EXPECT_GT(means, 0U);
  for (const ExperimentReport& experiment : program_of("data-parallel-two-h200").report.experiments) {
    if (!experiment.program) continue;
    const bool is_of_both = experiment.program->gpus > 1;
    const Table table = recoverable_table(*experiment.program, 3);
    EXPECT_NE(column_of(table, is_of_both ? "mean time" : "time"), std::vector<std::string>());
  }
}

TEST(RecordedVerdict, TheTimesOfRangesSayOfHowManyLaunchesTheyAre) {
  const Table table = range_table(program_of("cupy-fft-h200").use(), 10);
  EXPECT_THAT(table.notes, Contains(testing::MatchesRegex("Times are of [0-9]+ of [0-9]+ launches.")));
}

TEST(RecordedVerdict, AShortKernelHasOneName) {
  const Program& program = program_of("training-step-h200");
  const auto& points = program.first().analysis->points;
  const auto is_short = [](const RooflinePoint& point) { return point.bound == Bound::launch_overhead; };
  const auto point = std::ranges::find_if(points, is_short);
  ASSERT_NE(point, points.end());
  EXPECT_EQ(bound_name(*point), "short kernels");
  EXPECT_EQ(bound_phrase(*point), "a short kernel");
  EXPECT_EQ(program.findings(*point).front().rule, "short-kernels");
}

TEST(RecordedVerdict, IntervalsHoldTheirNumbersAndATickOfTheTimer) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const RooflinePoint& point : program.first().analysis->points) {
      if (!point.measurement->time) continue;
      for (const LaunchTime& time : {median_launch(*point.measurement), mean_launch(*point.measurement)}) {
        EXPECT_GE(time.high_s - time.time_s, 31.9e-9) << point.label;
        EXPECT_LT(time.low_s, time.time_s) << point.label;
        EXPECT_GT(time.low_s, 0) << point.label;
      }
    }
    const std::vector<ChartPoint>& drawn = program.first().chart.points;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const auto& rates = drawn[i].useful_flop_per_s;
      if (!rates) continue;
      EXPECT_LE(rates->low, *program.first().analysis->points[i].executed_flop_per_s) << drawn[i].label;
      EXPECT_GE(rates->high, *program.first().analysis->points[i].executed_flop_per_s) << drawn[i].label;
    }
  }
}

// V14: 8.7 % of its bytes are lines that the kernel before it left in L2.
TEST(RecordedVerdict, AFewWritesLowerTheRoofOfReadsALittle) {
  const Program& program = program_of("cupy-fft-h200");
  const RooflinePoint& sum = program.group("DeviceReduceKernel");
  EXPECT_NEAR(*sum.fraction_of_roofline, 0.945, 0.01);
  EXPECT_THAT(sum.implausible, IsEmpty());
  EXPECT_EQ(sum.bound, Bound::dram);
}

// One launch at each place of a step was counted; the model's shapes say 84.3 %.
TEST(RecordedVerdict, AGroupOfDifferentProductsIsCountedAsItIs) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& product = program.group("256x128_64x4_1x2_h_bz_coopA_NNT", 128);
  ASSERT_TRUE(product.fraction_interval);
  EXPECT_NEAR(*product.fraction_of_roofline, 0.843, 0.004);
  EXPECT_LT(product.fraction_interval->low, 0.843);
  EXPECT_GT(product.fraction_interval->high, *product.fraction_of_roofline);
  EXPECT_THAT(product.evidence, Contains(HasSubstr("4 % 31 times as much"))) << "the head";
}

TEST(RecordedVerdict, NothingIsAboveItsRoof) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const RooflinePoint& point : program.first().analysis->points) {
      EXPECT_LE(point.fraction_of_roofline.value_or(0), 1.01) << point.label;
    }
  }
}

// V12: integer instructions take issue slots, which were counted.
TEST(RecordedVerdict, KernelsBesideNcclAreNotUnknownForTheirIntegers) {
  const Program& program = program_of("data-parallel-two-h200");
  for (const RooflinePoint& point : program.first().analysis->points) {
    EXPECT_THAT(point.verdict.unjudged, Not(Contains(HasSubstr("integer")))) << point.label;
  }
}

// The kernels of elementwise operations have no shared memory that would have to be counted.
TEST(RecordedVerdict, KernelsBesideNcclAreJudgedWhereTheyHaveNoSharedMemory) {
  const Program& program = program_of("data-parallel-two-h200");
  for (const RooflinePoint* copy : program.groups("unrolled_elementwise_kernel")) {
    EXPECT_NE(copy->bound, Bound::unknown) << copy->label;
  }
  EXPECT_EQ(program.group("unrolled_elementwise_kernel", 64000).bound, Bound::memory_latency);
}

// The review's half a wave: 512 blocks where 1188 fit.
TEST(RecordedVerdict, ColumnSumsOfHalfAWaveAreATail) {
  const Program& program = program_of("training-step-h200");
  EXPECT_EQ(program.group("reduce_kernel", 512).bound, Bound::tail);
  EXPECT_EQ(program.group("reduce_kernel", 2048).bound, Bound::memory_latency) << "two waves";
}

// 109 cycles of a warp for each of its instructions, of which none takes a third of that.
TEST(RecordedVerdict, ACopyWithFewInstructionsWaitsForMemory) {
  const Program& program = program_of("training-step-h200");
  const RooflinePoint& copy = program.group("bfloat16_copy_kernel", 1024);
  EXPECT_EQ(copy.bound, Bound::memory_latency);
  EXPECT_THAT(ids_of(program.findings(copy)), testing::Contains("memory-latency-of-loads"));
}

/// The part of the GPU time whose verdict names no cause.
double unnamed_share(const char* name) {
  double all_s = 0;
  double unnamed_s = 0;
  for (const ExperimentReport& experiment : program_of(name).report.experiments) {
    for (const RooflinePoint& point : experiment.analysis->points) {
      const double total_s = point.measurement->launches->total_s;
      const bool is_named = point.bound != Bound::unknown && point.bound != Bound::latency;
      all_s += total_s;
      unnamed_s += is_named ? 0 : total_s;
    }
  }
  return unnamed_s / all_s;
}

TEST(RecordedVerdict, NamesWhatKeepsNearlyAllKernelsFromBeingFaster) {
  EXPECT_LT(unnamed_share("matrix-sums-h200"), 0.001);
  EXPECT_LT(unnamed_share("cupy-fft-h200"), 0.001);
  EXPECT_LT(unnamed_share("data-parallel-two-h200"), 0.05);
  EXPECT_LT(unnamed_share("jax-training-step-h200"), 0.05);
  EXPECT_LT(unnamed_share("generation-h200"), 0.05);
  EXPECT_LT(unnamed_share("triton-attention-h200"), 0.05);
  EXPECT_LT(unnamed_share("training-step-h200"), 0.02);
}

// V19: its window has two launches, of which one waited 910 ms for a rank that was held.
TEST(RecordedVerdict, SamplesOfHeldLaunchesAreNotComparedWithTheirCounts) {
  const auto& run = program_of("data-parallel-two-h200").run;
  const auto timeline = read_timeline(
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings/data-parallel-two-h200/run.json.gz",
      run);
  ASSERT_TRUE(timeline);
  const ReportModel report(run, {}, &*timeline);
  const auto sentence = [&](std::size_t device) -> std::string {
    for (const ExperimentReport& experiment : report.experiments) {
      const bool is_meant = experiment.timeline && experiment.timeline->timeline->device == device;
      if (is_meant) return timeline_sentences(*experiment.timeline)[1];
    }
    return "none";
  };
  EXPECT_THAT(sentence(1), HasSubstr("not compared: the bytes of most of what ran are unknown"));
  EXPECT_THAT(sentence(0), Not(HasSubstr("not compared")));
}

// The host needs 50 µs to launch what the GPU works 1.3 ms for.
TEST(RecordedVerdict, ALoopThatLaunchesAheadOfTheGpuHasNoSteps) {
  const Program& program = program_of("triton-attention-h200");
  EXPECT_EQ(program.use().step, nullptr);
  for (const Loss& loss : losses(program.use())) EXPECT_LT(loss.share, 1);
}

// XLA launches the step as one graph; its kernels are told apart.
TEST(RecordedVerdict, TheKernelsOfAGraphAreJudgedOneByOne) {
  for (const char* name : {"jax-training-step-h200", "generation-h200"}) {
    const Program& program = program_of(name);
    double in_graphs_s = 0;
    double judged_s = 0;
    for (const RooflinePoint& point : program.first().analysis->points) {
      const auto path = point.measurement->point.axes.text("path").value_or("");
      if (path.find("CUDA graph of") == std::string_view::npos) continue;
      in_graphs_s += point.measurement->launches->total_s;
      if (point.fraction_of_roofline) judged_s += point.measurement->launches->total_s;
    }
    EXPECT_GT(in_graphs_s, 0.5 * program.use().kernel_s) << name;
    EXPECT_GT(judged_s, 0.98 * in_graphs_s) << name;
  }
}

TEST(RecordedVerdict, NobodyIsToldToEditWhatXlaWrote) {
  const Program& program = program_of("jax-training-step-h200");
  const auto findings = program.findings(program.group("fusion_377"));
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_THAT(std::string(findings.front().next_step), StartsWith("A compiler wrote this kernel: "));
}

TEST(RecordedVerdict, SmallTransfersHaveNoRate) {
  const Program& program = program_of("training-step-h200");
  for (const TransferRate& rate : program.use().transfers) {
    EXPECT_EQ(rate.bytes_per_s.has_value(), rate.use->kind == TransferKind::device_to_device);
    EXPECT_EQ(rate.fraction.has_value(), rate.bytes_per_s.has_value());
  }
}

TEST(RecordedVerdict, ReasonsReadWell) {
  for (const char* name : kPrograms) {
    const Program& program = program_of(name);
    for (const RooflinePoint& point : program.first().analysis->points) {
      EXPECT_THAT(point.roof_missing, Not(HasSubstr("operations was"))) << point.label;
      EXPECT_THAT(point.evidence, Not(Contains(HasSubstr("e+0")))) << point.label;
    }
    EXPECT_THAT(program_problems(program.run), Not(Contains(HasSubstr("operations was"))));
  }
}

}  // namespace
}  // namespace rooflinectl::recorded_verdicts_test
