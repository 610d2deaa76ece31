// SPDX-License-Identifier: Apache-2.0
#include "core/model/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "core/model/pass_metrics.h"
#include "tests/support/generated_parts.h"

namespace rooflinectl {
namespace {

TEST(Metrics, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const std::string_view key : counter_keys()) EXPECT_TRUE(keys.insert(key).second) << key;
}

/// What no pass counts would be missing in every profiled program, without a reason.
TEST(Metrics, AreInOnePassOfProfile) {
  std::map<std::string_view, int> passes;
  for (const Pass pass : kPasses) {
    for (const Metric& metric : pass_metrics(pass)) ++passes[metric.key];
  }
  for (const Metric& metric : basic_metrics()) {
    EXPECT_EQ(passes[metric.key], 1) << metric.key << ": hardware_pass of its row in core/model/metrics.cpp";
  }
}

/// `× 32`, `÷ 100`; empty for 1.
std::string scale_text(double scale) {
  if (scale == 1) return {};
  return scale > 1 ? fmt::format(" × {:g}", scale) : fmt::format(" ÷ {:g}", 1 / scale);
}

std::string table(const std::vector<Metric>& metrics) {
  std::string text = "| key | meaning | hardware metric |\n|---|---|---|\n";
  for (const Metric& metric : metrics) {
    text += fmt::format("| `{}` | {} | `{}`{} |\n", metric.key, metric.meaning,
                        fmt::join(metric.names, "`, else `"), scale_text(metric.scale));
  }
  return text;
}

TEST(Metrics, AreDocumented) {
  expect_generated("docs/metrics.md",
                   {{"basic metrics", table(basic_metrics())},
                    {"tensor metrics", table(tensor_metrics())},
                    {"pipe metrics", table(pipe_metrics())}},
                   "core/model/metrics.cpp");
}

}  // namespace
}  // namespace rooflinectl
