// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/compare/comparison_table.h"
#include "reports/draw/embedded.h"
#include "reports/draw/theme_css.h"
#include "reports/history/history_chart.h"
#include "reports/history/history_reports.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"
#include "reports/text/template.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kMostPointsOfPage = 500;
constexpr std::size_t kMostNewsOfRun = 20;

std::string scrolled_table(std::string_view name, std::string_view kind, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{}\">{}</table>"
      "</div>\n",
      name, kind, rows);
}

std::string history_point_rows(const HistoryReport& report) {
  std::string html = "<thead><tr><th>point</th><th>experiment</th>";
  for (const FollowedQuantity& quantity : report.quantities) {
    const bool is_first = &quantity == &report.quantities.front();
    html += fmt::format("<th>{}</th><th class=\"number\">newest</th>{}", escape_markup(quantity.title),
                        is_first ? "<th class=\"number\">since first</th>" : "");
  }
  html += "<th>last change</th></tr></thead><tbody>\n";
  std::size_t shown = 0;
  for (const PointHistory& point : report.history.points) {
    if (++shown > kMostPointsOfPage) break;
    html += fmt::format("<tr><td class=\"label\">{}</td><td>{}</td>", escape_markup(point.label),
                        escape_markup(point.point.experiment));
    for (const FollowedQuantity& quantity : report.quantities) {
      const auto newest = newest_value(values_over_runs(point, quantity));
      html += fmt::format("<td>{}</td><td class=\"number\">{}</td>", history_chart(report, point, quantity),
                          format::optional(newest, quantity.text));
      if (&quantity == &report.quantities.front())
        html += fmt::format("<td class=\"number\">{}</td>", change_since_first(point));
    }
    html += fmt::format("<td>{}</td></tr>\n", last_change_text(point));
  }
  return html + "</tbody>";
}

std::string history_run_rows(const History& history) {
  std::vector<std::string> news(history.runs.size());
  for (const RunNews& one : history_news(history, kMostNewsOfRun)) {
    for (const auto* items : {&one.environment, &one.points}) {
      for (const std::string& item : *items) {
        news[one.run] += fmt::format("<div>{}</div>", escape_markup(item));
      }
    }
  }
  std::string html =
      "<thead><tr><th class=\"number\">run</th><th>began</th><th>name</th><th>measured with</th>"
      "<th>what changed</th></tr></thead><tbody>\n";
  for (std::size_t run = history.runs.size(); run-- > 0;) {
    const AnalysedRun& analysed = history.runs[run];
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"changes\">{}</td></tr>\n",
        run + 1, format::utc(analysed.run.started_utc), escape_markup(analysed.name),
        escape_markup(run_text(analysed.run)), news[run]);
  }
  return html + "</tbody>";
}

std::string left_out_list(const std::vector<LeftOutRun>& runs) {
  if (runs.empty()) return {};
  std::string html = "<h2>Left out</h2>\n<ul>\n";
  for (const auto& [name, reason] : runs) {
    html += fmt::format("<li>{} {}</li>\n", escape_markup(name), escape_markup(reason));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string history_page(const HistoryReport& report) {
  const History& history = report.history;
  std::string content = fmt::format("<p class=\"note\">{} A dashed line: the environment changed.</p>\n",
                                    escape_markup(history_explanation(history)));
  content += scrolled_table("Points", "points", history_point_rows(report));
  if (history.points.size() > kMostPointsOfPage) {
    content += fmt::format("<p class=\"note\">and {} more, which history.csv has</p>\n",
                           history.points.size() - kMostPointsOfPage);
  }
  content += "<h2>Runs, newest first</h2>\n" + scrolled_table("Runs", "runs", history_run_rows(history));
  content += left_out_list(report.left_out);
  Filling filling;
  filling["title"] = escape_markup(history_title(history));
  filling["theme"] = theme_css();
  filling["content"] = content;
  return filled(embedded::history(), filling);
}

}  // namespace rooflinectl
