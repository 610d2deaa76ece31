// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/analysis.h"
#include "reports/ceiling_table.h"
#include "reports/chart_model.h"
#include "reports/point_table.h"
#include "reports/reports.h"
#include "reports/utf8.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 6;  // a column of text is not cut below this

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

struct TextColumn {
  std::string_view title;
  bool is_number = false;
  std::vector<std::u32string> cells;  // the title first
  std::size_t width = 0;
};

TextColumn text_column(std::string_view title, bool is_number, const std::vector<std::string>& texts) {
  TextColumn column{title, is_number, {printable(title)}, title.size()};
  for (const std::string& text : texts) {
    column.cells.push_back(printable(text));
    column.width = std::max(column.width, column.cells.back().size());
  }
  return column;
}

std::size_t total_width(const std::vector<TextColumn>& columns) {
  return std::accumulate(columns.begin(), columns.end(), kGap * (columns.size() - 1),
                         [](std::size_t sum, const TextColumn& column) { return sum + column.width; });
}

// Too wide: the columns with the titles `dispensable` are left out, in this order, then the last column gives
// way, then the first.
void narrow(std::vector<TextColumn>& columns, std::size_t width,
            const std::vector<std::string_view>& dispensable) {
  for (const std::string_view title : dispensable) {
    if (total_width(columns) <= width) return;
    std::erase_if(columns, [&](const TextColumn& column) { return column.title == title; });
  }
  for (TextColumn* column : {&columns.back(), &columns.front()}) {
    const std::size_t total = total_width(columns);
    const std::size_t excess = total > width ? total - width : 0;
    column->width =
        std::max(std::min(column->width, kNarrowest), column->width > excess ? column->width - excess : 0);
  }
}

std::string line_of(const std::vector<TextColumn>& columns, std::size_t row, std::size_t width) {
  std::u32string line;
  for (const TextColumn& column : columns) {
    const std::u32string cell = cut(column.cells[row], column.width);
    const std::u32string padding(column.width - cell.size(), U' ');
    line += column.is_number ? padding + cell : cell + padding;
    line += std::u32string(kGap, U' ');
  }
  line.erase(line.find_last_not_of(U' ') + 1);
  return encode_utf8(cut(line, width)) + "\n";
}

std::string table(std::vector<TextColumn> columns, std::size_t width,
                  const std::vector<std::string_view>& dispensable) {
  narrow(columns, width, dispensable);
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) text += line_of(columns, row, width);
  return text;
}

std::string point_table(const ExperimentAnalysis& experiment, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const PointColumn& column : point_columns()) {
    std::vector<std::string> texts;
    for (const RooflinePoint& point : experiment.points) texts.push_back(column.text(point));
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return table(std::move(columns), width, {"limit"});
}

std::string ceiling_table(const Run& run, const std::vector<CeilingPair>& pairs, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const CeilingColumn& column : ceiling_columns()) {
    if (column.title == "method") continue;
    std::vector<std::string> texts;
    for (const CeilingPair& pair : pairs) {
      // What the counters say instead stands below the table.
      const bool is_finding = column.title == "counted" && pair.measured != nullptr &&
                              pair.measured->confirmation && !pair.measured->confirmation->agrees;
      texts.push_back(is_finding ? "no" : column.text(run, pair));
    }
    columns.push_back(text_column(column.title, column.is_number, texts));
  }
  return table(std::move(columns), width, {"at its clock", "SM clock", "theoretical"});
}

std::string sentence(const std::string& text, std::size_t width) {
  return encode_utf8(cut(printable(text), width)) + "\n";
}

// On as many lines as it takes, broken at spaces; a word that is longer than a line is broken too.
std::string paragraph(const std::string& text, std::size_t width) {
  std::u32string rest = printable(text);
  std::string lines;
  while (rest.size() > width) {
    const std::size_t space = rest.rfind(U' ', width);
    const bool breaks_word = space == std::u32string::npos || space == 0;
    lines += encode_utf8(rest.substr(0, breaks_word ? width : space)) + "\n";
    rest.erase(0, breaks_word ? width : space + 1);
  }
  return lines + encode_utf8(rest) + "\n";
}

std::string block(const Run& run, const ExperimentAnalysis& experiment, std::size_t width) {
  const std::string title = experiment.title.empty() ? experiment.name : experiment.title;
  std::string text = sentence(fmt::format("{}: {}", experiment.name, title), width);
  text += point_table(experiment, width);
  for (const RooflinePoint& point : experiment.points) {
    const Measurement& measurement = *point.measurement;
    if (measurement.cause.empty()) continue;
    text += sentence(fmt::format("{} {}: {}", point.label, to_string(measurement.status), measurement.cause),
                     width);
  }
  for (const std::string& finding : implausible_texts(experiment.points)) text += paragraph(finding, width);
  return text + sentence(provenance(run, experiment.points), width);
}

std::size_t width_of(int columns) {
  return static_cast<std::size_t>(std::max(columns, 1));
}

}  // namespace

std::string terminal_summary(const Run& run, int columns) {
  const Analysis analysis = analyse(run);
  std::string text;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    if (!text.empty()) text += "\n";
    text += block(run, experiment, width_of(columns));
  }
  for (const std::string& finding : ceiling_findings(ceiling_pairs(run))) {
    text += paragraph(finding, width_of(columns));
  }
  return text;
}

std::string terminal_ceilings(const Run& run, int columns) {
  const std::vector<CeilingPair> pairs = ceiling_pairs(run);
  std::string text = ceiling_table(run, pairs, width_of(columns));
  for (const std::string& finding : ceiling_findings(pairs)) text += paragraph(finding, width_of(columns));
  return text;
}

}  // namespace rooflinectl
