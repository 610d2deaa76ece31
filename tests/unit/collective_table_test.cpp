// SPDX-License-Identifier: Apache-2.0
// Collectives in the terminal, in summary.md, on the page and in their picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files/files.h"
#include "reports/formats/formats.h"
#include "reports/page/page.h"
#include "reports/reports.h"
#include "reports/tables/devices/device_tables.h"
#include "tests/support/constructed_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::collective_table_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Ceiling nvlink_peak(std::size_t device) {
  Ceiling ceiling = constructed::ceiling("nvlink", CeilingKind::transfer, CeilingSource::theoretical,
                                         "nvlink", "", 500e9, "18 links");
  ceiling.device = device;
  return ceiling;
}

/// All-reduce of two sizes, broadcast of the larger one, and reduce-scatter with a wrong result.
rooflinectl::Run run_of_two() {
  rooflinectl::Run run = constructed::empty_run();
  run.devices.resize(2, run.devices[0]);
  run.ceilings = constructed::ceilings();
  run.ceilings.push_back(nvlink_peak(0));
  run.ceilings.push_back(nvlink_peak(1));
  run.links = {{.from = 0, .to = 1, .bytes_per_s = 400e9, .method = "8 copies"}};
  constexpr double kGibibyte = 1 << 30;
  run.collectives = Collectives{
      .nccl = "NCCL 2.28.9",
      .method = "float, median of 15",
      .times = {{.collective = Collective::all_reduce,
                 .sizes = {{.bytes = 2048, .time_s = 9.5e-6, .relative_spread = 0.03},
                           {.bytes = kGibibyte, .time_s = kGibibyte / 300e9, .relative_spread = 0.001}},
                 .sent_bytes = CounterValue::measured(2 * kGibibyte)},
                {.collective = Collective::reduce_scatter,
                 .missing = "the result is wrong: element 7 of device 1 is 0, not 3"},
                {.collective = Collective::broadcast,
                 .sizes = {{.bytes = kGibibyte, .time_s = kGibibyte / 200e9, .relative_spread = 0.001}},
                 .sent_bytes = CounterValue::unavailable("samples were lost")}},
      .measured_utc = "2026-11-21T09:32:00Z"};
  return run;
}

TEST(CollectiveTable, ThereIsNoneWhereTheyWereNotTried) {
  EXPECT_THAT(collective_tables(constructed::empty_run()), IsEmpty());
}

TEST(CollectiveTable, TheFirstHasARowForEachCollective) {
  const auto tables = collective_tables(run_of_two());
  ASSERT_THAT(tables, SizeIs(4));
  EXPECT_EQ(tables[0].title, "Collectives over 2 devices, NCCL 2.28.9");
  EXPECT_THAT(tables[0].rows,
              ElementsAre(ElementsAre("all-reduce", "9.500 µs", "300", "1 GiB", "60 %", "75 %",
                                      "100.00 % of expected"),
                          ElementsAre("reduce-scatter", "–", "–", "–", "–", "–", "–"),
                          ElementsAre("broadcast", "5.369 ms", "200", "1 GiB", "40 %", "50 %", "–")));
  EXPECT_THAT(tables[0].remarks(),
              ElementsAre("float, median of 15; spread up to 3.0 %",
                          "reduce-scatter: the result is wrong: element 7 of device 1 is 0, not 3",
                          "NVLink bytes: samples were lost"));
}

TEST(CollectiveTable, TheOthersHaveARowForEachSize) {
  const auto tables = collective_tables(run_of_two());
  EXPECT_EQ(tables[1].title, "Bus bandwidth, GB/s");
  EXPECT_THAT(tables[1].rows,
              ElementsAre(ElementsAre("2 KiB", "0.216", "–"), ElementsAre("1 GiB", "300", "200")));
  EXPECT_EQ(tables[1].columns[2].title, "broadcast");
  EXPECT_EQ(tables[2].title, "Algorithm bandwidth, GB/s");
  EXPECT_THAT(tables[3].rows.front(), ElementsAre("2 KiB", "9.500 µs", "–"));
}

TEST(CollectiveTable, WithoutNcclThereIsTheReasonAlone) {
  rooflinectl::Run run = run_of_two();
  run.collectives = Collectives{.missing = "NCCL is missing"};
  const auto tables = collective_tables(run);
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].rows, IsEmpty());
  EXPECT_THAT(tables[0].remarks(), ElementsAre("NCCL is missing"));
  EXPECT_THAT(terminal_summary(ReportModel(run), 100), HasSubstr("Collectives\nNCCL is missing\n"));
}

TEST(CollectiveTable, EveryFormatHasIt) {
  const rooflinectl::Run run = run_of_two();
  const ReportModel report(run);
  EXPECT_THAT(terminal_summary(report, 100), HasSubstr("\nall-reduce      9.500 µs       300"));
  EXPECT_THAT(summary_md(report), HasSubstr("## Collectives\n\n[Picture of bus bandwidth against size]"));
  const auto collectives = nlohmann::json::parse(page_data(report))["run"]["collectives"];
  EXPECT_EQ(collectives["tables"][1]["table"]["rows"][1][1], "300");
}

TEST(CollectivesPicture, HasALineForEachUnderTheRoofsOfTheLinks) {
  const TemporaryFolder folder;
  write_reports(ReportModel(run_of_two()), folder.path());
  const std::string picture = read_file(folder.path() / "collectives.svg");
  EXPECT_THAT(picture, HasSubstr("all-reduce, 2 KiB: 216 MB/s, 9.500 µs"));
  EXPECT_THAT(picture, HasSubstr("NVLink, theoretical, one way: 500 GB/s"));
  EXPECT_THAT(picture, HasSubstr("between two devices, one way, measured: 400 GB/s"));
  EXPECT_THAT(picture, Not(HasSubstr("reduce-scatter")));
  EXPECT_THAT(read_file(folder.path() / "report.html"), HasSubstr("data-name=\"collectives\""));
}

TEST(CollectivesPicture, ThereIsNoneWithoutTimes) {
  rooflinectl::Run run = run_of_two();
  run.collectives = Collectives{.missing = "NCCL is missing"};
  const TemporaryFolder folder;
  write_reports(ReportModel(run), folder.path());
  EXPECT_FALSE(fs::exists(folder.path() / "collectives.svg"));
}

}  // namespace
}  // namespace rooflinectl::collective_table_test
