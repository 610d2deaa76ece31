// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "analysis/analysis.h"
#include "core/counters/stall_reasons.h"
#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "runner/importing/importing.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zstd.h"

namespace rooflinectl::import_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class Import : public testing::Test {
 protected:
  /// A file of `tests/data`, unpacked, under the name `name`.
  std::filesystem::path unpacked(const std::string& data, const std::string& name) const {
    const std::string path = fmt::format("{}/tests/data/{}.gz", ROOFLINECTL_SOURCE_FOLDER, data);
    return written(name, gunzipped(read_file(path), path, kMaxFileBytes));
  }

  std::filesystem::path written(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
    return folder_.path() / name;
  }

  ImportRequest request(std::vector<std::string> files) const {
    return {
        .files = std::move(files), .ceilings = {}, .output = folder_.path(), .command_line = {"rooflinectl"}};
  }

  Error error_of(const ImportRequest& wanted) const {
    try {
      import_files(wanted);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ErrorKind::usage, ""};
  }

  TemporaryFolder folder_;
};

const Measurement& kernel(const Run& run, std::string_view name) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.point.subject.starts_with(name)) return measurement;
  }
  throw std::out_of_range(std::string(name));
}

double counter(const Measurement& measurement, std::string_view key) {
  return value_of(measurement.counters, key).value();
}

TEST_F(Import, AFullReportHasWhatARoofNeeds) {
  const ImportResult result =
      import_files(request({unpacked("ncu-2025.3.1-h200-full.ncu-rep", "toy.ncu-rep")}));
  const auto& run = result.run;
  ASSERT_THAT(run.measurements, SizeIs(4));
  ASSERT_THAT(run.devices, SizeIs(1));
  EXPECT_EQ(run.device().name, "NVIDIA H200");
  EXPECT_EQ(run.device().compute_capability, 90);
  EXPECT_EQ(run.device().sm_count, 132);
  EXPECT_EQ(run.device().l2_bytes, 62914560U);

  // saxpy of 2^24 elements: one multiply-add for each, two floats read and one written.
  const Measurement& saxpy = kernel(run, "saxpy(float*, float const*, float, unsigned long)");
  EXPECT_EQ(saxpy.launch.grid, 65536U);
  EXPECT_EQ(saxpy.launch.block, 256);
  EXPECT_EQ(saxpy.launches->symbol, "_Z5saxpyPfPKffm");
  EXPECT_DOUBLE_EQ(saxpy.time->median_s, 60.16e-6);
  EXPECT_NEAR(counter(saxpy, counter::kFfma), 1 << 24, 10);  // of seven digits
  EXPECT_EQ(counter(saxpy, counter::kDadd), 0);
  EXPECT_NEAR(counter(saxpy, counter::kDramReadBytes), 134226432, 50);
  EXPECT_EQ(counter(saxpy, counter::kWarpInstructions), 13107200);
  EXPECT_EQ(counter(saxpy, counter::kGlobalLoadSectorEfficiency), 1);
  ASSERT_TRUE(saxpy.resources.has_value());
  EXPECT_EQ(saxpy.resources->registers_per_thread, 16);
  EXPECT_EQ(saxpy.resources->blocks_per_sm, 8);
  EXPECT_EQ(*saxpy.point.axes.text("path"), "step/vectors");
  EXPECT_EQ(kernel(run, "daxpy").point.axes.number("shared"), 1024U);
  EXPECT_NEAR(stall_share(saxpy.counters, counter::kLongScoreboardStallWarpCycles).value(), 0.816, 0.001);
  // half_work of 2^22 pairs.
  EXPECT_NEAR(counter(kernel(run, "half_work"), counter::kHfma), 65.0 * (1 << 23), 200);

  const Analysis analysis = analyse(run);
  for (const RooflinePoint& point : analysis.experiments.front().points) {
    EXPECT_TRUE(point.roof.has_value()) << point.label << ": " << point.roof_missing;
    EXPECT_EQ(point.fraction_of_roofline, point.fraction_of_theoretical);
    EXPECT_THAT(point.verdict.stalls, SizeIs(stall_reasons().size())) << point.label;
  }
}

