// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl::ncu_report_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A real report, or what ncu printed of it in base units: without sources and sections and, in the table,
/// without the metrics that nobody asks for.
std::string data(const std::string& name) {
  const std::string path =
      fmt::format("{}/tests/data/ncu-2025.3.1-h200-{}.gz", ROOFLINECTL_SOURCE_FOLDER, name);
  return gunzipped(read_file(path), path, kMaxFileBytes);
}

NcuReport read(const std::string& bytes) {
  std::istringstream file(bytes);
  return read_ncu_report(file);
}

std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

class RealReport : public testing::TestWithParam<const char*> {};

TEST_P(RealReport, HasTheNumbersThatNcuPrintsOfIt) {
  const NcuReport report = read(data(std::string(GetParam()) + ".ncu-rep"));
  const std::vector<NcuKernel> printed = read_ncu_csv(data(std::string(GetParam()) + ".csv"));
  EXPECT_THAT(report.problems, IsEmpty());
  ASSERT_EQ(report.kernels.size(), printed.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const NcuKernel& kernel = report.kernels[i];
    EXPECT_EQ(kernel.kernel, printed[i].kernel);
    EXPECT_EQ(kernel.process, printed[i].process);
    EXPECT_EQ(kernel.grid, printed[i].grid);
    EXPECT_EQ(kernel.block, printed[i].block);
    EXPECT_EQ(kernel.path, printed[i].path);
    EXPECT_EQ(kernel.device_name, "NVIDIA H200");
    for (const auto& [name, expected] : printed[i].metrics) {
      if (!expected.value.available()) continue;
      ASSERT_TRUE(kernel.metrics.contains(name)) << name;
      const double value = kernel.metrics.at(name).value.value().value();
      // What is printed has six digits after the point, or two; a sum of doubles has 15.
      const double rounding = std::max(expected.rounding, 1e-15 * std::abs(value));
      EXPECT_NEAR(value, *expected.value.value(), rounding) << kernel.kernel << ": " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20 * printed.size());
}

INSTANTIATE_TEST_SUITE_P(All, RealReport, testing::Values("full", "roofline", "metrics", "range"));

TEST(NcuReport, KnowsHowItWasRecorded) {
  const NcuReport report = read(data("metrics.ncu-rep"));
  EXPECT_EQ(report.version, "2025.3.1.0");
  EXPECT_THAT(report.command_line, HasSubstr("--metrics dram__bytes_read.sum"));
  EXPECT_EQ(report.recorded, 1795409377U);
  EXPECT_EQ(report.has_locked_clocks, true);
  ASSERT_THAT(report.kernels, SizeIs(8));
  EXPECT_EQ(report.kernels.front().symbol, "_Z5saxpyPfPKffm");
  EXPECT_THAT(report.kernels.front().path, ElementsAre("step", "vectors"));
}

TEST(NcuReport, ReadsOnlyTheMetricsThatAreWanted) {
  std::istringstream file(data("full.ncu-rep"));
  const NcuReport report =
      read_ncu_report(file, [](std::string_view name) { return name == "dram__bytes_read.sum"; });
  for (const NcuKernel& kernel : report.kernels) {
    EXPECT_TRUE(kernel.metrics.contains("dram__bytes_read.sum"));
    EXPECT_LE(kernel.metrics.size(), 2U);  // the device's number comes with them
  }
}

TEST(NcuReport, KeepsWhatIsWholeOfOneThatIsCutOff) {
  const std::string whole = data("metrics.ncu-rep");
  const NcuReport report = read(whole.substr(0, whole.size() - 1000));
  EXPECT_THAT(report.kernels, SizeIs(7));
  EXPECT_EQ(report.kernels.front().device_name, "NVIDIA H200");
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems.front(), HasSubstr("at byte "));
  EXPECT_THAT(report.problems.front(), HasSubstr("are there"));
}

TEST(NcuReport, AnyBeginningIsReadOrRefused) {
  const std::string whole = data("range.ncu-rep");
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    try {
      EXPECT_THAT(read(whole.substr(0, size)).problems, testing::Not(IsEmpty())) << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << size;
    }
  }
}

TEST(NcuReport, OneDamagedKernelIsLeftOut) {
  std::string bytes = data("metrics.ncu-rep");
  const std::size_t name = bytes.rfind("_Z4spinIdEvPT_i");
  ASSERT_NE(name, std::string::npos);
  bytes[name - 1] = '\xff';  // its length
  const NcuReport report = read(bytes);
  EXPECT_THAT(report.kernels, SizeIs(7));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems.front(), HasSubstr("a kernel is damaged, and left out"));
}

TEST(NcuReport, OtherFilesAreRefused) {
  EXPECT_EQ(error_of(""), "this is not a Nsight Compute report");
  EXPECT_EQ(error_of("NVR"), "this is not a Nsight Compute report");
  EXPECT_THAT(error_of(std::string("NVR\0\xff\xff\xff\x7f", 8)),
              HasSubstr("at byte 4: the header of the file has 2147483647 bytes, of which 0 are there"));
  const std::string block_of_four_billion("NVR\0\x02\0\0\0\x08\x07\x05\0\0\0\x28\xff\xff\xff\x0f", 19);
  EXPECT_THAT(error_of(block_of_four_billion), HasSubstr("a block has 33554431 bytes, of which 0 are there"));
}

}  // namespace
}  // namespace rooflinectl::ncu_report_test
