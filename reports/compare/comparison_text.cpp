// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/files/files.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/scene.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

std::string side_text(std::string_view what, const AnalysedRun& run, std::size_t width) {
  constexpr std::size_t kAside = 6;
  constexpr std::size_t kWidest = 80;
  return fmt::format("{:{}}{}\n", what, kAside, run.name) +
         paragraph(run_text(run.run), std::min(width, kWidest), kAside);
}

std::string side_item(std::string_view what, const AnalysedRun& run) {
  return fmt::format("- {}: {}: {}\n", what, markdown::escaped(run.name),
                     markdown::escaped(run_text(run.run)));
}

namespace {

std::string point_table(const RunComparison& comparison, std::size_t width) {
  constexpr std::size_t kMostOfPrograms = 40;
  Table table = comparison_table(table_points(comparison, kMostOfPrograms));
  const auto& points = comparison.points;
  const bool is_one_experiment = std::ranges::all_of(points, [&](const PointComparison& point) {
    return point.point.experiment == points.front().point.experiment;
  });
  if (is_one_experiment) table.remove("experiment");
  return text_table(table, width);
}

// Shows the file `picture` in the same folder.
std::string comparison_md(const RunComparison& comparison, const std::string& picture) {
  constexpr std::size_t kMostMoves = 5;
  constexpr std::size_t kMostOfPrograms = 200;
  const std::string incomparable = incomparable_text(comparison);
  std::string text = incomparable.empty() ? fmt::format("# Comparison: {}\n\n",
                                                        markdown::escaped(comparison_counts(comparison)))
                                          : fmt::format("# Comparison\n\n{}\n\n", incomparable);
  for (const AnalysedRun& base : comparison.baseline) text += side_item("base", base);
  text += side_item("now", *comparison.now) + "\n";
  if (!incomparable.empty()) return text;
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) text += fmt::format("**{}**\n\n", warning);
  const std::string unrelated = unrelated_text(comparison);
  if (!unrelated.empty()) text += unrelated + "\n\n";
  text += fmt::format("![Change of every point]({})\n\n", picture);
  const std::vector<const PointComparison*> points = table_points(comparison, kMostOfPrograms);
  if (!points.empty()) text += markdown::table(comparison_table(points));
  text += fmt::format("\n{}\n", comparison_explanation(comparison));
  for (const auto& [title, items] : comparison_lists(comparison, kMostMoves)) {
    text += fmt::format("\n## {}\n{}", title, markdown::list(items));
  }
  return text;
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, int columns) {
  constexpr std::size_t kMostMoves = 3;
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const AnalysedRun& base : comparison.baseline) text += side_text("base:", base, width);
  text += side_text("now:", *comparison.now, width);
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) text += paragraph(warning, width);
  if (const std::string sentence = incomparable_text(comparison); !sentence.empty()) {
    return text + "\n" + paragraph(sentence, width);
  }
  const std::string unrelated = unrelated_text(comparison);
  if (!unrelated.empty()) text += "\n" + paragraph(unrelated, width);
  const bool has_points = !comparison.points.empty();
  const std::string table = point_table(comparison, width);
  if (!table.empty()) text += "\n" + table;
  for (const auto& [title, items] : comparison_lists(comparison, kMostMoves)) {
    text += fmt::format("\n{}\n", title);
    for (const std::string& item : items) text += paragraph(item, width, 2);
  }
  text += fmt::format("\n{}", sentence(comparison_counts(comparison), width));
  return has_points ? text + paragraph(comparison_explanation(comparison), width) : text;
}

std::vector<std::filesystem::path> write_comparison(const std::vector<RunComparison>& comparisons,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& inputs) {
  constexpr const char* kPageName = "comparison.html";
  const std::vector<Scene> scenes = comparison_scenes(comparisons);
  const std::vector<std::string> pictures = format::each(scenes, to_svg);
  std::vector<OutputFile> files = {{kPageName, comparison_page(comparisons, pictures)},
                                   {"comparison.json", comparison_json(comparisons)}};
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string number = i == 0 ? "" : fmt::format("-{}", i + 1);
    const std::string picture = fmt::format("movement{}", number);
    if (incomparable_text(comparisons[i]).empty()) {
      files.push_back({picture + ".svg", pictures[i]});
      files.push_back({picture + ".png", to_png(scenes[i])});
    }
    files.push_back(
        {fmt::format("comparison{}.md", number), comparison_md(comparisons[i], picture + ".png")});
  }
  return write_together(folder, kPageName, files, inputs);
}

}  // namespace rooflinectl
