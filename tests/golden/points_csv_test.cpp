// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/counters/metrics.h"
#include "core/serial/run_file.h"
#include "reports/formats/formats.h"
#include "reports/text/csv.h"
#include "tests/support/generated_file.h"

namespace rooflinectl {
namespace {

std::string header_of(const std::string& recording) {
  const Run run = read_run(fmt::format("{}/recordings/{}/run.json.gz", ROOFLINECTL_SOURCE_FOLDER, recording));
  const std::string csv = points_csv(analyse(run));
  return csv.substr(0, csv.find('\r'));
}

/// The documented columns of such runs, and the first counter, as they begin the file.
std::string documented_header(bool has_program) {
  std::string header;
  for (const CsvColumn& column : points_csv_columns()) {
    const bool is_there = column.of == CsvColumnOf::all || (has_program && column.of == CsvColumnOf::program);
    if (is_there) header += fmt::format("{},", column.name);
  }
  return header + "l2_bytes,";
}

/// A row for each column of `of`, which are in the runs that `runs` names.
std::string rows(CsvColumnOf of, std::string_view runs) {
  std::string text;
  for (const CsvColumn& column : points_csv_columns()) {
    if (column.of == of) text += fmt::format("{},{},{}\n", column.name, csv::field(column.meaning), runs);
  }
  return text;
}

TEST(PointsCsv, BeginsWithTheDocumentedColumns) {
  EXPECT_TRUE(header_of("reductions-h200").starts_with(documented_header(false)));
  EXPECT_TRUE(header_of("matrix-sums-h200").starts_with(documented_header(true)));
}

TEST(PointsCsv, HasTheTimeOfTheFraction) {
  const auto has = [](const std::string& recording) {
    return header_of(recording).find(",mean_time_s,") != std::string::npos;
  };
  EXPECT_TRUE(has("matrix-sums-h200"));
  EXPECT_FALSE(has("reductions-h200")) << "it is over the median, `time_s`";
}

TEST(PointsCsv, ColumnsAreDocumented) {
  expect_generated("docs/reference/points.csv",
                   "column,meaning,in\n" + rows(CsvColumnOf::all, "every run") +
                       rows(CsvColumnOf::program, "runs with a profiled program") +
                       rows(CsvColumnOf::operators, "reports with --pytorch-trace"),
                   "reports/formats/points_csv.cpp");
}

}  // namespace
}  // namespace rooflinectl
