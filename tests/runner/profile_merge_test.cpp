// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <array>
#include <fstream>

#include "core/files/files.h"
#include "core/serial/program/program_files.h"
#include "runner/profiling/points/merge.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::profile_merge_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

using Records = std::vector<ProfileRecord>;

class ProfileMerge : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const Records& records, const std::string& rest = "") {
    const std::filesystem::path path = folder_.path() / (name + ".jsonl");
    std::ofstream file(path);
    for (const ProfileRecord& record : records) file << encode(record) << '\n';
    file << rest;
    return path;
  }
  static MergedProfile merged(std::vector<std::vector<std::filesystem::path>> runs,
                              const ProfileSettings& settings = {}, const MergeBounds& bounds = {}) {
    return merge_profiles({.experiment = "train", .settings = settings, .files = std::move(runs)}, bounds);
  }
  MergedProfile merged(const Records& records, const MergeBounds& bounds = {}) {
    return merged({{file("1", records)}}, {}, bounds);
  }

 private:
  TemporaryFolder folder_;
};

/// A process with a kernel and a group of it, without an end.
Records process(int id, const std::string& uuid, const std::string& path = "",
                const std::string& symbol = "_Z3addPf") {
  return {record::Process{.process = id, .parent = 1, .rank = {}, .command_line = {}, .start_ns = 5},
          record::Device{.device = 0, .uuid = uuid, .chip = "GH100", .cupti_version = 130000},
          record::Kernel{.kernel = 0, .symbol = symbol, .registers_per_thread = 40},
          record::Group{.group = 0,
                        .device = 0,
                        .kernel = 0,
                        .grid = {1024, 1, 1},
                        .block = {16, 16, 1},
                        .cluster = {},
                        .dynamic_shared_bytes = 2048,
                        .blocks_per_sm = 6,
                        .first_launch = 3,
                        .path = path}};
}

record::Launches launches(std::vector<std::pair<std::uint64_t, std::uint64_t>> start_and_duration,
                          std::uint64_t group = 0) {
  record::Launches traced;
  for (const auto& [start, duration] : start_and_duration) {
    traced.launches.push_back({.group = group, .stream = 7, .start_ns = start, .duration_ns = duration});
  }
  return traced;
}

Records operator+(Records records, const Records& more) {
  records.insert(records.end(), more.begin(), more.end());
  return records;
}

TEST_F(ProfileMerge, MakesAPointOfAGroup) {
  const MergedProfile profile =
      merged(process(17, "GPU-1", "step") +
             Records{launches({{100, 10}, {200, 12}, {300, 11}}), record::End{.at_ns = 400}});
  ASSERT_EQ(profile.measurements.size(), 1);
  const Measurement& measurement = profile.measurements[0];
  EXPECT_EQ(range_name(measurement.point), "train.add(float*).16x16.grid1024.shared2048.step");
  EXPECT_EQ(measurement.launch.block, 256);
  EXPECT_EQ(measurement.resources->blocks_per_sm, 6);
  EXPECT_EQ(measurement.process, 17);
  EXPECT_DOUBLE_EQ(measurement.time->median_s, 11e-9);
  EXPECT_DOUBLE_EQ(measurement.time->ci_low_s, 10e-9);
  EXPECT_DOUBLE_EQ(measurement.time->ci_high_s, 12e-9);
  EXPECT_EQ(measurement.time->samples_s.size(), 3);
  EXPECT_EQ(measurement.launches->symbol, "_Z3addPf");
  EXPECT_EQ(measurement.launches->first, 3);
  EXPECT_EQ(measurement.launches->traced, 3);
  EXPECT_DOUBLE_EQ(measurement.launches->total_s, 33e-9);
  EXPECT_EQ(profile.devices[0].uuid, "GPU-1");
  EXPECT_THAT(profile.application.processes, ElementsAre(Field(&ProgramProcess::id, 17)));
  EXPECT_EQ(profile.application.launches, 3);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].span_s, 211e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].busy_s, 33e-9);
  EXPECT_THAT(profile.application.problems, IsEmpty());
}

record::SampledKernel sampled(const std::vector<SampledLine>& lines) {
  return {.device = 0, .symbol = "_Z3addPf", .sampled = {.samples = 100, .lines = lines}};
}

SampledLine line_of(const std::string& file, int line, std::uint64_t samples, const std::string& text = "") {
  return {.file = file, .line = line, .text = text, .samples = samples, .stall = "wait", .stalled = samples};
}

class SampledLinesOfProfile : public ProfileMerge {
 protected:
  /// Of points with the records of a kernel that was launched.
  std::vector<std::optional<SampledLines>> lines_of(const Records& more) {
    const auto profile = merged(process(17, "GPU-1", "step") + Records{launches({{100, 10}})} + more);
    std::vector<std::optional<SampledLines>> lines;
    for (const Measurement& measurement : profile.measurements)
      lines.push_back(measurement.launches->sampled);
    return lines;
  }
  /// The text of the only line.
  std::string text_of(const std::string& file, int line) {
    return lines_of({sampled({line_of(file, line, 1)})}).at(0)->lines.at(0).text;
  }
  std::string source(const std::string& content) {
    const std::filesystem::path path = sources_.path() / "add.cu";
    std::ofstream(path) << content;
    return path.string();
  }

 private:
  TemporaryFolder sources_;
};

TEST_F(SampledLinesOfProfile, AreThoseOfAllProcesses) {
  const std::string file = source("__global__ void add(float* x) {\n\t  x[0] += 1;  \n}\n");
  const auto of_process = [&](int id, std::uint64_t other) {
    return process(id, "GPU-1") +
           Records{launches({{100, 10}}), sampled({line_of(file, 2, 40), line_of("/gone.h", 7, other)})};
  };
  const auto profile = merged({{this->file("1", of_process(17, 50)), this->file("2", of_process(18, 5))}});
  ASSERT_EQ(profile.measurements.size(), 1);
  const SampledLines expected = {.samples = 200,
                                 .lines = {line_of(file, 2, 80, "x[0] += 1;"), line_of("/gone.h", 7, 55)}};
  EXPECT_EQ(profile.measurements[0].launches->sampled, expected);
}

TEST_F(SampledLinesOfProfile, AreTheFiveWithTheMostSamples) {
  std::vector<SampledLine> lines;
  for (int line = 1; line <= 20; ++line)
    lines.push_back(line_of("/gone.h", line, static_cast<std::uint64_t>(line)));
  const auto kept = lines_of({sampled(lines)}).at(0)->lines;
  EXPECT_THAT(kept, ElementsAre(Field(&SampledLine::line, 20), Field(&SampledLine::line, 19),
                                Field(&SampledLine::line, 18), Field(&SampledLine::line, 17),
                                Field(&SampledLine::line, 16)));
}

TEST_F(SampledLinesOfProfile, AreOfNoneOfSeveralKernelsWithOneSymbol) {
  const auto kernel = [](std::uint64_t number, std::uint64_t code) {
    return Records{
        record::Kernel{.kernel = number, .symbol = "_Z3addPf", .registers_per_thread = 40, .code = code},
        record::Group{.group = number,
                      .device = 0,
                      .kernel = number,
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .path = "x"},
        launches({{100 * number, 10}}, number)};
  };
  const auto samples = Records{sampled({line_of("/gone.h", 1, 1)})};
  EXPECT_THAT(lines_of(kernel(1, 7) + samples),
              ElementsAre(testing::Ne(std::nullopt), testing::Ne(std::nullopt)));
  EXPECT_THAT(lines_of(kernel(1, 7) + kernel(2, 8) + samples),
              ElementsAre(std::nullopt, std::nullopt, std::nullopt));
}

