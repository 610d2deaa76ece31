// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/compare/comparison_reports.h"
#include "reports/compare/comparison_table.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

// Its name, and below it where and when it was measured.
std::string side(std::string_view what, const AnalysedRun& run, std::size_t width) {
  constexpr std::size_t kAside = 6;
  constexpr std::size_t kWidest = 80;
  return fmt::format("{:{}}{}\n", what, kAside, run.name) +
         paragraph(run_text(run.run), std::min(width, kWidest), kAside);
}

std::string runs(const RunComparison& comparison, std::size_t width) {
  std::string text;
  for (const AnalysedRun& base : comparison.baseline) text += side("base:", base, width);
  return text + side("now:", *comparison.now, width);
}

std::string point_table(const RunComparison& comparison, std::size_t width) {
  constexpr std::size_t kMostOfPrograms = 40;
  Table table = comparison_table(table_points(comparison, kMostOfPrograms));
  const auto& points = comparison.points;
  const bool is_one_experiment = std::all_of(points.begin(), points.end(), [&](const PointComparison& point) {
    return point.point.experiment == points.front().point.experiment;
  });
  if (is_one_experiment) table.remove("experiment");
  return text_table(table, width);
}

// Nothing, or an empty line, the title and a line for each text.
std::string text_list(std::string_view title, const std::vector<std::string>& texts, std::size_t width) {
  if (texts.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  for (const std::string& item : texts) text += paragraph(item, width, 2);
  return text;
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, int columns) {
  constexpr std::size_t kMostMoves = 3;
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text = runs(comparison, width);
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) text += paragraph(warning, width);
  const std::string unrelated = unrelated_text(comparison);
  if (!unrelated.empty()) text += "\n" + paragraph(unrelated, width);
  const bool has_points = !comparison.points.empty();
  const std::string table = point_table(comparison, width);
  if (!unrelated.empty() && table.empty()) return text;
  if (!table.empty()) text += "\n" + table;
  text += text_list("Programs", program_change_texts(comparison), width);
  text += text_list("Counter changes", comparison_notes(comparison, kMostMoves), width);
  text += text_list("Not compared", missing_texts(comparison), width);
  text += text_list("Environment", environment_change_texts(comparison), width);
  text += text_list("Ceilings", ceiling_change_texts(comparison), width);
  text += fmt::format("\n{}", sentence(comparison_counts(comparison), width));
  return has_points ? text + paragraph(comparison_explanation(comparison), width) : text;
}

}  // namespace rooflinectl
