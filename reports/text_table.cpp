// SPDX-License-Identifier: Apache-2.0
#include "reports/text_table.h"

#include <algorithm>
#include <numeric>

#include "core/printable.h"
#include "core/utf8.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 6;  // a column of text is not cut below this

std::u32string cut(std::u32string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width > 0 ? width - 1 : 0);
  return width > 0 ? text + U"…" : text;
}

std::size_t total_width(const std::vector<TextColumn>& columns) {
  return std::accumulate(columns.begin(), columns.end(), kGap * (columns.size() - 1),
                         [](std::size_t sum, const TextColumn& column) { return sum + column.width; });
}

void narrow(std::vector<TextColumn>& columns, std::size_t width,
            const std::vector<std::string_view>& dispensable) {
  for (const std::string_view title : dispensable) {
    if (total_width(columns) <= width) return;
    std::erase_if(columns, [&](const TextColumn& column) { return column.title == title; });
  }
  const auto last =
      std::find_if(columns.rbegin(), columns.rend(), [](const TextColumn& c) { return !c.is_number; });
  for (TextColumn* column : {&*last, &columns.front()}) {
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

}  // namespace

TextColumn text_column(std::string_view title, bool is_number, const std::vector<std::string>& texts) {
  TextColumn column{title, is_number, {printable_characters(title)}, title.size()};
  for (const std::string& text : texts) {
    column.cells.push_back(printable_characters(text));
    column.width = std::max(column.width, column.cells.back().size());
  }
  return column;
}

std::string text_table(std::vector<TextColumn> columns, std::size_t width,
                       const std::vector<std::string_view>& dispensable) {
  narrow(columns, width, dispensable);
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) text += line_of(columns, row, width);
  return text;
}

std::string sentence(const std::string& text, std::size_t width) {
  return encode_utf8(cut(printable_characters(text), width)) + "\n";
}

std::string paragraph(const std::string& text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  const std::size_t room = width > indent ? width - indent : 1;
  std::u32string rest = printable_characters(text);
  std::string lines;
  while (rest.size() > room) {
    const std::size_t space = rest.rfind(U' ', room);
    const bool breaks_word = space == std::u32string::npos || space == 0;
    lines += margin + encode_utf8(rest.substr(0, breaks_word ? room : space)) + "\n";
    rest.erase(0, breaks_word ? room : space + 1);
  }
  return lines + margin + encode_utf8(rest) + "\n";
}

}  // namespace rooflinectl
