// SPDX-License-Identifier: Apache-2.0
#include "core/counters/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "reports/text/csv.h"
#include "tests/support/generated_file.h"

namespace rooflinectl {
namespace {

TEST(Metrics, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const std::string_view key : counter_keys()) EXPECT_TRUE(keys.insert(key).second) << key;
}

/// Whether metrics are compared with other tools as parts of this sum, which has no metric of its own.
bool is_sum(std::string_view key) {
  return std::any_of(basic_metrics().begin(), basic_metrics().end(), [key](const Metric& metric) {
    return metric.agreement && metric.agreement->sum == key;
  });
}

TEST(Metrics, EveryDeclaredKeyHasARow) {
  std::set<std::string> keys;
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics(), &pipe_metrics(), &stall_metrics()}) {
    for (const Metric& metric : *metrics) keys.emplace(metric.key);
  }
  keys.emplace(pass_metrics(Pass::stalls).front().key);
  keys.emplace(pass_metrics(Pass::stalls).back().key);
  const std::string header = read_file(ROOFLINECTL_SOURCE_FOLDER "/core/counters/counters.h");
  const std::regex declaration("constexpr std::string_view (k\\w+)\\s*=\\s*\"(\\w+)\";");
  int declared = 0;
  for (std::sregex_iterator found(header.begin(), header.end(), declaration), end; found != end; ++found) {
    ++declared;
    EXPECT_TRUE(keys.contains((*found)[2]) || is_sum((*found)[2].str()))
        << "core/counters/counters.h declares " << (*found)[1]
        << ", but core/counters/metrics.cpp has no row of it";
  }
  EXPECT_GT(declared, 45);
}

/// What no pass counts would be missing in every profiled program, without a reason.
TEST(Metrics, AreInOnePassOfProfile) {
  std::map<std::string_view, int> passes;
  for (const Pass pass : kPasses) {
    for (const Metric& metric : pass_metrics(pass)) ++passes[metric.key];
  }
  for (const Metric& metric : basic_metrics()) {
    EXPECT_EQ(passes[metric.key], 1) << metric.key
                                     << ": hardware_pass of its row in core/counters/metrics.cpp";
  }
}

/// `× 32`, `÷ 100`; empty for 1.
std::string scale_text(double scale) {
  if (scale == 1) return {};
  return scale > 1 ? fmt::format(" × {:g}", scale) : fmt::format(" ÷ {:g}", 1 / scale);
}

/// `exact`, `within 0.1 %`, `within 2 %, as the sum dram_bytes`, `not compared`
std::string agreement_text(const Metric& metric) {
  if (!metric.agreement) return "not compared";
  const auto& [unit, tolerance, is_relative, sum] = *metric.agreement;
  std::string text = "exact";
  if (tolerance > 0 && is_relative) text = fmt::format("within {:g} %", 100 * tolerance);
  if (tolerance > 0 && !is_relative) {
    text = unit == ComparedUnit::ratio ? fmt::format("within {:g} percentage points", 100 * tolerance)
                                       : fmt::format("within {:g} {}", tolerance, to_string(unit));
  }
  return sum.empty() ? text : fmt::format("{}, as the sum {}", text, sum);
}

std::string rows(std::string_view set, const std::vector<Metric>& metrics) {
  std::string text;
  for (const Metric& metric : metrics) {
    const std::string names = fmt::format("{}", fmt::join(metric.names, ", else "));
    text += fmt::format("{},{},{},{},{}\n", metric.key, set, csv::field(metric.meaning),
                        csv::field(names + scale_text(metric.scale)), csv::field(agreement_text(metric)));
  }
  return text;
}

TEST(Metrics, AreDocumented) {
  expect_generated("docs/reference/counters.csv",
                   "key,set,meaning,hardware metric,agreement with Nsight Compute\n" +
                       rows("basic", basic_metrics()) + rows("tensor", tensor_metrics()) +
                       rows("pipes", pipe_metrics()) + rows("stalls", stall_metrics()),
                   "core/counters/metrics.cpp");
}

}  // namespace
}  // namespace rooflinectl