TEST_F(SampledLinesOfProfile, AreCutIfTheyAreLong) {
  const std::string file = source(std::string(100, 'a') + std::string(60, ' ') + "\u00e9 and more\n" +
                                  std::string(158, 'b') + "\u00e9\u00e9");
  EXPECT_EQ(text_of(file, 1), std::string(100, 'a') + std::string(59, ' ') + "\u2026");
  EXPECT_EQ(text_of(file, 2), std::string(158, 'b') + "\u00e9\u00e9");
}

TEST_F(SampledLinesOfProfile, HaveNoTextIfItCannotBeThatOfTheProgram) {
  const std::string file = source("one\n\x80\xff\n");
  EXPECT_EQ(text_of(file, 1), "one");
  EXPECT_EQ(text_of(file, 2), "\ufffd\ufffd");
  EXPECT_EQ(text_of(file, 3), "");
  EXPECT_EQ(text_of("add.cu", 1), "") << "it may be another file in the program's folder";
  EXPECT_EQ(text_of(std::filesystem::path(file).parent_path(), 1), "");
  std::filesystem::last_write_time(file,
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(text_of(file, 1), "") << "it has changed since";
}

TEST_F(ProfileMerge, PutsProcessesOnOneDeviceTogetherAndOthersApart) {
  const auto a = file("a", process(1, "GPU-1") + Records{launches({{0, 10}}), record::End{}});
  const auto b = file("b", process(2, "GPU-1") + Records{launches({{5, 10}}), record::End{}});
  const auto c = file("c", process(3, "GPU-2") + Records{launches({{5, 10}}), record::End{}});
  const MergedProfile profile = merged({{a, b, c}});
  ASSERT_EQ(profile.measurements.size(), 2);
  EXPECT_EQ(profile.measurements[0].launches->count, 2);
  EXPECT_EQ(profile.measurements[0].process, std::nullopt);
  EXPECT_DOUBLE_EQ(profile.measurements[0].launches->overlapped_s, 10e-9);
  EXPECT_EQ(profile.measurements[1].device, 1);
  EXPECT_EQ(profile.measurements[1].process, 3);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_busy_s, 15e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_s, 20e-9);
}

TEST_F(ProfileMerge, KeepsTheDevicesOfOneProcessApart) {
  record::Transfers copies;
  copies.transfers = {
      {.kind = TransferKind::peer_to_peer, .device = 1, .bytes = 64, .start_ns = 50, .duration_ns = 10}};
  const Records one = process(1, "GPU-1");
  record::Group there = std::get<record::Group>(one.back());
  there.group = 1;
  there.device = 1;
  const MergedProfile profile =
      merged(one + Records{record::Device{.device = 1, .uuid = "GPU-2", .chip = "GH100"}, there,
                           launches({{0, 10}, {20, 10}}, 0), launches({{5, 20}, {90, 20}}, 1), copies,
                           record::End{.at_ns = 200}});
  ASSERT_EQ(profile.measurements.size(), 2);
  EXPECT_EQ(profile.measurements[0].device, 1) << "the longest total first";
  EXPECT_EQ(profile.measurements[0].point, profile.measurements[1].point);
  EXPECT_EQ(profile.measurements[0].launches->overlapped_s, 0);
  ASSERT_EQ(profile.application.devices.size(), 2);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].busy_s, 20e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].undisturbed->idle_s(), 10e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[1].busy_s, 50e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[1].undisturbed->idle_s(), (25 + 30) * 1e-9);
  ASSERT_EQ(profile.application.transfers.size(), 1);
  EXPECT_EQ(profile.application.transfers[0].device, 1);
  EXPECT_EQ(profile.application.transfers[0].gaps_before, 1);
}

TEST_F(ProfileMerge, CollapsesStepsIntoOnePoint) {
  std::vector<std::filesystem::path> files;
  for (int step = 0; step < 9; ++step) {
    files.push_back(file(std::to_string(step), process(1, "GPU-1", "step " + std::to_string(step)) +
                                                   Records{launches({{0, 10}}), record::End{}}));
  }
  const MergedProfile profile = merged({files});
  ASSERT_EQ(profile.measurements.size(), 1);
  EXPECT_EQ(profile.measurements[0].point.axes.text("path"), "step #");
}

TEST_F(ProfileMerge, TakesTimesOfLaunchesThatWereNotHeld) {
  record::Launches held = launches({{0, 99}, {100, 99}});
  for (record::Launch& launch : held.launches) launch.is_counted = true;
  const auto median_with = [&](const record::Launches& others) {
    return merged(process(1, "GPU-1") + Records{held, others}).measurements[0].time->median_s;
  };
  EXPECT_DOUBLE_EQ(median_with(launches({{300, 10}, {400, 10}})), 10e-9);
  EXPECT_DOUBLE_EQ(median_with(launches({{300, 10}})), 99e-9);
}

TEST_F(ProfileMerge, KeepsPercentilesOfManyTimes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> many;
  for (std::uint64_t i = 1; i <= 1001; ++i) many.emplace_back(2000 * i, i);
  const MergedProfile profile = merged(process(1, "GPU-1") + Records{launches(many)});
  const TimeResult& time = *profile.measurements[0].time;
  ASSERT_EQ(time.samples_s.size(), 101);
  EXPECT_DOUBLE_EQ(time.samples_s.front(), 1e-9);
  EXPECT_DOUBLE_EQ(time.samples_s[50], 501e-9);
  EXPECT_DOUBLE_EQ(time.samples_s.back(), 1001e-9);
  EXPECT_DOUBLE_EQ(time.median_s, 501e-9);
  EXPECT_NEAR(profile.measurements[0].launches->p95_s, 951e-9, 1e-15);
}

TEST_F(ProfileMerge, KnowsWhatTheTraceDidNotSee) {
  const MergedProfile profile = merged(
      process(1, "GPU-1") + Records{launches({{100, 10}}),
                                    record::PassBegun{.pass = "operations", .is_traced = false, .at_ns = 150},
                                    record::PassBegun{.pass = "", .is_traced = true, .at_ns = 250},
                                    launches({{300, 10}}), record::Untraced{.group = 0, .launches = 40},
                                    record::PassBegun{.pass = "operations", .is_traced = false, .at_ns = 400},
                                    record::End{.at_ns = 9000}});
  EXPECT_DOUBLE_EQ(profile.application.devices[0].untraced_s, 100e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].span_s, 210e-9);
  EXPECT_EQ(profile.application.launches, 42);
  EXPECT_EQ(profile.application.untraced, 40);
  EXPECT_EQ(profile.measurements[0].launches->count, 42);
}

TEST_F(ProfileMerge, NamesLaunchesThatFailed) {
  Records records = process(1, "GPU-1");
  record::Group refused = std::get<record::Group>(records[3]);
  refused.group = 1;
  refused.block = {2048, 1, 1};
  const record::Failed shared_memory = {.group = 0, .launches = 3, .error = "CUDA_ERROR_INVALID_VALUE"};
  const Records first =
      records + Records{refused,
                        launches({{0, 10}}),
                        shared_memory,
                        record::Failed{.group = 1, .launches = 7, .error = "CUDA_ERROR_INVALID_VALUE"},
                        record::Failed{.group = 1, .launches = 1, .error = "CUDA_ERROR_OUT_OF_MEMORY"},
                        shared_memory,
                        record::End{.at_ns = 20}};
  const MergedProfile profile = merged({{file("1", first)}, {file("2", first)}});
  ASSERT_EQ(profile.measurements.size(), 1) << "a group that never ran is no point";
  EXPECT_EQ(profile.measurements[0].launches->count, 1);
  EXPECT_EQ(profile.application.launches, 1);
  EXPECT_EQ(profile.application.untraced, 0);
  EXPECT_THAT(
      profile.application.problems,
      ElementsAre(
          ApplicationProblem{
              .cause = "13 launches failed with CUDA_ERROR_INVALID_VALUE: they are in no count",
              .subject = "add(float*)"},
          ApplicationProblem{.cause = "1 launch failed with CUDA_ERROR_OUT_OF_MEMORY: it is in no count",
                             .subject = "add(float*)"}));
}

