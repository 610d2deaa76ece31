// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/compare/comparison.h"
#include "core/enum_names.h"
#include "core/files/compression.h"
#include "core/json/json.h"
#include "reports/charts/parts/panels.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/theme.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace {

using serial::Json;

constexpr std::size_t kMostGroups = 500;
constexpr std::size_t kMostSteps = 14;

// The row of a point is the place of its arrow in the chart.
std::string points_table(const RunComparison& comparison) {
  const std::vector<const PointComparison*> points = table_points(comparison, kMostGroups);
  const auto change = [](const PointComparison* point) { return to_string(point->change); };
  return html_table(comparison_table(points), "points", format::each(points, change));
}

std::string signed_duration(double seconds) {
  if (seconds == 0) return "±0";
  return fmt::format("{}{}", seconds < 0 ? "−" : "+", format::duration(std::abs(seconds)));
}

std::string step_label(const WaterfallStep& step) {
  const std::string groups = step.groups > 1 ? fmt::format(", {} groups", step.groups) : "";
  constexpr std::array<std::string_view, kEnumerators<KernelChange>.size()> kWords = {
      "", "introduced", "eliminated", "only now", "only before", "other grids, blocks or ranges", ""};
  if (step.kind == KernelChange::changed) return step.label;
  if (step.kind == KernelChange::rest) return fmt::format("{} others", step.groups);
  return fmt::format("{} ({}{})", step.label, kWords.at(static_cast<std::size_t>(step.kind)), groups);
}

// Where bars begin: at 0 unless the changes would be too short to be seen.
class BarScale {
 public:
  explicit BarScale(const std::vector<double>& levels) {
    const auto [low, high] = std::ranges::minmax_element(levels);
    constexpr double kLeast = 0.3;
    constexpr double kRoom = 0.15;
    const double room = kRoom * (*high - *low);
    begin_ = *low >= 0 && *low - room < kLeast * *high ? 0 : *low - room;
    end_ = *high > begin_ ? *high + 0.02 * (*high - begin_) : begin_ + 1;
  }
  double begin() const { return begin_; }
  double percent(double level) const { return 100 * (level - begin_) / (end_ - begin_); }

 private:
  double begin_ = 0;
  double end_ = 1;
};

std::string bar_row(std::string_view kind, std::string_view label, double from, double to,
                    const BarScale& scale, std::string_view number) {
  const double left = scale.percent(std::min(from, to));
  const double width = std::max(0.3, scale.percent(std::max(from, to)) - left);
  return fmt::format(
      "<li class=\"{0}\"><span class=\"name\" title=\"{1}\">{1}</span><span class=\"track\" "
      "aria-hidden=\"true\"><span style=\"left:{2:.2f}%;width:{3:.2f}%\"></span></span><span "
      "class=\"amount\">{4}</span></li>\n",
      kind, escape_markup(label), left, width, escape_markup(number));
}

// From the time that all kernels took to the time that they take now, the largest change first.
std::string waterfall(const Waterfall& waterfall) {
  const TimeChange& whole = *waterfall.program->whole.time;
  std::vector<double> levels = {whole.from.median_s, whole.to.median_s};
  double level = whole.from.median_s;
  for (const WaterfallStep& step : waterfall.steps) levels.push_back(level += step.change_s);
  const BarScale scale(levels);
  std::string html = fmt::format(
      "<h2>GPU time of {}: {} → {} ({})</h2>\n<ol class=\"waterfall\" aria-label=\"GPU time saved and "
      "lost\">\n",
      escape_markup(waterfall.program->whole.point.experiment), format::duration(whole.from.median_s),
      format::duration(whole.to.median_s), signed_duration(whole.to.median_s - whole.from.median_s));
  html += bar_row("total", "before", scale.begin(), whole.from.median_s, scale,
                  format::duration(whole.from.median_s));
  level = whole.from.median_s;
  for (const WaterfallStep& step : waterfall.steps) {
    const std::string_view outcome = step.change_s < 0 ? "won" : step.change_s > 0 ? "lost" : "even";
    html += bar_row(fmt::format("{} {}", outcome, to_string(step.kind)), step_label(step), level,
                    level + step.change_s, scale, signed_duration(step.change_s));
    level += step.change_s;
  }
  html +=
      bar_row("total", "now", scale.begin(), whole.to.median_s, scale, format::duration(whole.to.median_s));
  html +=
      "</ol>\n<p class=\"note\">Each group counts with all of its launches at the median, counted or not.";
  if (scale.begin() > 0) html += fmt::format(" Bars begin at {}.", format::duration(scale.begin()));
  return html + "</p>\n";
}

