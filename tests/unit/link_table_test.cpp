// SPDX-License-Identifier: Apache-2.0
// The links between devices in the terminal, in summary.md and on the page.
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

namespace rooflinectl::link_table_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

LinkBandwidth link(std::size_t from, std::size_t to, double bytes_per_s, bool both_ways = false) {
  return {.from = from,
          .to = to,
          .both_ways = both_ways,
          .bytes_per_s = bytes_per_s,
          .relative_spread = 0.002,
          .method = "8 copies"};
}

LinkBandwidth unreachable(std::size_t from, std::size_t to) {
  return {.from = from, .to = to, .mover = LinkMover::load, .missing = "no peer access"};
}

Ceiling nvlink(std::size_t device, double bytes_per_s) {
  Ceiling ceiling = constructed::ceiling("nvlink", CeilingKind::transfer, CeilingSource::theoretical,
                                         "nvlink", "", bytes_per_s, "18 links");
  ceiling.device = device;
  return ceiling;
}

/// The second device has half as many links as the first, the third has none.
rooflinectl::Run run_of_three() {
  rooflinectl::Run run = constructed::empty_run();
  run.devices.resize(3, run.devices[0]);
  run.ceilings = constructed::ceilings();
  for (Ceiling ceiling : constructed::ceilings()) {
    ceiling.device = 1;
    run.ceilings.push_back(ceiling);
  }
  run.ceilings.push_back(nvlink(0, 400e9));
  run.ceilings.push_back(nvlink(1, 200e9));
  run.links = {link(0, 1, 150e9),       link(1, 0, 160e9), link(0, 2, 20e9),
               link(0, 1, 300e9, true), unreachable(0, 2), unreachable(2, 0)};
  return run;
}

TEST(LinkTable, ThereIsNoneWithoutLinks) {
  EXPECT_THAT(link_tables(constructed::empty_run()), IsEmpty());
}

TEST(LinkTable, RowsAreSourcesAndColumnsTargets) {
  const auto tables = link_tables(run_of_three());
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_EQ(tables[0].title, "Copy engine, one way, GB/s (% of theoretical)");
  EXPECT_EQ(tables[0].columns[0].title, "from / to");
  EXPECT_EQ(tables[0].columns[2].title, "device 1");
  EXPECT_EQ(tables[0].method, "8 copies; spread up to 0.2 %");
  // The share is that of the device with fewer links; without links there is no share.
  EXPECT_THAT(tables[0].rows, ElementsAre(ElementsAre("device 0", "–", "150 (75 %)", "20.0"),
                                          ElementsAre("device 1", "160 (80 %)", "–", "–"),
                                          ElementsAre("device 2", "–", "–", "–")));
}

TEST(LinkTable, BothWaysAreOfThePairWhicheverComesFirst) {
  const Table table = link_tables(run_of_three())[1];
  EXPECT_EQ(table.title, "Copy engine, both ways together, GB/s (% of theoretical)");
  EXPECT_EQ(table.rows[0][2], "300 (75 %)");
  EXPECT_EQ(table.rows[1][1], "300 (75 %)");
}

TEST(LinkTable, WithoutAValueThereIsTheReasonAlone) {
  const Table table = link_tables(run_of_three())[2];
  EXPECT_EQ(table.title, "Loads by the target, one way, GB/s");
  EXPECT_THAT(table.rows, IsEmpty());
  EXPECT_THAT(table.remarks(), ElementsAre("device 0 to device 2, device 2 to device 0: no peer access"));
}

/// Of a link whose bytes were counted.
LinkBandwidth counted_link(std::size_t from, std::size_t to, double sent_bytes, double received_bytes) {
  LinkBandwidth one = link(from, to, 100e9);
  one.moved_bytes = 1e9;
  one.sent_bytes = CounterValue::measured(sent_bytes);
  one.received_bytes = CounterValue::measured(received_bytes);
  return one;
}