TEST_F(ProfileMerge, NamesEachKernelWithOneProblemAfterSeveralRuns) {
  Records records = {record::Process{.process = 1}, record::Device{.device = 0, .uuid = "GPU-1"}};
  for (std::uint64_t i = 0; i < 2; ++i) {
    records.push_back(record::Kernel{.kernel = i, .symbol = "k" + std::to_string(i)});
    records.push_back(record::Group{.group = i, .device = 0, .kernel = i});
    records.push_back(launches({{100 * i, 10}}, i));
    records.push_back(record::Failed{.group = i, .launches = 3, .error = "CUDA_ERROR_INVALID_VALUE"});
    records.push_back(record::Problem{.group = i, .cause = std::string(record::kHeldTooShort), .hint = ""});
  }
  const auto run = file("1", records + Records{record::End{}});
  EXPECT_EQ(merged({{run}}).application.problems.size(), 4);
  EXPECT_EQ(merged({{run}, {run}}).application.problems.size(), 4);
}

TEST_F(ProfileMerge, NamesTwentyKernelsWhoseLaunchesFailed) {
  Records records = {record::Process{.process = 1}, record::Device{.device = 0, .uuid = "GPU-1"}};
  for (std::uint64_t i = 0; i < 22; ++i) {
    records.push_back(record::Kernel{.kernel = i, .symbol = "k" + std::to_string(i)});
    records.push_back(record::Group{.group = i, .device = 0, .kernel = i});
    records.push_back(record::Failed{.group = i, .launches = 100 - i, .error = "CUDA_ERROR_INVALID_VALUE"});
  }
  const auto& problems = merged(records + Records{record::End{}}).application.problems;
  ASSERT_EQ(problems.size(), 21);
  EXPECT_EQ(problems.front().subject, "k0");
  EXPECT_EQ(problems.back().cause, "159 launches of 2 more kernels failed: they are in no count");
}