// Multiply-adds that each need the one before, in few warps.
TEST_F(Import, StallReasonsOfTheReportDecideWhereNoResourceIsNearItsLimit) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-full.ncu-rep", "toy.ncu-rep")})).run;
  const Analysis analysis = analyse(run);
  const auto& points = analysis.experiments.front().points;
  const auto spin = std::find_if(points.begin(), points.end(), [](const RooflinePoint& point) {
    return point.measurement->point.subject.find("spin") != std::string::npos;
  });
  ASSERT_NE(spin, points.end());
  EXPECT_EQ(spin->bound, Bound::instruction_latency);
  ASSERT_FALSE(spin->verdict.stalls.empty());
  EXPECT_EQ(spin->verdict.stalls.front().reason->id, "wait");
  EXPECT_NEAR(spin->verdict.stalls.front().share, 0.809, 0.001);
}

TEST_F(Import, TheReportAndItsTableGiveTheSameRun) {
  auto report = import_files(request({unpacked("ncu-2025.3.1-h200-roofline.ncu-rep", "a.ncu-rep")})).run;
  const auto table = import_files(request({unpacked("ncu-2025.3.1-h200-roofline.csv", "a.csv")})).run;
  EXPECT_EQ(report.devices, table.devices);
  ASSERT_EQ(report.measurements.size(), table.measurements.size());
  for (std::size_t i = 0; i < table.measurements.size(); ++i) {
    for (const auto& [key, value] : table.measurements[i].counters) {
      const CounterValue& other = report.measurements[i].counters.at(key);
      ASSERT_EQ(value.available(), other.available()) << key;
      if (!value.available()) continue;
      EXPECT_NEAR(*value.value(), *other.value(), 1e-4 * *other.value()) << key;  // the table is rounded
    }
  }
  ASSERT_EQ(report.ceilings.size(), table.ceilings.size());
  for (std::size_t i = 0; i < table.ceilings.size(); ++i) {
    EXPECT_EQ(report.ceilings[i].id, table.ceilings[i].id);
    EXPECT_NEAR(report.ceilings[i].value, table.ceilings[i].value, 1e-5 * table.ceilings[i].value);
  }
}

TEST_F(Import, ACompressedReportIsTheReport) {
  const std::filesystem::path plain = unpacked("ncu-2025.3.1-h200-metrics.ncu-rep", "a.ncu-rep");
  const std::string packed = zstd(read_file(plain));
  const auto from_plain = import_files(request({plain})).run;
  const auto from_packed = import_files(request({written("a.ncu-repz", packed)})).run;
  EXPECT_EQ(from_packed.measurements, from_plain.measurements);
  EXPECT_EQ(from_packed.imports.front().format, "Nsight Compute report");

  const std::filesystem::path cut = written("cut.ncu-repz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(error_of(request({cut})).what(),
              HasSubstr("cut.ncu-repz: ends before its compressed content does"));
  EXPECT_THAT(error_of(request({written("text.ncu-repz", zstd("some text"))})).what(),
              HasSubstr("text.ncu-repz: this is not a Nsight Compute report"));
}

TEST_F(Import, PeaksOfTheReportAreTheoreticalCeilings) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-roofline.ncu-rep", "a.ncu-rep")})).run;
  const Ceiling* dram = find_ceiling(run, "dram", CeilingSource::theoretical, 0);
  ASSERT_NE(dram, nullptr);
  EXPECT_NEAR(dram->value, 4.81e12, 0.02e12);
  EXPECT_THAT(dram->method,
              StartsWith("theoretical, from ncu's report: dram__bytes.sum.peak_sustained x 319"));
  const Ceiling* fma = find_ceiling(run, "f32_fma", CeilingSource::theoretical, 0);
  ASSERT_NE(fma, nullptr);
  EXPECT_NEAR(fma->value / *fma->sm_clock_hz, 132 * 128 * 2, 1);
  EXPECT_EQ(find_ceiling(run, "dram_read", CeilingSource::measured, 0), nullptr);
}

TEST_F(Import, PeaksOfTensorCoresAreThoseWithoutSparsity) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-full.ncu-rep", "a.ncu-rep")})).run;
  const auto per_sm = [&](const char* id) {
    const Ceiling* const peak = find_ceiling(run, id, CeilingSource::theoretical, 0);
    return peak == nullptr ? 0 : peak->value / *peak->sm_clock_hz / 132;
  };
  // Operations per cycle of an SM of Hopper.
  EXPECT_NEAR(per_sm("tf32_tensor"), 2048, 1);
  EXPECT_NEAR(per_sm("f16_tensor"), 4096, 1);
  EXPECT_NEAR(per_sm("bf16_tensor"), 4096, 1);
  EXPECT_NEAR(per_sm("f8_tensor"), 8192, 1);
  EXPECT_NEAR(per_sm("i8_tensor"), 8192, 1);
  EXPECT_NEAR(per_sm("f64_tensor"), 256, 1);
}

