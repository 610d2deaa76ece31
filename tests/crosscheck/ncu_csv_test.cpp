// SPDX-License-Identifier: Apache-2.0
#include "crosscheck/ncu_csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files.h"
#include "crosscheck/csv.h"

namespace rooflinectl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kData = ROOFLINECTL_SOURCE_FOLDER "/tests/data/";

constexpr const char* kRange =
    "\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\"";

double number(const NcuKernel& kernel, const char* metric) {
  return kernel.metrics.at(metric).value.value().value();
}

Error error_of(std::string_view text) {
  try {
    read_ncu_csv(text);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error for " << text;
  return {ErrorKind::usage, ""};
}

TEST(Csv, Records) {
  std::string_view text = "a,\"b,\"\"c\"\"\nd\",\r\n\"\"\nlast";
  EXPECT_THAT(take_csv_record(text), ElementsAre("a", "b,\"c\"\nd", ""));
  EXPECT_THAT(take_csv_record(text), ElementsAre(""));
  EXPECT_THAT(take_csv_record(text), ElementsAre("last"));
  EXPECT_TRUE(text.empty());
  text = "\"never closed\n";
  EXPECT_THAT(take_csv_record(text), ElementsAre("never closed\n"));
}

TEST(NcuCsv, ReadsWhatNcuExportedOfAPlan) {
  const auto kernels = read_ncu_csv(read_file(std::string(kData) + "ncu-2025.3.1-h200-reductions.csv"));
  ASSERT_THAT(kernels, SizeIs(36));
  EXPECT_EQ(kernels.front().range, "ladder.reduce_v0_global.f32.n268435456.b256.cold");
  EXPECT_THAT(kernels.front().kernel, HasSubstr("reduce_v0_global<(int)256>"));
  EXPECT_EQ(number(kernels.front(), "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 267386880);
  EXPECT_DOUBLE_EQ(number(kernels.front(), "gpu__time_duration.sum"), 2952.48e-6);
  EXPECT_EQ(kernels.back().range, "seeds_sum.sum_block_shuffle.f16.n1048576.b256.e8.cold");
}

TEST(NcuCsv, ReadsWhatNcuPrintsWhileProfiling) {
  const auto kernels = read_ncu_csv(read_file(std::string(kData) + "ncu-2025.3.1-h200-other-program.csv"));
  ASSERT_THAT(kernels, SizeIs(16));
  EXPECT_EQ(kernels.front().range, "");
  EXPECT_EQ(kernels.front().kernel, "v0_global(float *, float *)");
  EXPECT_EQ(number(kernels.front(), "dram__bytes_read.sum"), 1073838336);
  EXPECT_DOUBLE_EQ(number(kernels.front(), "smsp__thread_inst_executed_per_inst_executed.pct"), 70.12);
}

TEST(NcuCsv, UnitsOfAnySizeAndHowFarTheyAreRounded) {
  const auto kernels = read_ncu_csv(
      "\"ID\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"x__inst.sum\",\"x__y.pct\",\"x__no."
      "sum\"\n"
      "\"\",\"\",\"us\",\"Mbyte\",\"inst\",\"%\",\"\"\n"
      "\"0\",\"k\",\"1,473.38\",\"1.5\",\"1,000\",\"12.5\",\"n/a\"\n");
  ASSERT_THAT(kernels, SizeIs(1));
  const auto& metrics = kernels.front().metrics;
  EXPECT_DOUBLE_EQ(number(kernels.front(), "gpu__time_duration.sum"), 1473.38e-6);
  EXPECT_DOUBLE_EQ(metrics.at("gpu__time_duration.sum").rounding, 0.005e-6);
  EXPECT_EQ(number(kernels.front(), "dram__bytes_read.sum"), 1.5e6);
  EXPECT_DOUBLE_EQ(metrics.at("dram__bytes_read.sum").rounding, 5e4);
  EXPECT_EQ(number(kernels.front(), "x__inst.sum"), 1000);
  EXPECT_EQ(metrics.at("x__inst.sum").rounding, 0);
  EXPECT_EQ(number(kernels.front(), "x__y.pct"), 12.5);
  EXPECT_EQ(metrics.at("x__no.sum").value, CounterValue::unavailable("ncu gives 'n/a'"));
}

TEST(NcuCsv, TheDetailsPage) {
  const std::string text = fmt::format(
      "\"ID\",{},\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"7  \"\"rooflinectl:a.b:none:none\"\" \",\"k\",\"c\",\"dram__bytes_read.sum\",\"Kbyte\",\"2\"\n"
      "\"0\",\"7  \"\"rooflinectl:a.b:none:none\"\" \",\"k\",\"c\",\"gpu__time_duration.sum\",\"ns\",\"30\"\n"
      "\"0\",\"7  \"\"rooflinectl:a.b:none:none\"\" \",\"k\",\"c\",\"\",\"\",\"\"\n"
      "\"1\",\"7  \"\"other:a.b:none:none\"\" \",\"k\",\"c\",\"gpu__time_duration.sum\",\"ns\",\"40\"\n",
      kRange);
  const auto kernels = read_ncu_csv(text);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].range, "a.b");
  EXPECT_THAT(kernels[0].metrics, SizeIs(2));
  EXPECT_EQ(number(kernels[0], "dram__bytes_read.sum"), 2000);
  EXPECT_EQ(kernels[1].range, "");
  EXPECT_DOUBLE_EQ(number(kernels[1], "gpu__time_duration.sum"), 40e-9);
}

TEST(NcuCsv, SeveralTablesAndLinesBetweenThem) {
  const std::string table =
      "\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"0\",\"k\",\"1\"\n==PROF== Disconnected\n{\"a\":1}\n";
  EXPECT_THAT(read_ncu_csv("==PROF== Connected\n" + table + table), SizeIs(2));
  EXPECT_THAT(read_ncu_csv("\"ID\",\"Kernel Name\"\n"), IsEmpty());
}

TEST(NcuCsv, NoPermissionIsToldWithTheWayOut) {
  const Error error = error_of(
      "==PROF== Connected to process 5\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
      "access "
      "NVIDIA GPU Performance Counters on the target device 0.\n");
  EXPECT_EQ(error.kind(), ErrorKind::environment);
  EXPECT_THAT(error.what(), HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_THAT(error.hint(), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST(NcuCsv, OtherTextIsRefused) {
  for (const char* text : {"", "\n\n", "a,b\n1,2\n", "{}", "\"ID\",\"Metric Name\"\n\"0\",\"x\"\n"}) {
    const Error error = error_of(text);
    EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
    EXPECT_THAT(error.hint(), HasSubstr("ncu --import")) << text;
  }
  EXPECT_THAT(error_of("\"ID\",\"Kernel Name\",\"a__b\"\n\"0\",\"k\"\n").what(),
              HasSubstr("2 columns, its heading 3"));
}

}  // namespace
}  // namespace rooflinectl