TEST_F(ProfileMerge, KeepsLaunchesAndPassesOverTheFirstRun) {
  const Records first = process(1, "GPU-1") +
                        Records{launches({{2'000, 10}, {1'000, 12}}),
                                record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 500},
                                record::PassBegun{.pass = "operations", .is_traced = false, .at_ns = 3'000},
                                record::PassBegun{.pass = "", .is_traced = true, .at_ns = 4'000},
                                launches({{5'000, 11}}),
                                record::End{.at_ns = 6'000}};
  const auto a = file("a", first);
  const auto b = file("b", first);
  const MergedProfile profile = merged({{a}, {b}});
  std::vector<std::pair<double, double>> times;
  for (const LaunchTimes& one : profile.measurements[0].launches->over_time) {
    times.emplace_back(one.start_s, one.median_s);
  }
  EXPECT_THAT(times, ElementsAre(std::pair(0, 12e-9), std::pair(1e-6, 10e-9), std::pair(4e-6, 11e-9)));
  EXPECT_THAT(profile.application.passes, ElementsAre(PassUse{.process = 1,
                                                              .pass = "memory",
                                                              .is_traced = true,
                                                              .start_s = 0,
                                                              .end_s = 2e-6,
                                                              .counted_until_s = 0},
                                                      PassUse{.process = 1,
                                                              .pass = "operations",
                                                              .is_traced = false,
                                                              .start_s = 2e-6,
                                                              .end_s = 3e-6,
                                                              .counted_until_s = 3e-6}));
}

TEST_F(ProfileMerge, KnowsUntilWhenLaunchesWereHeld) {
  record::Launches held = launches({{1'000, 10}, {1'500, 20}, {2'000, 10}});
  held.launches[1].is_counted = true;
  const MergedProfile profile = merged(
      process(1, "GPU-1") +
      Records{record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 900}, held,
              record::PassBegun{.pass = "tensor", .is_traced = true, .at_ns = 3'000},
              record::PassBegun{.pass = "", .is_traced = true, .at_ns = 4'000}, record::End{.at_ns = 6'000}});
  ASSERT_EQ(profile.application.passes.size(), 2);
  EXPECT_DOUBLE_EQ(*profile.application.passes[0].counted_until_s, 520e-9);
  EXPECT_DOUBLE_EQ(*profile.application.passes[1].counted_until_s, 2e-6) << "none was counted in it";
}

TEST_F(ProfileMerge, KeepsTheSizesOfCollectivesApart) {
  Records records = process(1, "GPU-1", "step", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  record::Group larger = std::get<record::Group>(records[3]);
  larger.group = 1;
  larger.message_bytes = 4096;
  const MergedProfile profile =
      merged(records + Records{larger, launches({{0, 10}}, 0), launches({{20, 10}}, 1), record::End{}});
  ASSERT_EQ(profile.measurements.size(), 1) << "one point";
  EXPECT_EQ(profile.measurements[0].launches->count, 2);
  const auto& collectives = profile.application.collectives;
  ASSERT_EQ(collectives.size(), 2);
  EXPECT_EQ(collectives[0].bytes, std::nullopt);
  EXPECT_EQ(collectives[1].bytes, 4096);
  EXPECT_EQ(profile.application.processes.at(0).collectives.at(1).kernel, 1);
}

TEST_F(ProfileMerge, CollectivesBesideEachOtherAreNotOverlapped) {
  Records records = process(1, "GPU-1");
  records.push_back(record::Kernel{.kernel = 1, .symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  for (std::uint64_t group = 1; group <= 2; ++group) {
    record::Group collective = std::get<record::Group>(records[3]);
    collective.group = group;
    collective.kernel = 1;
    collective.path = group == 1 ? "forward" : "backward";
    records.push_back(collective);
  }
  const MergedProfile profile =
      merged(records + Records{launches({{100, 50}}, 0), launches({{0, 120}}, 1), launches({{10, 130}}, 2),
                               record::End{.at_ns = 400}});
  const auto overlapped_s = [&](const std::string& path) {
    for (const Measurement& measurement : profile.measurements) {
      if (measurement.point.axes.text("path").value_or("") == path) return measurement.launches->overlapped_s;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(overlapped_s("forward"), 20e-9)
      << "beside the kernel, and not beside the other collective";
  EXPECT_DOUBLE_EQ(overlapped_s("backward"), 40e-9);
  EXPECT_DOUBLE_EQ(overlapped_s(""), 40e-9);
}

/// A rank whose `add` runs for 50 ns and whose all-reduce ends at 200, 300 and 400 ns.
Records rank_with_collectives(int id, std::uint64_t duration_ns) {
  Records records = process(id, "GPU-" + std::to_string(id));
  records.push_back(record::Kernel{.kernel = 1, .symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  record::Group collective = std::get<record::Group>(records[3]);
  collective.group = 1;
  collective.kernel = 1;
  records.push_back(collective);
  return records + Records{launches({{0, 50}}, 0), launches({{200 - duration_ns, duration_ns},
                                                             {300 - duration_ns, duration_ns},
                                                             {400 - duration_ns, duration_ns}},
                                                            1)};
}

record::Held held(std::uint64_t start_ns, std::uint64_t duration_ns) {
  return {.device = 0, .spans = {{.start_ns = start_ns, .duration_ns = duration_ns}}};
}

const Measurement& collective_of(const MergedProfile& profile, std::size_t device) {
  for (const Measurement& measurement : profile.measurements) {
    if (measurement.device == device && is_collective(measurement.point.subject)) return measurement;
  }
  throw std::out_of_range("no collective");
}

TEST_F(ProfileMerge, CollectivesThatWaitedForAHeldRankAreInNoTime) {
  const auto a = file("a", rank_with_collectives(1, 90) + Records{record::End{}});
  const auto b = file("b", rank_with_collectives(2, 10) + Records{held(220, 30), record::End{}});
  const MergedProfile profile = merged({{a, b}});
  for (const std::size_t device : {0, 1}) {
    const std::uint64_t each_ns = device == 0 ? 90 : 10;
    const double each_s = static_cast<double>(each_ns) * 1e-9;
    const LaunchStatistics& of_collective = *collective_of(profile, device).launches;
    EXPECT_EQ(of_collective.count, 3);
    EXPECT_EQ(of_collective.traced, 2);
    EXPECT_EQ(of_collective.held, 1);
    EXPECT_DOUBLE_EQ(of_collective.held_s, each_s);
    EXPECT_DOUBLE_EQ(of_collective.total_s, 2 * each_s);
    EXPECT_EQ(of_collective.over_time.size(), 2);
    const DeviceUse& use = profile.application.devices[device];
    EXPECT_DOUBLE_EQ(use.kernel_s, 50e-9 + 2 * each_s) << "the sum of the groups";
    EXPECT_DOUBLE_EQ(use.busy_s, 50e-9 + 2 * each_s);
    EXPECT_DOUBLE_EQ(use.span_s, 400e-9);
    EXPECT_DOUBLE_EQ(use.untraced_s, each_s) << "of which nothing is known";
    EXPECT_DOUBLE_EQ(use.undisturbed->busy_s, 50e-9 + 2 * each_s);
  }
  EXPECT_EQ(profile.application.launches, 8);
  EXPECT_EQ(profile.application.untraced, 0);
  ASSERT_EQ(profile.application.processes.size(), 2);
  EXPECT_THAT(profile.application.processes[1].holds, ElementsAre(Hold{220, 30}));
  EXPECT_EQ(profile.application.processes[0].collectives.size(), 3) << "waiting is judged from all";
}

TEST_F(ProfileMerge, KnowsACollectiveOfWhichEachLaunchWaited) {
  const auto a = file("a", rank_with_collectives(1, 90) + Records{record::End{}});
  const auto b = file("b", rank_with_collectives(2, 10) + Records{held(100, 300), record::End{}});
  const MergedProfile profile = merged({{a, b}});
  EXPECT_EQ(collective_of(profile, 0).launches->held, 3);
  EXPECT_EQ(collective_of(profile, 0).time, std::nullopt);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_s, 50e-9);
}

TEST_F(ProfileMerge, KeepsTheNewestCollectivesAndThoseFromTheTimeOfHolds) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> many;
  for (std::uint64_t i = 0; i < 3000; ++i) many.emplace_back(100 * i, 10);
  const Records records =
      process(1, "GPU-1", "", "ncclDevKernel_AllReduce_Sum_f32_RING_LL") + Records{launches(many)};
  EXPECT_EQ(merged(records).application.processes[0].collectives.size(), kMostCollectives);
  const auto kept = merged(records + Records{held(0, 10'000)}).application.processes[0].collectives;
  EXPECT_EQ(kept.size(), kMostCollectives + 201)
      << "and as long again: other ranks are held at about that time";
  EXPECT_EQ(kept[200].start_ns, 20'000);
  EXPECT_EQ(kept[201].start_ns, 100 * (3000 - kMostCollectives));
}

TEST_F(ProfileMerge, HoldsConcernCollectivesAlone) {
  const MergedProfile profile =
      merged(process(1, "GPU-1") + Records{launches({{100, 50}, {300, 50}}), held(100, 20), record::End{}});
  EXPECT_EQ(profile.measurements[0].launches->traced, 2);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_s, 100e-9);
}

TEST_F(ProfileMerge, KnowsHowLongRangesTookTheHost) {
  Records records = process(1, "GPU-1", "step 1/forward");
  for (std::uint64_t step = 1; step <= 9; ++step) {
    records.push_back(record::Ranges{.path = "step " + std::to_string(step),
                                     .ranges = {{.start_ns = 1'000 * step, .duration_ns = 700}}});
  }
  records.push_back(record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 0});
  records.push_back(record::PassBegun{.pass = "", .is_traced = true, .at_ns = 1'500});
  records.push_back(launches({{1'100, 10}}));
  const auto ranges = merged(records).application.ranges;
  EXPECT_THAT(ranges, ElementsAre(RangeTimes{.path = "step #",
                                             .count = 9,
                                             .undisturbed = 8,
                                             .median_s = 7e-7,
                                             .p95_s = 7e-7,
                                             .interval_s = 1e-6}));
}

TEST_F(ProfileMerge, SortsIdleTimeByLengthAndByWhatRanNext) {
  record::Transfers transfers;
  transfers.transfers = {{.kind = TransferKind::set, .start_ns = 5'040'000, .duration_ns = 1'000}};
  const MergedProfile profile = merged(
      process(1, "GPU-1") +
      Records{record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 0},
              launches({{1'000, 1'000}, {900'000, 1'000}}),
              record::PassBegun{.pass = "", .is_traced = true, .at_ns = 950'000},
              launches({{1'000'000, 1'000}, {1'003'000, 1'000}, {1'024'000, 1'000}, {5'030'000, 1'000}}),
              transfers, record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 5'050'000},
              launches({{5'060'000, 1'000}}), record::End{.at_ns = 6'000'000}});
  const auto& undisturbed = profile.application.devices[0].undisturbed;
  ASSERT_TRUE(undisturbed) << "the passes hold the program: those gaps are not its own";
  EXPECT_DOUBLE_EQ(undisturbed->busy_s, 5e-6);
  ASSERT_EQ(undisturbed->gaps.size(), 5U);
  std::vector<std::uint64_t> counts;
  for (const IdleGaps& gaps : undisturbed->gaps) counts.push_back(gaps.count);
  EXPECT_THAT(counts, ElementsAre(1, 1, 1, 0, 1)) << "a gap of 20 us is not below 20 us";
  EXPECT_EQ(undisturbed->gaps[1].below_s, 20e-6);
  EXPECT_EQ(undisturbed->gaps[4].below_s, std::nullopt);
  EXPECT_DOUBLE_EQ(undisturbed->idle_s(), (2'000 + 20'000 + 4'005'000 + 9'000) * 1e-9);
  EXPECT_EQ(profile.measurements[0].launches->gaps_before, 3);
  EXPECT_DOUBLE_EQ(profile.measurements[0].launches->idle_before_s, 4'027e-6);
  EXPECT_EQ(profile.application.transfers[0].gaps_before, 1);
  EXPECT_DOUBLE_EQ(profile.application.transfers[0].idle_before_s, 9e-6);
}

TEST_F(ProfileMerge, KnowsNothingOfIdleTimeWhereAlwaysSomethingWasCounted) {
  const MergedProfile profile =
      merged(process(1, "GPU-1") + Records{record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 0},
                                           launches({{1'000, 1'000}, {9'000, 1'000}}),
                                           record::End{.at_ns = 20'000}});
  EXPECT_EQ(profile.application.devices[0].undisturbed, std::nullopt);
  EXPECT_EQ(profile.measurements[0].launches->gaps_before, 0);
}

TEST_F(ProfileMerge, AddsUpTransfers) {
  record::Transfers transfers;
  transfers.transfers = {
      {.kind = TransferKind::set, .device = 0, .bytes = 5, .start_ns = 0, .duration_ns = 10},
      {.kind = TransferKind::set, .device = 0, .bytes = 7, .start_ns = 5, .duration_ns = 10}};
  const MergedProfile profile = merged(process(1, "GPU-1") + Records{transfers, launches({{100, 10}})});
  ASSERT_EQ(profile.application.transfers.size(), 1);
  EXPECT_EQ(profile.application.transfers[0].count, 2);
  EXPECT_EQ(profile.application.transfers[0].bytes, 12);
  EXPECT_DOUBLE_EQ(profile.application.transfers[0].total_s, 20e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].busy_s, 25e-9);
  EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_busy_s, 10e-9);
}

TEST_F(ProfileMerge, TakesTimesFromTheFirstRunAndCountersFromAll) {
  const auto counted = [](const char* pass, const char* key) {
    return record::Counted{
        .group = 0, .pass = pass, .ordinal = 1, .counters = {{key, CounterValue::measured(4)}}};
  };
  const auto first =
      file("a", process(1, "GPU-1") + Records{launches({{0, 10}}), counted("memory", "l2_bytes")});
  const auto second =
      file("b", process(2, "GPU-1") + Records{launches({{0, 99}}), counted("operations", "ffma")});
  const auto other = file("c", process(3, "GPU-1", "", "other") + Records{launches({{0, 99}})});
  const MergedProfile profile = merged({{first}, {second, other}});
  ASSERT_EQ(profile.measurements.size(), 1);
  const Measurement& measurement = profile.measurements[0];
  EXPECT_EQ(measurement.launches->count, 1);
  EXPECT_EQ(measurement.launches->counted, 2);
  EXPECT_EQ(measurement.counters.at("ffma"), CounterValue::measured(4));
  EXPECT_EQ(measurement.process, 1);
  EXPECT_EQ(profile.passes, 2);
}

/// A process that launches two kernels with one name.
Records twins(int id, const record::Kernel& first, const record::Kernel& second) {
  Records records = process(id, "GPU-1");
  const auto group = std::get<record::Group>(records[3]);
  records.resize(2);
  for (record::Kernel kernel : {first, second}) {
    kernel.kernel = records.size() == 2 ? 0 : 1;
    kernel.symbol = "triton_poi_fused_add_0";
    record::Group own = group;
    own.group = kernel.kernel;
    own.kernel = kernel.kernel;
    records.emplace_back(kernel);
    records.emplace_back(own);
  }
  return records;
}

record::Counted counted(std::uint64_t group, const char* pass, double l2_bytes) {
  return {.group = group,
          .pass = pass,
          .ordinal = 1,
          .counters = {{"l2_bytes", CounterValue::measured(l2_bytes)}}};
}

/// Products backward of a step: the head, then three of each of eight layers. Work in proportion to the inner
/// size, which is what a launch takes.
constexpr std::array<std::uint64_t, 4> kInnerSizes = {32'000, 1024, 4096, 3072};

std::uint64_t inner_size(std::uint64_t place) {
  return kInnerSizes.at(place == 0 ? 0 : 1 + (place - 1) % 3);
}

/// That many steps, of whose launches `counted` in a row, from the tenth on, were counted, half as fast as
/// the others.
Records steps_with_a_head(int steps, std::uint64_t counted) {
  Records records =
      process(1, "GPU-1") + Records{record::PassBegun{.pass = "tensor", .is_traced = true, .at_ns = 1}};
  record::Launches traced;
  std::uint64_t now_ns = 10;
  for (std::uint64_t ordinal = 1; ordinal <= 25U * static_cast<std::uint64_t>(steps); ++ordinal) {
    const std::uint64_t size = inner_size((ordinal - 1) % 25);
    const bool is_counted = ordinal >= 10 && ordinal < 10 + counted;
    traced.launches.push_back(
        {.group = 0, .stream = 7, .start_ns = now_ns, .duration_ns = 10 * size, .is_counted = is_counted});
    now_ns += 20 * size;
    if (!is_counted) continue;
    const double operations = 1e6 * static_cast<double>(size);
    records.push_back(record::Counted{.group = 0,
                                      .pass = "tensor",
                                      .ordinal = ordinal,
                                      .counters = {{"tensor_pipe_instructions", CounterValue::measured(1)},
                                                   {"tensor_pipe_hfma2", CounterValue::measured(0)},
                                                   {"tensor_bf16_ops", CounterValue::measured(operations)}}});
  }
  return records + Records{traced, record::End{.at_ns = now_ns}};
}

TEST_F(ProfileMerge, CountsOfLaunchesThatDifferAreThoseOfAWholeStep) {
  const double step_mean = 1e6 * (32'000 + 8 * (1024 + 4096 + 3072)) / 25.0;
  for (const std::uint64_t counted : {25, 32, 40, 50}) {
    const Measurement measurement = merged(steps_with_a_head(20, counted)).measurements.at(0);
    EXPECT_NEAR(*value_of(measurement.counters, "tensor_bf16_ops"), step_mean, 1e-6 * step_mean) << counted;
    EXPECT_EQ(measurement.launches->period, 25);
    EXPECT_EQ(measurement.launches->counters_scale, std::nullopt);
    const auto& clusters = measurement.launches->clusters;
    ASSERT_TRUE(clusters && clusters->parts.size() == 4) << counted;
    EXPECT_NEAR(clusters->parts.back().share, 1.0 / 25, 1e-9) << "the head";
    EXPECT_NEAR(clusters->parts.front().share, 8.0 / 25, 1e-9);
  }
  const Measurement measurement = merged(steps_with_a_head(20, 12)).measurements.at(0);
  EXPECT_NEAR(*value_of(measurement.counters, "tensor_bf16_ops"), step_mean, 1e-6 * step_mean)
      << "by their times: not each place was counted";
  EXPECT_EQ(measurement.launches->period, std::nullopt);
  EXPECT_GT(*measurement.launches->counters_scale, 1.3);
}

TEST_F(ProfileMerge, TrialsBeforeTheStepsAreInNoCounter) {
  constexpr std::uint64_t kTrials = 8;
  Records records =
      process(1, "GPU-1") + Records{record::PassBegun{.pass = "memory", .is_traced = true, .at_ns = 1}};
  record::Launches traced;
  std::uint64_t now_ns = 10;
  for (std::uint64_t ordinal = 1; ordinal <= 400; ++ordinal) {
    const bool is_trial = ordinal <= kTrials;
    const bool is_counted = ordinal <= 3 || (ordinal > 100 && ordinal <= 108);
    traced.launches.push_back({.group = 0,
                               .stream = 7,
                               .start_ns = now_ns,
                               .duration_ns = is_trial ? 3000U : 1000U,
                               .is_counted = is_counted});
    now_ns += 10'000;
    if (!is_counted) continue;
    const double work = is_trial ? 2e6 : 1e6;
    records.push_back(record::Counted{.group = 0,
                                      .pass = "memory",
                                      .ordinal = ordinal,
                                      .counters = {{"warp_instructions", CounterValue::measured(work)},
                                                   {"dram_read_bytes", CounterValue::measured(work)}}});
  }
  const Measurement measurement =
      merged(records + Records{traced, record::End{.at_ns = now_ns}}).measurements.at(0);
  EXPECT_EQ(value_of(measurement.counters, "dram_read_bytes"), 1e6);
  EXPECT_EQ(measurement.launches->counted, 11);
}

TEST_F(ProfileMerge, TellsKernelsWithOneNameApartByTheirCode) {
  const record::Kernel a = {.registers_per_thread = 32, .code = 7};
  const record::Kernel b = {.registers_per_thread = 32, .code = 8};
  const auto first = file("1", twins(1, a, b) + Records{launches({{0, 10}}, 0), launches({{20, 30}}, 1),
                                                        counted(0, "memory", 4), record::End{}});
  const auto other =
      file("2", twins(2, b, a) + Records{launches({{100, 30}}, 0), launches({{200, 10}}, 1), record::End{}});
  const auto again = file("3", twins(3, b, a) + Records{counted(0, "memory", 16), record::End{}});
  const MergedProfile profile = merged({{first, other}, {again}});
  ASSERT_EQ(profile.measurements.size(), 2);
  const Measurement& of_b = profile.measurements[0];
  EXPECT_EQ(range_name(of_b.point), "train.triton_poi_fused_add_0.16x16.grid1024.shared2048.code2");
  EXPECT_DOUBLE_EQ(of_b.launches->total_s, 60e-9);
  EXPECT_EQ(of_b.counters.at("l2_bytes"), CounterValue::measured(16));
  const Measurement& of_a = profile.measurements[1];
  EXPECT_EQ(range_name(of_a.point), "train.triton_poi_fused_add_0.16x16.grid1024.shared2048")
      << "as in a run without the other";
  EXPECT_DOUBLE_EQ(of_a.launches->total_s, 20e-9);
  EXPECT_EQ(of_a.counters.at("l2_bytes"), CounterValue::measured(4));
}

/// A kernel that is counted in the range `steps`, and was launched in `warm-up` before, where the hardware
/// counted this.
Records warm_up_and_steps(double instructions, double efficiency) {
  Records records = process(1, "GPU-1", "warm-up");
  record::Group steps = std::get<record::Group>(records.back());
  steps.group = 1;
  steps.path = "steps";
  const auto seen = [](std::uint64_t group, double warp_instructions, double of_lanes) {
    return record::Counted{.group = group,
                           .pass = "memory",
                           .ordinal = 1,
                           .counters = {{"warp_instructions", CounterValue::measured(warp_instructions)},
                                        {"warp_execution_efficiency", CounterValue::measured(of_lanes)}}};
  };
  const record::Counted operations = {.group = 1,
                                      .pass = "operations",
                                      .ordinal = 2,
                                      .counters = {{"warp_instructions_sass", CounterValue::measured(1e6)},
                                                   {"ffma", CounterValue::measured(5e6)}}};
  return records + Records{steps,
                           seen(0, instructions, efficiency),
                           seen(1, 1e6, 1),
                           operations,
                           launches({{0, 10}}, 0),
                           launches({{20, 10}, {40, 10}}, 1),
                           record::End{}};
}

TEST_F(ProfileMerge, TakesOperationsFromLaunchesOfTheSameWorkUnderAnotherPath) {
  const MergedProfile profile = merged(warm_up_and_steps(1e6 + 100, 1));
  ASSERT_EQ(profile.measurements.size(), 2);
  const Measurement& warm_up = profile.measurements[1];
  EXPECT_EQ(warm_up.counters.at("ffma"), CounterValue::measured(5e6));
  EXPECT_EQ(warm_up.launches->operations_path, "steps");
  EXPECT_EQ(warm_up.launches->counted, 1) << "its own";
  EXPECT_EQ(profile.measurements[0].launches->operations_path, std::nullopt);
}

TEST_F(ProfileMerge, TakesNoOperationsFromLaunchesThatTheHardwareSawDoSomethingElse) {
  for (const auto& [instructions, efficiency] : {std::pair(1.001e6, 1.0), {1e6, 0.99}}) {
    const MergedProfile profile = merged(warm_up_and_steps(instructions, efficiency));
    EXPECT_FALSE(profile.measurements.at(1).counters.at("ffma").available());
    EXPECT_EQ(profile.measurements.at(1).launches->operations_path, std::nullopt);
  }
}

TEST_F(ProfileMerge, TellsKernelsWithoutCodeApartByWhatTheyNeed) {
  const auto points = [&](const record::Kernel& first, const record::Kernel& second) {
    return merged(twins(1, first, second) + Records{launches({{0, 10}}, 0), launches({{20, 30}}, 1)})
        .measurements.size();
  };
  EXPECT_EQ(points({.registers_per_thread = 32}, {.registers_per_thread = 32}), 1);
  EXPECT_EQ(points({.registers_per_thread = 32}, {.registers_per_thread = 40}), 2);
  EXPECT_EQ(points({.static_shared_bytes = 1}, {.static_shared_bytes = 2}), 2);
  EXPECT_EQ(points({.local_bytes_per_thread = 1}, {.local_bytes_per_thread = 2}), 2);
  EXPECT_EQ(points({.code = 7}, {}), 1) << "it may be the same";
  EXPECT_EQ(points({.code = 7}, {.registers_per_thread = 40, .code = 7}), 2)
      << "a damaged record, or another";
}

TEST_F(ProfileMerge, DerivesTensorOperationsFromTheCodeOfAKernel) {
  const auto kernel = [](TensorElement type) {
    return record::Kernel{
        .tensor_instructions = {{{.opcode = TensorOpcode::imma, .type = type, .operations = 8192}}}};
  };
  const auto operations = [&](const record::Kernel& first, const record::Kernel& second) {
    record::Counted tensor = {.group = 0, .pass = "tensor", .ordinal = 1, .counters = {}};
    tensor.counters.emplace("tensor_pipe_instructions", CounterValue::measured(10));
    const MergedProfile profile =
        merged(twins(1, first, second) + Records{launches({{0, 10}}, 0), launches({{20, 30}}, 1), tensor});
    const Measurement& measurement = profile.measurements.at(0);
    const auto i8_operations = value_of(measurement.counters, "tensor_i8_ops");
    EXPECT_EQ(measurement.launches->operations_per_tensor_instruction, i8_operations ? 8192 : 0);
    return i8_operations;
  };
  EXPECT_EQ(operations(kernel(TensorElement::i8), kernel(TensorElement::i8)), 81'920);
  EXPECT_EQ(operations(kernel(TensorElement::i8), kernel(TensorElement::f16)), std::nullopt)
      << "of kernels that cannot be told apart";
}

TEST_F(ProfileMerge, FoldsPathsThatTheProcessFolded) {
  Records records = process(1, "GPU-1", "step 1");
  for (const char* path : {"step 2", "step 3", "step 4", "step 5", "step 6", "step 7", "step 8", "step #"}) {
    record::Group group = std::get<record::Group>(records[3]);
    group.group = records.size() - 3;
    group.path = path;
    records.emplace_back(group);
  }
  const MergedProfile profile = merged(
      records + Records{launches({{0, 10}}, 0), launches({{20, 10}}, 1), launches({{40, 10}, {60, 10}}, 8)});
  ASSERT_EQ(profile.measurements.size(), 1);
  EXPECT_EQ(profile.measurements[0].point.axes.text("path"), "step #");
  EXPECT_EQ(profile.measurements[0].launches->count, 4);
}

TEST_F(ProfileMerge, NamesWhyNothingWasCounted) {
  const MergedProfile profile =
      merged(process(1, "GPU-1") +
             Records{launches({{0, 10}}),
                     record::Problem{
                         .group = {}, .cause = "memory could not be counted: no permission", .hint = "ask"}});
  EXPECT_EQ(profile.measurements[0].counters.at("l2_bytes").reason(),
            "memory could not be counted: no permission");
  EXPECT_THAT(profile.measurements[0].counters.at("ffma").reason(), HasSubstr("operations"));
  EXPECT_EQ(profile.application.problems[0].hint, "ask");
}

TEST_F(ProfileMerge, CountsNothingWithoutPasses) {
  ProfileSettings settings;
  settings.passes.clear();
  const auto records = process(1, "GPU-1") + Records{launches({{0, 10}}), record::End{}};
  const MergedProfile profile = merged({{file("1", records)}}, settings);
  EXPECT_EQ(profile.measurements[0].counters.at("l2_bytes").reason(), "counting was switched off");
  EXPECT_THAT(incomplete_points(profile), IsEmpty());
}

/// The records of `add` after a problem of its group; the memory pass counted it only if `is_counted`.
Records with_problem(std::string_view cause, bool is_counted) {
  Records records =
      process(1, "GPU-1") + Records{launches({{0, 10}, {100, 30}}),
                                    record::Problem{.group = 0, .cause = std::string(cause), .hint = ""}};
  for (const char* pass : {"memory", "operations", "tensor"}) {
    if (!is_counted) break;
    records.push_back(record::Counted{
        .group = 0, .pass = pass, .ordinal = 1, .counters = {{"l2_bytes", CounterValue::measured(4)}}});
  }
  return records + Records{record::End{}};
}

TEST_F(ProfileMerge, AnotherRunCanCountWhatTookTooLong) {
  const MergedProfile missing = merged(with_problem(record::kHeldTooShort, false));
  EXPECT_EQ(missing.measurements[0].counters.at("l2_bytes").reason(), record::kHeldTooShort);
  EXPECT_EQ(missing.details[0].missing.size(), 3);
  EXPECT_DOUBLE_EQ(missing.details[0].longest_s, 30e-9);
  EXPECT_THAT(missing.application.problems, testing::SizeIs(1));

  const MergedProfile counted = merged(with_problem(record::kHeldTooShort, true));
  EXPECT_EQ(counted.measurements[0].counters.at("l2_bytes"), CounterValue::measured(4));
  EXPECT_THAT(counted.application.problems, IsEmpty()) << "nothing is missing";
}

TEST_F(ProfileMerge, NoOtherRunCountsWhatWaitsForOthers) {
  const MergedProfile profile = merged(with_problem(record::kLeftAlone, false));
  EXPECT_EQ(profile.measurements[0].counters.at("l2_bytes").reason(), record::kLeftAlone);
  EXPECT_THAT(profile.details[0].missing, IsEmpty());
  EXPECT_THAT(profile.application.problems, testing::SizeIs(1));
}

TEST_F(ProfileMerge, NoOtherRunIsForCollectives) {
  const MergedProfile profile = merged(process(1, "GPU-1", "", "ncclDevKernel_AllReduce_Sum_f32_RING_LL") +
                                       Records{launches({{0, 10}})});
  EXPECT_THAT(profile.details[0].missing, IsEmpty());
}

TEST_F(ProfileMerge, NoOtherRunInstrumentsGraphsWhenThereAreCollectives) {
  Records records = process(1, "GPU-1", "graph");
  std::get<record::Group>(records[3]).first_launch.reset();
  const auto missing_of = [&](const Records& more) {
    const MergedProfile profile = merged(records + more + Records{launches({{0, 30}}), record::End{}});
    return std::pair(profile.details[0].missing, profile.measurements[0].counters.at("ffma").reason());
  };
  EXPECT_THAT(missing_of({}).first, testing::Contains(Pass::operations));
  record::Group collective = std::get<record::Group>(records[3]);
  collective.group = collective.kernel = 1;
  const auto [missing, reason] = missing_of(
      {record::Kernel{.kernel = 1, .symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}, collective});
  EXPECT_THAT(missing, ElementsAre(Pass::memory, Pass::tensor));
  EXPECT_EQ(reason, "CUDA graphs are not instrumented beside collectives");
}

TEST_F(ProfileMerge, KeepsWhatAProcessWroteBeforeItDied) {
  const auto cut_off = file("1", process(7, "GPU-1") + Records{launches({{0, 10}})}, "{\"type\": \"laun");
  const MergedProfile profile = merged({{cut_off}});
  EXPECT_EQ(profile.measurements.size(), 1);
  EXPECT_THAT(profile.application.problems,
              ElementsAre(AllOf(Field(&ApplicationProblem::cause, HasSubstr("ended without notice")),
                                Field(&ApplicationProblem::process, 7))));
}

TEST_F(ProfileMerge, NamesWhatCannotBeRead) {
  const auto damaged =
      file("1", process(7, "GPU-1") + Records{launches({{0, 10}})}, "damaged\n{\"type\": \"end\"}\n");
  const auto empty = file("2", {});
  const MergedProfile profile = merged({{damaged, empty, "/nonexistent/3.jsonl"}});
  EXPECT_EQ(profile.measurements.size(), 1);
  ASSERT_EQ(profile.application.problems.size(), 3);
  EXPECT_THAT(profile.application.problems[0].cause, HasSubstr("line 6 of 1.jsonl"));
  EXPECT_THAT(profile.application.problems[1].cause, HasSubstr("2.jsonl holds no records"));
  EXPECT_THAT(profile.application.problems[2].cause, HasSubstr("3.jsonl holds no records"));
}

TEST_F(ProfileMerge, NamesWhatWasLost) {
  const MergedProfile profile =
      merged(process(1, "GPU-1") +
             Records{launches({{0, 10}}), record::End{.at_ns = 1, .lost_activities = 5, .lost_records = 2}});
  EXPECT_EQ(profile.application.lost, 5);
  ASSERT_EQ(profile.application.problems.size(), 2);
  EXPECT_THAT(profile.application.problems[0].cause, HasSubstr("2 records could not be written"));
  const MergedProfile left_out =
      merged(process(1, "GPU-1") + Records{launches({{0, 10}}), record::End{.left_out_launches = 123}});
  ASSERT_EQ(left_out.application.problems.size(), 1);
  EXPECT_THAT(left_out.application.problems[0].cause, HasSubstr("123 launches are left out"));
}

TEST_F(ProfileMerge, KeepsLaunchesOnADeviceThatWasNotIntroduced) {
  Records records = process(1, "GPU-1") + Records{launches({{0, 10}}), record::End{}};
  records.erase(records.begin() + 1);
  const MergedProfile profile = merged(records);
  EXPECT_EQ(profile.measurements.size(), 1);
  EXPECT_EQ(profile.devices[0].uuid, "");
  EXPECT_THAT(profile.application.problems[0].cause, HasSubstr("its device 0 is not known"));
}

record::Sample sample(std::uint64_t start_ns, double value) {
  return {.start_ns = start_ns, .duration_ns = 100, .values = {value}};
}

const ProfileSettings kSampled = {.timeline_interval_ns = 100};

TEST_F(ProfileMerge, PutsWhatRanWhileADeviceWasSampledBesideItsSamples) {
  record::Transfers copies;
  copies.transfers = {
      {.kind = TransferKind::set, .device = 0, .bytes = 64, .start_ns = 1'320, .duration_ns = 10}};
  const Records records =
      process(17, "GPU-1", "step") +
      Records{launches({{1'000, 50}, {1'250, 30}, {1'310, 50}, {1'500, 10}}),
              copies,
              record::SamplingBegun{.device = 0,
                                    .interval_ns = 100,
                                    .at_ns = 1'180,
                                    .keys = {"sm_active"},
                                    .metrics = {{"sm_active", "sm__cycles_active"}},
                                    .left_out = {}},
              record::Samples{.device = 0, .samples = {sample(1'200, 0.3), sample(1'300, 0.5)}},
              record::Power{.device = 0, .readings = {{1'150, 90}, {1'250, 100}, {1'350, 110}, {1'450, 120}}},
              record::Ranges{
                  .path = "step",
                  .ranges = {{.start_ns = 1'100, .duration_ns = 20}, {.start_ns = 1'240, .duration_ns = 40}}},
              record::End{.at_ns = 2'000}};
  const MergedProfile profile = merged({{file("1", records)}}, kSampled);
  ASSERT_TRUE(profile.timeline);
  ASSERT_EQ(profile.timeline->devices.size(), 1);
  const DeviceTimeline& device = profile.timeline->devices[0];
  EXPECT_EQ(device.began_ns, 180);
  EXPECT_THAT(device.start_ns, ElementsAre(200, 300));
  EXPECT_THAT(device.values.at("sm_active"), ElementsAre(0.3, 0.5));
  EXPECT_THAT(device.power, ElementsAre(TimelinePower{250, 100}, TimelinePower{350, 110}));
  EXPECT_THAT(device.launches,
              ElementsAre(TimelineLaunch{.measurement = 0, .stream = 0, .start_ns = 250, .duration_ns = 30},
                          TimelineLaunch{.measurement = 0, .stream = 0, .start_ns = 310, .duration_ns = 50}));
  EXPECT_THAT(device.transfers,
              ElementsAre(TimelineTransfer{.kind = TransferKind::set, .start_ns = 320, .duration_ns = 10}));
  EXPECT_THAT(profile.timeline->paths, ElementsAre("step"));
  EXPECT_THAT(profile.timeline->ranges,
              ElementsAre(TimelineRange{.path = 0, .process = 17, .start_ns = 240, .duration_ns = 40}));
  EXPECT_EQ(merged(records).timeline, std::nullopt);
}

TEST_F(ProfileMerge, KeepsTheNewestSamplesOfADevice) {
  const record::SamplingBegun begun = {.device = 0, .interval_ns = 100, .at_ns = 0, .keys = {"sm_active"}};
  record::Samples taken = {.device = 0, .samples = {}};
  constexpr std::size_t kMost = 100;
  const std::size_t count = 2 * kMost + 7;
  for (std::size_t i = 0; i < count; ++i) taken.samples.push_back(sample(100 * i, 0.5));
  const auto newest = file("newest", process(1, "GPU-1") + Records{launches({{0, 10}}), begun, taken});
  const auto older =
      file("older", process(2, "GPU-1") + Records{begun, record::Samples{0, {sample(5, 0.1)}}});
  const MergedProfile profile = merged({{newest, older}}, kSampled, {.samples = kMost});
  const auto& starts = profile.timeline->devices.at(0).start_ns;
  EXPECT_EQ(starts.size(), kMost);
  EXPECT_EQ(starts.front(), 100 * (count - kMost));
  EXPECT_EQ(starts.back(), 100 * (count - 1));
}

TEST_F(ProfileMerge, SamplesStayWithTheDeviceThatTheyBeganWith) {
  const record::SamplingBegun begun = {.device = 0, .interval_ns = 100, .at_ns = 0, .keys = {"sm_active"}};
  const record::Device other = {.device = 0, .uuid = "GPU-2", .chip = "GH100"};
  const record::Samples taken = {.device = 0, .samples = {sample(1'000, 0.5)}};
  const MergedProfile profile = merged(
      {{file("1", process(1, "GPU-1") + Records{launches({{900, 200}}), begun, other, taken})}}, kSampled);
  ASSERT_EQ(profile.devices.size(), 1);
  EXPECT_EQ(profile.timeline->devices.at(0).start_ns, std::vector<std::uint64_t>{100});
}

TEST_F(ProfileMerge, NamesWhyThereIsNoTimeline) {
  const Records records = process(17, "GPU-1") + Records{launches({{100, 10}})};
  const auto without = merged({{file("1", records + Records{record::End{}})}}, kSampled);
  ASSERT_EQ(without.application.problems.size(), 1);
  EXPECT_THAT(without.application.problems[0].cause, HasSubstr("ended before its kernels were counted"));

  const record::Problem problem = {
      .group = std::nullopt, .cause = std::string(kNoTimeline) + ": not permitted", .hint = "ask"};
  const auto refused = merged({{file("1", records + Records{problem, record::End{}})}}, kSampled);
  ASSERT_EQ(refused.application.problems.size(), 1);
  EXPECT_THAT(refused.application.problems[0].cause, HasSubstr("not permitted"));
}

TEST_F(ProfileMerge, SelectsKernelsAndRanges) {
  const auto a = file("a", process(1, "GPU-1", "train") + Records{launches({{0, 10}}), record::End{}});
  const auto b =
      file("b", process(2, "GPU-1", "eval", "gemm") + Records{launches({{20, 10}}), record::End{}});
  const auto names = [&](const ProfileSettings& settings) {
    std::vector<std::string> subjects;
    const MergedProfile profile = merged({{a, b}}, settings);
    EXPECT_DOUBLE_EQ(profile.application.devices[0].kernel_busy_s, 20e-9);
    for (const Measurement& measurement : profile.measurements) subjects.push_back(measurement.point.subject);
    return subjects;
  };
  EXPECT_THAT(names({.kernel = "add"}), ElementsAre("add(float*)"));
  EXPECT_THAT(names({.nvtx = "eval"}), ElementsAre("gemm"));
}

TEST_F(ProfileMerge, ListsTheKernelsOfAGraph) {
  const Records records = {
      record::Process{},
      record::Device{.device = 0, .uuid = "GPU-1", .chip = "", .cupti_version = {}},
      record::Kernel{.kernel = 0, .symbol = "3f2a", .graph_nodes = 5},
      record::Kernel{.kernel = 1, .symbol = "_Z3addPf"},
      record::Kernel{.kernel = 2, .symbol = "gemm"},
      record::Group{.group = 0, .device = 0, .kernel = 0},
      launches({{0, 100}}),
      record::GraphKernels{{{.group = 0, .kernel = 1, .launches = 3, .duration_ns = 20},
                            {.group = 0, .kernel = 2, .launches = 1, .duration_ns = 50}}},
      record::GraphKernels{{{.group = 0, .kernel = 1, .launches = 1, .duration_ns = 10}}},
      record::End{}};
  const MergedProfile profile = merged(records);
  ASSERT_EQ(profile.measurements.size(), 1);
  EXPECT_EQ(range_name(profile.measurements[0].point), "train.CUDA graph 3f2a");
  const LaunchStatistics& launches = *profile.measurements[0].launches;
  EXPECT_EQ(launches.graph_nodes, 5);
  EXPECT_EQ(launches.symbol, "");
  ASSERT_EQ(launches.graph_kernels.size(), 2);
  EXPECT_EQ(launches.graph_kernels[0].kernel, "gemm");
  EXPECT_EQ(launches.graph_kernels[1].launches, 4);
  EXPECT_DOUBLE_EQ(launches.graph_kernels[1].total_s, 30e-9);
}

TEST_F(ProfileMerge, CutsNamesThatAreTooLong) {
  const std::string name(10'000, 'k');
  const MergedProfile profile =
      merged(process(1, "GPU-1", "", name) + Records{launches({{0, 0}}), record::End{}});
  EXPECT_EQ(profile.measurements[0].point.subject.size(), kMaxSubjectLength);
  EXPECT_EQ(profile.measurements[0].launches->symbol.size(), kMaxSubjectLength);
}

TEST_F(ProfileMerge, KeepsFewerTimesOfGroupsThatTookLess) {
  Records records = process(1, "GPU-1");
  records.pop_back();
  for (std::uint64_t id = 0; id <= kDetailedPoints; ++id) {
    record::Group group{.group = id, .device = 0, .kernel = 0};
    group.grid = {static_cast<std::uint32_t>(id + 1), 1, 1};
    group.block = {32, 1, 1};
    records.emplace_back(group);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
    for (std::uint64_t i = 0; i < 20; ++i) times.emplace_back(1'000'000 * i + 100 * id, id == 7 ? 1 : 20);
    records.emplace_back(launches(times, id));
  }
  const MergedProfile profile = merged(records);
  EXPECT_EQ(profile.measurements.front().launches->over_time.size(), 20);
  EXPECT_EQ(profile.measurements.front().time->samples_s.size(), 20);
  EXPECT_EQ(profile.measurements.back().point.axes.number("grid"), 8);
  EXPECT_EQ(profile.measurements.back().launches->over_time.size(), kFewLaunchTimes);
  EXPECT_EQ(profile.measurements.back().time->samples_s.size(), 11) << "deciles";
}

TEST_F(ProfileMerge, LeavesOutTheShortestOfTooManyGroups) {
  Records records = process(1, "GPU-1");
  records.pop_back();
  constexpr std::size_t kMost = 20;
  for (std::uint64_t id = 0; id <= kMost; ++id) {
    record::Group group{.group = id, .device = 0, .kernel = 0};
    group.grid = {static_cast<std::uint32_t>(id + 1), 1, 1};
    group.block = {32, 1, 1};
    records.emplace_back(group);
    records.emplace_back(launches({{id * 100, id == 3 ? 1 : 20}}, id));
  }
  records.emplace_back(record::End{});
  const MergedProfile profile = merged(records, {.points = kMost});
  EXPECT_EQ(profile.measurements.size(), kMost);
  ASSERT_EQ(profile.application.problems.size(), 1);
  EXPECT_THAT(profile.application.problems[0].cause, HasSubstr("1 launch groups"));
  for (const Measurement& measurement : profile.measurements) {
    EXPECT_NE(measurement.point.axes.number("grid"), 4);
  }
}

}  // namespace
}  // namespace rooflinectl::profile_merge_test