// For variants, whose times do not add up: what a launch gained or lost.
std::string changes_per_launch(const RunComparison& comparison) {
  std::vector<const PointComparison*> changed;
  for (const PointComparison& point : comparison.points) {
    const bool is_significant = point.change == PointChange::slower || point.change == PointChange::faster;
    const bool is_variant = point.now != nullptr && !is_observed(*point.now);
    if (is_significant && is_variant && point.time) changed.push_back(&point);
  }
  if (changed.empty()) return {};
  const auto lost_s = [](const PointComparison* point) {
    return point->time->to.median_s - point->time->from.median_s;
  };
  std::ranges::stable_sort(changed, std::greater(),
                           [&](const auto* point) { return std::abs(lost_s(point)); });
  const std::size_t shown = std::min(changed.size(), kMostSteps);
  std::vector<double> ends = {0};
  for (std::size_t i = 0; i < shown; ++i) ends.push_back(lost_s(changed[i]));
  const BarScale scale(ends);
  std::string html =
      "<h2>Time per launch, saved and lost</h2>\n<ol class=\"waterfall\" aria-label=\"Time per launch, saved "
      "and lost\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const double change_s = lost_s(changed[i]);
    html += bar_row(change_s < 0 ? "won" : "lost", changed[i]->label, 0, change_s, scale,
                    signed_duration(change_s));
  }
  html += "</ol>\n";
  if (shown < changed.size()) {
    html += fmt::format("<p class=\"note\">and {} more</p>\n", changed.size() - shown);
  }
  return html;
}

std::string section(const RunComparison& comparison, const std::string& picture) {
  constexpr std::size_t kMostMoves = 8;
  const std::string incomparable = incomparable_text(comparison);
  std::string html =
      fmt::format("<section class=\"comparison\">\n<h2 class=\"counts\">{}</h2>\n<ul class=\"runs\">\n",
                  escape_markup(incomparable.empty() ? comparison_counts(comparison) : incomparable));
  const auto side = [](std::string_view what, const AnalysedRun& run) {
    return fmt::format("<li>{}: {}: {}</li>\n", what, escape_markup(run.name),
                       escape_markup(run_text(run.run)));
  };
  for (const AnalysedRun& base : comparison.baseline) html += side("base", base);
  html += side("now", *comparison.now) + "</ul>\n";
  if (!incomparable.empty()) return html + "</section>\n";
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) html += fmt::format("<p class=\"warning\">{}</p>\n", escape_markup(warning));
  const std::string unrelated = unrelated_text(comparison);
  if (!unrelated.empty()) html += fmt::format("<p>{}</p>\n", escape_markup(unrelated));
  for (const Waterfall& one : waterfalls(comparison, kMostSteps)) html += waterfall(one);
  html += changes_per_launch(comparison);
  html += fmt::format(
      "<div class=\"movement\"></div>\n<noscript><figure tabindex=\"0\">{}</figure></noscript>\n{}<p "
      "class=\"note\">{}</p>\n",
      picture, points_table(comparison), escape_markup(comparison_explanation(comparison)));
  for (const auto& [title, items] : comparison_lists(comparison, kMostMoves)) {
    html += fmt::format("<h2>{}</h2>\n<ul>\n", title);
    for (const std::string& item : items) html += fmt::format("<li>{}</li>\n", escape_markup(item));
    html += "</ul>\n";
  }
  return html + "</section>\n";
}

Json number(double value) {
  constexpr int kDigits = 6;
  return serial::rounded(value, kDigits);
}

Json place(const RooflinePoint* point) {
  const auto at = compared_place(point);
  return at ? Json::array({number(at->ai), number(at->flop_per_s)}) : Json(nullptr);
}

std::string_view outcome(PointChange change) {
  if (change <= PointChange::slower) return "slower";
  return change == PointChange::faster || change == PointChange::fixed ? "faster" : "same";
}

// What the chart draws: roofs, and for each row of the table where its point was and is.
Json chart_data(const RunComparison& comparison, const ChartModel& chart) {
  const auto roof_data = [&](const RoofLine& roof) -> Json {
    const auto ridge = [&](const RoofLine& other) {
      const bool meets = roof.kind == CeilingKind::bandwidth && other.kind == CeilingKind::compute;
      return meets ? number(ridge_ai(roof.value, other.value)) : Json(nullptr);
    };
    return {{"text", roof.text},
            {"kind", to_string(roof.kind)},
            {"source", to_string(roof.source)},
            {"subject", roof.subject},
            {"value", number(roof.value)},
            {"ridges", serial::list_of(chart.roofs, ridge)}};
  };
  const auto point_data = [](const PointComparison* point) -> Json {
    return {{"label", point->label},
            {"outcome", outcome(point->change)},
            {"text", change_sentence(*point)},
            {"from", place(point->base)},
            {"to", place(point->now)}};
  };
  return {{"operations", chart.operations},
          {"roofs", serial::list_of(chart.roofs, roof_data)},
          {"points", serial::list_of(table_points(comparison, kMostGroups), point_data)}};
}

}  // namespace

std::string comparison_page(const std::vector<RunComparison>& comparisons,
                            const std::vector<std::string>& pictures) {
  const std::vector<ChartModel> charts = comparison_charts(comparisons);
  Json data = Json::array();
  std::string sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    sections += section(comparisons[i], pictures.at(i));
    data.push_back(chart_data(comparisons[i], charts[i]));
  }
  Filling filling;
  filling["title"] = escape_markup(fmt::format("Comparison with {}", comparisons.front().now->name));
  filling["theme"] = fmt::format("<style>\n{}</style>", theme_css());
  filling["sections"] = sections;
  filling["data"] = base64(deflated(serial::to_text(data)));
  return filled(embedded::comparison(), filling);
}

}  // namespace rooflinectl
