// SPDX-License-Identifier: Apache-2.0
#include "reports/history/history_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/charts/parts/change_panel.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"
#include "reports/text/sparkline.h"

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
    bool is_first = true;
    for (const auto& value : values) {
      if (!value) continue;
      low_ = is_first ? *value : std::min(low_, *value);
      high_ = is_first ? *value : std::max(high_, *value);
      is_first = false;
    }
    const double least = kLeastSparklineRange * high_;
    const double missing = std::max(0.0, least - (high_ - low_));
    low_ -= missing / 2;
    high_ += missing / 2;
  }

  double x(std::size_t run) const {
    const double part = runs_ > 1 ? static_cast<double>(run) / static_cast<double>(runs_ - 1) : 0.5;
    return kSparkMargin + part * (kSparkWidth - 2 * kSparkMargin);
  }
  double y(double value) const {
    const double part = high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
    return kSparkHeight - kSparkMargin - part * (kSparkHeight - 2 * kSparkMargin);
  }

 private:
  std::size_t runs_;
  double low_ = 0;
  double high_ = 0;
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
    std::string title = fmt::format("run {}", run + 1);
    for (const auto& [name, from, to] : history.environment[run]) {
      title += fmt::format("\n{}: {} → {}", name, from, to);
    }
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

}  // namespace

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

}  // namespace rooflinectl