TEST(LinkTable, CountersThatAgreeStandWithTheMethod) {
  rooflinectl::Run run = run_of_three();
  run.links = {counted_link(0, 1, 1.0001e9, 1e9), counted_link(1, 0, 1e9, 0.99e9)};
  const Table table = link_tables(run).front();
  EXPECT_EQ(table.method,
            "8 copies; spread up to 0.2 %; NVLink's counters saw 0.9900 to 1.0001 of the bytes");
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST(LinkTable, CountersThatDifferAreNamedWithThePair) {
  rooflinectl::Run run = run_of_three();
  LinkBandwidth uncounted = counted_link(2, 0, 1, 1);
  uncounted.sent_bytes = uncounted.received_bytes = CounterValue::unavailable("no permission");
  run.links = {counted_link(0, 1, 1e9, 1e9), counted_link(1, 0, 1e9, 0.97e9), uncounted};
  const Table table = link_tables(run).front();
  EXPECT_EQ(table.method, "8 copies; spread up to 0.2 %; NVLink's counters saw 1.0000 of the bytes");
  EXPECT_THAT(table.notes,
              ElementsAre("device 1 to device 0: NVLink's counters saw 0.9700 of the bytes that were moved",
                          "device 2 to device 0: NVLink's counters do not confirm it: no permission"));
}

TEST(LinkTable, EveryFormatHasIt) {
  const rooflinectl::Run run = run_of_three();
  const ReportModel report(run);
  const std::string terminal = terminal_summary(report, 100);
  EXPECT_THAT(terminal, HasSubstr("device 0            –  150 (75 %)      20.0\n"));
  EXPECT_THAT(terminal, HasSubstr("device 2 to device 0: no peer access\n"));
  const std::string summary = summary_md(report);
  EXPECT_THAT(summary, HasSubstr("## Links between the devices\n"));
  EXPECT_THAT(summary, HasSubstr("| from / to | device 0 | device 1 | device 2 |\n|---|---:|---:|---:|\n"));
  EXPECT_THAT(summary, HasSubstr("no peer access\n"));
  const auto links = nlohmann::json::parse(page_data(report))["run"]["links"];
  EXPECT_EQ(links["tables"][0]["table"]["rows"][1][1], "160 (80 %)");
  EXPECT_EQ(links["tables"][2]["table"]["findings"][0],
            "device 0 to device 2, device 2 to device 0: no peer access");
  const std::string page = page_without_script(report, {.experiments = {{}}});
  EXPECT_THAT(page, HasSubstr("<td class=\"number\">160 (80 %)</td>"));
}

TEST(LinkTable, WithoutLinksNoFormatHasIt) {
  rooflinectl::Run run = run_of_three();
  run.links.clear();
  const ReportModel report(run);
  EXPECT_THAT(terminal_summary(report, 100), Not(HasSubstr("from / to")));
  EXPECT_THAT(summary_md(report), Not(HasSubstr("Links")));
  EXPECT_FALSE(nlohmann::json::parse(page_data(report))["run"].contains("links"));
}

TEST(CeilingsOfDevices, EachDeviceHasItsPictureAndItsRows) {
  rooflinectl::Run run = run_of_three();
  run.devices.resize(2);
  run.links.clear();
  run.devices[1].name = "Other GPU";
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.device == 1 && ceiling.id == "f32_add") ceiling.value /= 2;
  }
  const TemporaryFolder folder;
  write_reports(ReportModel(run), folder.path());
  EXPECT_THAT(read_file(folder.path() / "roofline.svg"), HasSubstr("Ceilings, device 0:"));
  EXPECT_THAT(read_file(folder.path() / "roofline-device-1.svg"), HasSubstr("Ceilings, device 1: Other GPU"));
  EXPECT_FALSE(fs::exists(folder.path() / "roofline-device-2.svg"));
  EXPECT_THAT(read_file(folder.path() / "summary.md"), HasSubstr("[device 1](roofline-device-1.png)"));
  const std::string terminal = terminal_summary(ReportModel(run), 200);
  EXPECT_THAT(terminal, HasSubstr("DRAM read, device 1"));
  EXPECT_THAT(terminal, HasSubstr("NVLink, device 0"));
  EXPECT_THAT(terminal, HasSubstr("400 GB/s"));
}

}  // namespace
}  // namespace rooflinectl::link_table_test
