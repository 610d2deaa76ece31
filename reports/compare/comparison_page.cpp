// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/compare/comparison_reports.h"
#include "reports/compare/comparison_table.h"
#include "reports/draw/svg.h"
#include "reports/draw/theme_css.h"

namespace rooflinectl {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1600px; padding: 1rem 1.5rem;
       color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.runs, .note { color: var(--muted); }
.warning { font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.7rem; text-align: left; white-space: nowrap;
         border-bottom: 1px solid var(--grid); }
.number { text-align: right; }
tr.broken td:first-child, tr.missing td:first-child, tr.slower td:first-child { font-weight: 700;
         color: var(--bad); }
tr.faster td:first-child, tr.mended td:first-child { font-weight: 700; color: var(--accent); }
figure { margin: 1rem 0; overflow-x: auto; }
figure > svg { display: block; width: 100%; min-width: 900px; height: auto; }
@media print { body { font-size: 11px; } }
)";

std::string list(const std::string& title, const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string html = fmt::format("<h2>{}</h2>\n<ul>\n", title);
  for (const std::string& text : texts) html += fmt::format("<li>{}</li>\n", escape_markup(text));
  return html + "</ul>\n";
}

std::string cell(std::string_view element, bool is_number, std::string_view text) {
  return fmt::format("<{0}{1}>{2}</{0}>", element, is_number ? R"( class="number")" : "",
                     escape_markup(text));
}

std::string table(const RunComparison& comparison) {
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const ComparisonColumn& column : comparison_columns())
    html += cell("th", column.is_number, column.title);
  html += "</tr></thead><tbody>\n";
  constexpr std::size_t kMostOfPrograms = 500;
  for (const PointComparison* point : table_points(comparison, kMostOfPrograms)) {
    html += fmt::format(R"(<tr class="{}">)", to_string(point->change));
    for (const ComparisonColumn& column : comparison_columns()) {
      html += cell("td", column.is_number, column.text(*point));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string section(const RunComparison& comparison, const std::string& picture) {
  constexpr std::size_t kMostMoves = 8;
  std::string html = fmt::format("<section>\n<h1>{}</h1>\n<ul class=\"runs\">\n",
                                 escape_markup(comparison_counts(comparison)));
  for (const AnalysedRun& base : comparison.baseline) {
    html +=
        fmt::format("<li>base: {}: {}</li>\n", escape_markup(base.name), escape_markup(run_text(base.run)));
  }
  const AnalysedRun& now = *comparison.now;
  html +=
      fmt::format("<li>now: {}: {}</li>\n</ul>\n", escape_markup(now.name), escape_markup(run_text(now.run)));
  const std::string warning = device_warning(comparison);
  if (!warning.empty()) html += fmt::format("<p class=\"warning\">{}</p>\n", escape_markup(warning));
  html += fmt::format("<figure tabindex=\"0\">{}</figure>\n{}<p class=\"note\">{}</p>\n", picture,
                      table(comparison), escape_markup(comparison_explanation(comparison)));
  html += list("Programs", program_change_texts(comparison));
  html += list("Counter changes", comparison_notes(comparison, kMostMoves));
  html += list("Not compared", missing_texts(comparison));
  html += list("Environment", environment_change_texts(comparison));
  return html + list("Ceilings", ceiling_change_texts(comparison)) + "</section>\n";
}

}  // namespace

std::string comparison_page(const std::vector<RunComparison>& comparisons,
                            const std::vector<std::string>& pictures) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n",
      escape_markup(fmt::format("Comparison with {}", comparisons.front().now->name)), theme_css(), kStyle);
  for (std::size_t i = 0; i < comparisons.size(); ++i) html += section(comparisons[i], pictures.at(i));
  return html + "</body>\n</html>\n";
}

}  // namespace rooflinectl
