// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/tables/tables.h"

namespace rooflinectl::source_line_table_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The only row of a kernel whose samples are all at `line`.
std::vector<std::string> row_of(const SampledLine& line) {
  return source_line_table({.samples = line.samples, .lines = {line}}).rows.at(0);
}

TEST(SourceLineTable, HasSharesOfAllSamplesAndWhatWarpsDid) {
  const Table table = source_line_table({.samples = 5000,
                                         .lines = {{.file = "attention.py",
                                                    .line = 45,
                                                    .text = "acc += tl.dot(p, v)",
                                                    .samples = 3000,
                                                    .stall = "long_scoreboard",
                                                    .stalled = 2000},
                                                   {.file = "attention.py", .line = 47, .samples = 500}}});
  EXPECT_EQ(table.title, "Where its warps were (5000 samples)");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("attention.py:45", "60.0 %", "acc += tl.dot(p, v)",
                                                  "66.7 % waiting for global memory"),
                                      ElementsAre("attention.py:47", "10.0 %", "", "issuing")));
  EXPECT_THAT(table.notes, ElementsAre("Other lines, and code without a line, have 30.0 % of the samples."));
}

TEST(SourceLineTable, HasNoNoteWhenTheLinesHaveAllSamples) {
  const Table table = source_line_table(
      {.samples = 4,
       .lines = {{.file = "a.cu", .line = 1, .samples = 3}, {.file = "a.cu", .line = 2, .samples = 1}}});
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST(SourceLineTable, ShortensPathsToTheFolderOfTheFile) {
  const auto place = [](std::string file) {
    return row_of({.file = std::move(file), .line = 7, .samples = 1})[0];
  };
  EXPECT_EQ(place("/home/user/project/kernels/attention.py"), "kernels/attention.py:7");
  EXPECT_EQ(place("kernels/attention.py"), "kernels/attention.py:7");
  EXPECT_EQ(place("/srv/scale.cu"), "srv/scale.cu:7");
  EXPECT_EQ(place("/scale.cu"), "scale.cu:7");
  EXPECT_EQ(place("scale.cu"), "scale.cu:7");
  EXPECT_EQ(place(""), ":7");
}

TEST(SourceLineTable, SaysThatWarpsIssueWhenTheyWereSelected) {
  const auto waiting = [](std::string stall) {
    return row_of({.file = "a.cu", .line = 1, .samples = 8, .stall = std::move(stall), .stalled = 2})[3];
  };
  EXPECT_EQ(waiting("selected"), "25.0 % issuing");
  EXPECT_EQ(waiting(""), "25.0 % issuing");
  EXPECT_EQ(waiting("not_selected"), "25.0 % waiting for their turn");
  EXPECT_EQ(waiting("a_reason_of_a_later_chip"), "25.0 % waiting for a_reason_of_a_later_chip");
}

TEST(SampledLines, AreNullWhenThereIsNothingToShow) {
  Measurement measurement;
  RooflinePoint point;
  point.measurement = &measurement;
  EXPECT_EQ(sampled_lines(point), nullptr);
  measurement.launches.emplace();
  EXPECT_EQ(sampled_lines(point), nullptr);
  measurement.launches->sampled = SampledLines{.samples = 3};
  EXPECT_EQ(sampled_lines(point), nullptr);
  measurement.launches->sampled->lines = {{.file = "a.cu", .line = 1, .samples = 3}};
  EXPECT_EQ(sampled_lines(point), &*measurement.launches->sampled);
  measurement.launches->sampled->samples = 0;  // no share of nothing
  EXPECT_EQ(sampled_lines(point), nullptr);
}

}  // namespace
}  // namespace rooflinectl::source_line_table_test
