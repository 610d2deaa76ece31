// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/analysis.h"
#include "reports/chart_model.h"
#include "reports/point_table.h"
#include "reports/reports.h"
#include "reports/utf8.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 6;  // a column of text is not cut below this

using Cells = std::vector<std::u32string>;

// Names come from files: control characters must not reach the terminal.
std::u32string printable(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  const auto is_control = [](char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); };
  std::replace_if(characters.begin(), characters.end(), is_control, U'?');
  return characters;
}

std::u32string cut(std::u32string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width > 0 ? width - 1 : 0);
  return width > 0 ? text + U"…" : text;
}

std::vector<Cells> table_of(const ExperimentAnalysis& experiment) {
  std::vector<Cells> rows(1);
  for (const PointColumn& column : point_columns()) rows[0].push_back(printable(column.title));
  for (const RooflinePoint& point : experiment.points) {
    Cells& row = rows.emplace_back();
    for (const PointColumn& column : point_columns()) row.push_back(printable(column.text(point)));
  }
  return rows;
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& rows, std::size_t columns) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  // Too wide: the flags give way first, then the name.
  for (const std::size_t i : {widths.size() - 1, std::size_t{0}}) {
    const std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
    const std::size_t excess = total > columns ? total - columns : 0;
    widths[i] = std::max(std::min(widths[i], kNarrowest), widths[i] > excess ? widths[i] - excess : 0);
  }
  return widths;
}

std::string line_of(const Cells& row, const std::vector<std::size_t>& widths, std::size_t columns) {
  std::u32string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::u32string cell = cut(row[i], widths[i]);
    const std::u32string padding(widths[i] - cell.size(), U' ');
    line += point_columns()[i].is_number ? padding + cell : cell + padding;
    line += std::u32string(kGap, U' ');
  }
  line.erase(line.find_last_not_of(U' ') + 1);
  return encode_utf8(cut(line, columns)) + "\n";
}

std::string sentence(const std::string& text, std::size_t columns) {
  return encode_utf8(cut(printable(text), columns)) + "\n";
}

std::string block(const Run& run, const ExperimentAnalysis& experiment, std::size_t columns) {
  const std::string title = experiment.title.empty() ? experiment.name : experiment.title;
  std::string text = sentence(fmt::format("{}: {}", experiment.name, title), columns);
  const std::vector<Cells> rows = table_of(experiment);
  const std::vector<std::size_t> widths = widths_of(rows, columns);
  for (const Cells& row : rows) text += line_of(row, widths, columns);
  for (const RooflinePoint& point : experiment.points) {
    const Measurement& measurement = *point.measurement;
    if (measurement.cause.empty()) continue;
    text += sentence(fmt::format("{} {}: {}", point.label, to_string(measurement.status), measurement.cause),
                     columns);
  }
  return text + sentence(provenance(run, experiment.points), columns);
}

}  // namespace

std::string terminal_summary(const Run& run, int columns) {
  const Analysis analysis = analyse(run);
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    if (!text.empty()) text += "\n";
    text += block(run, experiment, width);
  }
  return text;
}

}  // namespace rooflinectl
