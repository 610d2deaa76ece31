// SPDX-License-Identifier: Apache-2.0
#include "core/model/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "core/files/files.h"

namespace rooflinectl {
namespace {

const std::string kDocument = ROOFLINECTL_SOURCE_FOLDER "/docs/metrics.md";
constexpr std::string_view kTableHead = "| key | meaning | hardware metric |\n|---|---|---|\n";

TEST(Metrics, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const std::string_view key : counter_keys()) EXPECT_TRUE(keys.insert(key).second) << key;
}

/// `× 32`, `÷ 100`; empty for 1.
std::string scale_text(double scale) {
  if (scale == 1) return {};
  return scale > 1 ? fmt::format(" × {:g}", scale) : fmt::format(" ÷ {:g}", 1 / scale);
}

std::string table_rows(const std::vector<Metric>& metrics) {
  std::string rows;
  for (const Metric& metric : metrics) {
    rows += fmt::format("| `{}` | {} | `{}`{} |\n", metric.key, metric.meaning,
                        fmt::join(metric.names, "`, else `"), scale_text(metric.scale));
  }
  return rows;
}

/// The rows of a document's tables of metrics: of the basic set first, then of tensor operations.
struct Rows {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Rows rows_after(const std::string& document, std::size_t from) {
  const std::size_t begin = document.find(kTableHead, from) + kTableHead.size();
  std::size_t end = begin;
  while (document.compare(end, 1, "|") == 0) end = document.find('\n', end) + 1;
  return {begin, end};
}

TEST(Metrics, AreDocumented) {
  const std::string found = read_file(kDocument);
  std::string document = found;
  std::size_t from = 0;
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics()}) {
    const Rows place = rows_after(document, from);
    document.replace(place.begin, place.end - place.begin, table_rows(*metrics));
    from = place.begin;
  }
  if (std::getenv("ROOFLINECTL_UPDATE_GOLDENS") != nullptr) write_file(kDocument, document);
  EXPECT_TRUE(document == read_file(kDocument))
      << "the tables of docs/metrics.md are made from core/model/metrics.cpp: "
         "ROOFLINECTL_UPDATE_GOLDENS=1 ctest -L golden rewrites them";
}

}  // namespace
}  // namespace rooflinectl
