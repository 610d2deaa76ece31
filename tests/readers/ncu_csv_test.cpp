// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files/files.h"
#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl::ncu_csv_test {
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
  EXPECT_EQ(metrics.at("x__no.sum").value, CounterValue::unavailable("ncu reports 'n/a'"));
}

TEST(NcuCsv, WhatIsNoNumberIsUnavailable) {
  for (const std::string printed : {"nan", "NaN", "-nan", "inf"}) {
    const auto kernels = read_ncu_csv(fmt::format(
        "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\"\n\"\",\"\",\"byte\"\n\"0\",\"k\",\"{}\"\n",
        printed));
    EXPECT_EQ(kernels.front().metrics.at("dram__bytes_read.sum").value,
              CounterValue::unavailable(fmt::format("ncu reports '{}'", printed)));
  }
}

/// The value of a metric that ncu prints like this.
NcuValue value_of(const std::string& metric, const std::string& printed, const std::string& unit) {
  return read_ncu_csv(fmt::format("\"ID\",\"Kernel Name\",\"{}\"\n\"\",\"\",\"{}\"\n\"0\",\"k\",\"{}\"\n",
                                  metric, unit, printed))
      .front()
      .metrics.at(metric);
}

TEST(NcuCsv, UnitsInTheSpellingsOfItsVersions) {
  for (const char* unit : {"us", "\u00b5s", "\u03bcs", "usecond"}) {
    EXPECT_DOUBLE_EQ(value_of("gpu__time_duration.sum", "2", unit).value.value().value(), 2e-6) << unit;
  }
  for (const char* unit : {"Mbyte", "MB"}) {
    EXPECT_DOUBLE_EQ(value_of("dram__bytes_read.sum", "2", unit).value.value().value(), 2e6) << unit;
  }
  for (const char* unit : {"Gbyte/s", "GB/s", "Gbyte/second", "byte/nsecond"}) {
    EXPECT_DOUBLE_EQ(value_of("dram__bytes.sum.per_second", "2", unit).value.value().value(), 2e9) << unit;
  }
  for (const char* unit : {"Ghz", "GHz", "cycle/nsecond", "cycle/ns"}) {
    EXPECT_DOUBLE_EQ(value_of("sm__cycles_elapsed.avg.per_second", "2", unit).value.value().value(), 2e9)
        << unit;
  }
}

TEST(NcuCsv, AnUnknownUnitIsNamedAndNotTakenForTheBaseUnit) {
  EXPECT_EQ(value_of("gpu__time_duration.sum", "2", "fortnight").value.reason(),
            "ncu reports it in 'fortnight', an unknown unit");
  EXPECT_EQ(value_of("gpu__time_duration.sum", "2", "Mbyte").value.reason(), "ncu reports it in 'Mbyte'");
  EXPECT_EQ(value_of("gpu__time_duration.sum", "2", "").value.reason(), "ncu reports '2' without a unit");
  EXPECT_EQ(value_of("dram__bytes_read.sum", "2", "").value.reason(), "ncu reports '2' without a unit");
}

TEST(NcuCsv, ANumberThatCanBeReadInTwoWaysIsNamedAndNotRead) {
  for (const char* printed : {"1,2,3,4", "1,234,", "1 2 3,4,5", "-1", "1,234.5,6", "1.2.3,4,5"}) {
    const CounterValue value = value_of("a__b.sum", printed, "inst").value;
    ASSERT_FALSE(value.available()) << printed;
    EXPECT_EQ(value.reason(),
              fmt::format("ncu reports '{}', which cannot be read as a number unambiguously", printed));
  }
  EXPECT_EQ(value_of("a__b.sum", "1,234,567.5", "inst").value, CounterValue::measured(1234567.5));
  EXPECT_EQ(value_of("a__b.sum", "1234567", "inst").value, CounterValue::measured(1234567));
  EXPECT_EQ(value_of("a__b.sum", "1.5e+09", "inst").value, CounterValue::measured(1.5e9));
  for (const char* printed : {"1e308", "1e-308"}) {
    EXPECT_THAT(value_of("a__b.sum", printed, "inst").value.reason(), HasSubstr("cannot be a counted value"));
  }
}

TEST(NcuCsv, NumbersInOtherNotations) {
  const std::vector<std::pair<const char*, double>> written = {
      {"1.234,5", 1234.5},        {"0,123", 0.123},           {"12,34", 12.34},
      {"1234,567", 1234.567},     {"1.234.567,8", 1234567.8}, {"1\u202f234\u202f567,8", 1234567.8},
      {"1'234'567.8", 1234567.8}, {"1 234 567", 1234567}};
  for (const auto& [printed, value] : written) {
    EXPECT_EQ(value_of("a__b.sum", printed, "inst").value, CounterValue::measured(value)) << printed;
  }
}

TEST(NcuCsv, ATableHasOneNotation) {
  const auto kernels = read_ncu_csv(
      "\"ID\",\"Kernel Name\",\"a__b.sum\",\"a__c.sum\"\n\"\",\"\",\"inst\",\"inst\"\n"
      "\"0\",\"k\",\"1.234\",\"0,5\"\n");
  EXPECT_EQ(number(kernels.front(), "a__b.sum"), 1234);
  EXPECT_EQ(number(kernels.front(), "a__c.sum"), 0.5);
}

TEST(NcuCsv, TheSummaryPageIsRefused) {
  const Error error = error_of(
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Metric Name\"\n"
      "\"1066\",\"toy\",\"127.0.0.1\",\"daxpy\",\"dram__bytes_read.sum\"\n");
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.what(), HasSubstr("summary page"));
  EXPECT_THAT(error.hint(), HasSubstr("--page raw"));
}

TEST(NcuCsv, LabelsOfTheDetailsPage) {
  const std::string text =
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule "
      "Name\"\n"
      "\"0\",\"k\",\"s\",\"Duration\",\"us\",\"60.29\"\n"
      "\"0\",\"k\",\"s\",\"Memory Throughput\",\"%\",\"63.19\"\n"
      "\"0\",\"k\",\"s\",\"Memory Throughput\",\"Tbyte/s\",\"3.04\"\n"
      "\"0\",\"k\",\"s\",\"Achieved Occupancy\",\"%\",\"73.42\"\n";
  const auto kernels = read_ncu_csv(text);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_DOUBLE_EQ(number(kernels.front(), "gpu__time_duration.sum"), 60.29e-6);
  EXPECT_DOUBLE_EQ(number(kernels.front(), "dram__bytes.sum.per_second"), 3.04e12);
  EXPECT_DOUBLE_EQ(number(kernels.front(), "sm__warps_active.avg.pct_of_peak_sustained_active"), 73.42);
}

TEST(NcuCsv, NvtxRangesFromTheOutermost) {
  const std::string text = fmt::format(
      "\"ID\",{},\"Kernel Name\",\"a__b.sum\"\n\"0\",\"7  \"\"<default domain>:step "
      "1:none:none:none:none:none:none\"\"  \"\"torch:a::b:none:none:none:none:none:none\"\" "
      "\",\"k\",\"1\"\n",
      kRange);
  EXPECT_THAT(read_ncu_csv(text).front().path, ElementsAre("step 1", "a::b"));
}

TEST(NcuCsv, AByteOrderMarkIsSkipped) {
  EXPECT_THAT(read_ncu_csv("\xef\xbb\xbf\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"0\",\"k\",\"1\"\n"),
              SizeIs(1));
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

TEST(NcuCsv, MissingPermissionIsReportedWithAHint) {
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
              HasSubstr("2 columns, but its header has 3"));
}

}  // namespace
}  // namespace rooflinectl::ncu_csv_test
