// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/charts/parts/panels.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/theme.h"
#include "reports/history/history_reports.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

constexpr double kSparkWidth = 360;
constexpr double kSparkHeight = 56;
constexpr double kSparkMargin = 6;
constexpr std::size_t kMostChartMarks = 100;  // with more runs, only the changes have a mark

/// Where runs and values are.
class ChartFrame {
 public:
  explicit ChartFrame(const std::vector<std::optional<double>>& values) : runs_(values.size()) {
    for (const auto& value : values) {
      if (value) range_.extend_to(*value);
    }
    const double missing = std::max(0.0, kLeastSparklineRange * range_.high - (range_.high - range_.low));
    range_ = {range_.low - missing / 2, range_.high + missing / 2};
  }

  double x(std::size_t run) const {
    const double part = runs_ > 1 ? static_cast<double>(run) / static_cast<double>(runs_ - 1) : 0.5;
    return kSparkMargin + part * (kSparkWidth - 2 * kSparkMargin);
  }
  double y(double value) const {
    const double part = range_.high > range_.low ? (value - range_.low) / (range_.high - range_.low) : 0.5;
    return kSparkHeight - kSparkMargin - part * (kSparkHeight - 2 * kSparkMargin);
  }

 private:
  std::size_t runs_;
  Range range_ = kEmptyRange;
};

/// A piece for each stretch of runs that have a value.
std::string value_lines(const std::vector<std::optional<double>>& values, const ChartFrame& frame) {
  std::string svg;
  std::string piece;
  const auto end_piece = [&] {
    if (!piece.empty()) svg += fmt::format(R"(<polyline class="line" points="{}"/>)", piece);
    piece.clear();
  };
  for (std::size_t run = 0; run < values.size(); ++run) {
    if (values[run]) {
      piece += fmt::format("{:.1f},{:.1f} ", frame.x(run), frame.y(*values[run]));
    } else {
      end_piece();
    }
  }
  end_piece();
  return svg;
}

std::string environment_lines(const History& history, const ChartFrame& frame) {
  std::string svg;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    if (history.environment[run].empty()) continue;
    const std::string title =
        fmt::format("run {}\n{}", run + 1, format::joined(environment_texts(history.environment[run]), "\n"));
    svg += fmt::format(
        R"(<line class="environment" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"><title>{2}</title></line>)",
        frame.x(run), kSparkHeight, escape_markup(title));
  }
  return svg;
}

/// `run 7, 2026-11-01 09:30 UTC: 233.0 µs`, with what became of the point.
std::string mark_title(const History& history, std::size_t run, std::string_view value,
                       const std::optional<PointComparison>& change) {
  std::string title =
      fmt::format("run {}, {}: {}", run + 1, format::utc(history.runs[run].run.started_utc), value);
  if (change && is_marked(change->change)) title += fmt::format("\n{}", change_sentence(*change));
  return title;
}

/// One quantity of a point over the runs as a small SVG, for a page: a line through its values, runs at equal
/// distances, a mark where the point changed, and a dashed line where the environment did. Its CSS classes
/// are those of `history.html`. Values that differ by less than a tenth look almost flat, as in a sparkline.
std::string history_chart(const HistoryReport& report, const PointHistory& point,
                          const FollowedQuantity& quantity) {
  const std::vector<std::optional<double>> values = values_over_runs(point, quantity);
  const ChartFrame frame(values);
  std::string svg = fmt::format(
      R"(<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2} of {3}">)",
      kSparkWidth, kSparkHeight, escape_markup(quantity.title), escape_markup(point.label));
  svg += environment_lines(report.history, frame);
  svg += value_lines(values, frame);
  for (std::size_t run = 0; run < values.size(); ++run) {
    const auto& change = point.changes[run];
    const bool has_change = change && is_marked(change->change);
    if (point.runs[run] == nullptr || (!has_change && (values.size() > kMostChartMarks || !values[run])))
      continue;
    // What failed has no value: its mark is at the bottom.
    const double y = values[run] ? frame.y(*values[run]) : kSparkHeight - kSparkMargin;
    const std::string kind = has_change ? fmt::format("marked {}", to_string(change->change)) : "";
    svg += fmt::format(
        R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"><title>{}</title></circle>)", kind, frame.x(run),
        y, has_change ? 4 : 2,
        escape_markup(mark_title(report.history, run, format::optional(values[run], quantity.text), change)));
  }
  return svg + "</svg>";
}

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
  const std::vector<std::vector<std::string>> news = history_news(history, kMostNewsOfRun);
  const auto item = [](const std::string& text) { return fmt::format("<div>{}</div>", escape_markup(text)); };
  std::string html =
      "<thead><tr><th class=\"number\">run</th><th>began</th><th>name</th><th>measured with</th>"
      "<th>what changed</th></tr></thead><tbody>\n";
  for (std::size_t run = history.runs.size(); run-- > 0;) {
    const AnalysedRun& analysed = history.runs[run];
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"changes\">{}</td></tr>\n",
        run + 1, format::utc(analysed.run.started_utc), escape_markup(analysed.name),
        escape_markup(run_text(analysed.run)), format::joined(news[run], "", item));
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