TEST_F(Import, WhatIsMissingNamesItsSection) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-metrics.ncu-rep", "a.ncu-rep")})).run;
  const Measurement& saxpy = kernel(run, "saxpy");
  EXPECT_EQ(saxpy.launches->count, 2U);
  EXPECT_EQ(saxpy.counters.at("fadd").reason(),
            "not in the report; ncu --section SpeedOfLight_RooflineChart adds it");
  EXPECT_EQ(
      saxpy.counters.at("integer_ops").reason(),
      "not in the report; ncu --metrics smsp__sass_thread_inst_executed_op_integer_pred_on.sum adds it");
  EXPECT_NEAR(counter(saxpy, counter::kDramReadBytes), 4.0 * (1 << 25), 0.001 * (1 << 27));
}

TEST_F(Import, OfAReportWithoutAllCountsTheRoofIsALowerBound) {
  for (const char* const name :
       {"ncu-2025.3.1-h200-roofline-sections.csv", "ncu-2025.3.1-h200-six-metrics.csv"}) {
    const auto run = import_files(request({unpacked(name, name)})).run;
    const Analysis analysis = analyse(run);
    const std::vector<RooflinePoint>& points = analysis.experiments.front().points;
    ASSERT_THAT(points, SizeIs(16)) << name;
    for (const RooflinePoint& point : points) {
      ASSERT_TRUE(point.roof.has_value()) << name << ": " << point.label << ": " << point.roof_missing;
      EXPECT_TRUE(point.roof->is_partly_counted) << point.label;
      EXPECT_THAT(point.roof_missing, HasSubstr("not in the report")) << point.label;
      EXPECT_THAT(point.flags, Contains(Flag::partly_counted)) << point.label;
      EXPECT_EQ(point.launches->recoverable_s, std::nullopt) << point.label;
    }
    const auto found = std::find_if(points.begin(), points.end(),
                                    [](const RooflinePoint& point) { return point.label == "fmak"; });
    ASSERT_NE(found, points.end());
    // Its multiply-adds were counted, its products in one of the reports not.
    EXPECT_EQ(found->roof->resource, Bound::fp32);
    EXPECT_EQ(found->bound, Bound::fp32) << name << ", although other resources were not counted";
    EXPECT_NEAR(*found->fraction_of_roofline, 0.95, 0.01);
    EXPECT_GT(*found->ai_executed, 1e4);
  }
}

TEST_F(Import, PeaksThatTheReportLacksComeFromTheAttributesOfTheGpu) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-six-metrics.csv", "six.csv")})).run;
  const auto peak = [&](const char* id) {
    return find_ceiling(run, id, CeilingSource::theoretical, 0)->value;
  };
  EXPECT_NEAR(peak("dram"), 2 * 3201e6 * 6016 / 8, 1);
  EXPECT_NEAR(peak("f32_fma"), 2 * 128.0 * 132 * 1980e6, 1);
  EXPECT_NEAR(peak("f64_add"), 64.0 * 132 * 1980e6, 1);
}

TEST_F(Import, OfASumOfBytesTheDirectionsAreUnknown) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-roofline.ncu-rep", "a.ncu-rep")})).run;
  const Measurement& saxpy = kernel(run, "saxpy");
  EXPECT_FALSE(value_of(saxpy.counters, counter::kDramReadBytes).has_value());
  EXPECT_NEAR(*dram_bytes(saxpy.counters), 1.83e8, 0.02e8);
}

TEST_F(Import, ARangeIsOnePoint) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-range.ncu-rep", "a.ncu-rep")})).run;
  ASSERT_THAT(run.measurements, SizeIs(1));
  EXPECT_EQ(run.measurements.front().point.subject, "range step");
  EXPECT_EQ(run.measurements.front().launches->count, 2U);
  EXPECT_EQ(run.measurements.front().launch.grid, 0U);
}

