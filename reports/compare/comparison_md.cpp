// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/compare/comparison_reports.h"
#include "reports/compare/comparison_table.h"
#include "reports/text/markdown.h"

namespace rooflinectl {
namespace {

std::string section(const std::string& title, const std::vector<std::string>& texts) {
  return texts.empty() ? "" : fmt::format("\n## {}\n{}", title, markdown::list(texts));
}

}  // namespace

std::string comparison_md(const RunComparison& comparison, const std::string& picture) {
  constexpr std::size_t kMostMoves = 5;
  constexpr std::size_t kMostOfPrograms = 200;
  std::string text = fmt::format("# Comparison: {}\n\n", markdown::escaped(comparison_counts(comparison)));
  for (const AnalysedRun& base : comparison.baseline) {
    text +=
        fmt::format("- base: {}: {}\n", markdown::escaped(base.name), markdown::escaped(run_text(base.run)));
  }
  const AnalysedRun& now = *comparison.now;
  text += fmt::format("- now: {}: {}\n\n", markdown::escaped(now.name), markdown::escaped(run_text(now.run)));
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) text += fmt::format("**{}**\n\n", warning);
  const std::string unrelated = unrelated_text(comparison);
  if (!unrelated.empty()) text += unrelated + "\n\n";
  text += fmt::format("![Change of every point]({})\n\n", picture);
  const std::vector<const PointComparison*> points = table_points(comparison, kMostOfPrograms);
  if (!points.empty()) text += markdown::table(comparison_table(points));
  text += fmt::format("\n{}\n", comparison_explanation(comparison));
  text += section("Programs", program_change_texts(comparison));
  text += section("Counter changes", comparison_notes(comparison, kMostMoves));
  text += section("Not compared", missing_texts(comparison));
  text += section("Environment", environment_change_texts(comparison));
  return text + section("Ceilings", ceiling_change_texts(comparison));
}

}  // namespace rooflinectl