TEST_F(Import, HowItWasRecordedIsKept) {
  const auto run = import_files(request({unpacked("ncu-2025.3.1-h200-roofline.ncu-rep", "toy.ncu-rep")})).run;
  ASSERT_THAT(run.imports, SizeIs(1));
  const ImportedFile& file = run.imports.front();
  EXPECT_EQ(file.name, "toy.ncu-rep");
  EXPECT_EQ(file.format, "Nsight Compute report");
  EXPECT_EQ(file.tool_version, "2025.3.1.0");
  EXPECT_EQ(file.recorded_utc, run.started_utc);
  EXPECT_EQ(file.replay, "kernel");
  EXPECT_EQ(file.clock_control, "none");
  EXPECT_EQ(file.cache_control, "all");
  EXPECT_THAT(file.sections, ElementsAre("set roofline"));
  EXPECT_THAT(file.problems, IsEmpty());
}

TEST(NcuOptions, AreTheDefaultsOfTheVersionWhereNothingElseIsChosen) {
  const auto clock_control = [](const char* version, const char* command_line) {
    ImportedFile file;
    file.tool_version = version;
    set_ncu_options(file, command_line);
    return file.clock_control;
  };
  EXPECT_EQ(clock_control("2025.4.1.0", "ncu ./program"), "base");
  EXPECT_EQ(clock_control("2026.1.0.0", "ncu ./program"), "boost");
  EXPECT_EQ(clock_control("2026.3.1.2", "ncu --clock-control=none ./program"), "none");
  EXPECT_EQ(clock_control("", "ncu ./program"), "") << "an unknown version has unknown defaults";
}

TEST_F(Import, SeveralFilesAreOneRun) {
  const std::filesystem::path file = unpacked("ncu-2025.3.1-h200-full.ncu-rep", "a.ncu-rep");
  const auto run = import_files(request({file, file})).run;
  EXPECT_THAT(run.devices, SizeIs(1));
  EXPECT_THAT(run.imports, SizeIs(2));
  EXPECT_EQ(kernel(run, "saxpy").launches->count, 2U);
}

TEST_F(Import, MeasuredCeilingsOfTheSameGpuReplaceThePeaks) {
  ImportRequest wanted = request({unpacked("ncu-2025.3.1-h200-full.ncu-rep", "a.ncu-rep")});
  wanted.ceilings = ROOFLINECTL_SOURCE_FOLDER "/recordings/ceilings-h200";
  const auto run = import_files(wanted).run;
  EXPECT_NE(find_ceiling(run, "dram_read", CeilingSource::measured, 0), nullptr);
  const Analysis analysis = analyse(run);
  EXPECT_EQ(analysis.experiments.front().points.front().roof->ceilings.front(), "dram_copy");

  auto other = read_run(run_file(wanted.ceilings));
  other.devices.front().name = "NVIDIA L4";
  write_run(folder_.path() / "run.json", other);
  wanted.ceilings = folder_.path();
  EXPECT_THAT(error_of(wanted).what(), HasSubstr("has no measured ceilings of NVIDIA H200"));
}

TEST_F(Import, ATraceOfPyTorchHasTimesAlone) {
  const auto run =
      import_files(request({unpacked("torch-2.11.0-h200-training-step.json", "trace.json")})).run;
  EXPECT_EQ(run.imports.front().format, "PyTorch trace");
  EXPECT_FALSE(run.counter_session.available);
  ASSERT_FALSE(run.measurements.empty());
  EXPECT_THAT(run.measurements.front().counters, IsEmpty());
  EXPECT_GT(run.measurements.front().time->median_s, 0);
  EXPECT_GT(run.measurements.front().launch.grid, 0U);
}

TEST_F(Import, ControlCharactersBecomeHarmless) {
  const auto run =
      import_files(
          request({written("a.csv",
                           "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block Size\",\"gpu__time_duration.sum\"\n"
                           "\"\",\"\",\"\",\"\",\"us\"\n"
                           "\"0\",\"k\x1b]0;\xff\",\"(1, 1, 1)\",\"(32, 1, 1)\",\"2\"\n")}))
          .run;
  EXPECT_EQ(run.measurements.front().point.subject, "k?]0;\ufffd");
}

TEST_F(Import, OtherFilesAreNamed) {
  const Error error = error_of(request({written("notes.txt", "hello\n")}));
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.what(), HasSubstr("notes.txt: this file cannot be imported"));
  EXPECT_THAT(error_of(request({folder_.path() / "absent"})).what(), HasSubstr("absent: cannot be read"));
  EXPECT_THAT(error_of(request({written("cut.ncu-rep", std::string("NVR\0\x02", 5))})).what(),
              HasSubstr("cut.ncu-rep: at byte 4: "));
}

}  // namespace
}  // namespace rooflinectl::import_test
