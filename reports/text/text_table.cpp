// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

struct TextColumn {
  bool is_number = false;
  bool is_sentence = false;
  std::vector<std::u32string> cells;  // the title first
  std::size_t width = 0;
};

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 6;  // a column of text is not cut below this
constexpr std::size_t kReadable = 24;  // a column of sentences is not narrower than this

std::u32string cut(std::u32string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width > 0 ? width - 1 : 0);
  return width > 0 ? text + U"…" : text;
}

std::size_t total_width(const std::vector<TextColumn>& columns) {
  return std::accumulate(columns.begin(), columns.end(), kGap * (columns.size() - 1),
                         [](std::size_t sum, const TextColumn& column) { return sum + column.width; });
}

// With sentences on as many lines as they may take.
std::size_t least_width(std::vector<TextColumn> columns) {
  for (TextColumn& column : columns) {
    if (column.is_sentence) column.width = std::min(column.width, kReadable);
  }
  return total_width(columns);
}

// The first and last characters of a longer `text`, `tail` of them at the end.
std::u32string without_middle(const std::u32string& text, std::size_t width, std::size_t tail) {
  if (text.size() <= width) return text;
  return text.substr(0, width - 1 - tail) + U"…" + text.substr(text.size() - tail);
}

std::size_t distinct(const std::vector<std::u32string>& cells) {
  return std::set<std::u32string>(cells.begin(), cells.end()).size();
}

// The cells in `width` characters, cut where they differ least: the place that keeps the most of them apart,
// of several the one nearest to the middle.
std::vector<std::u32string> shortened(const std::vector<std::u32string>& cells, std::size_t width) {
  const std::size_t goal = distinct(cells);
  std::vector<std::u32string> best;
  std::size_t most = 0;
  const std::size_t room = width > 0 ? width - 1 : 0;
  for (std::size_t step = 0; step <= room && most < goal; ++step) {
    const std::size_t tail =
        step % 2 == 0 ? room / 2 - std::min(room / 2, step / 2) : room / 2 + (step + 1) / 2;
    if (tail > room) continue;
    std::vector<std::u32string> cut_cells;
    cut_cells.reserve(cells.size());
    for (const std::u32string& cell : cells) cut_cells.push_back(without_middle(cell, width, tail));
    const std::size_t count = distinct(cut_cells);
    if (count <= most) continue;
    most = count;
    best = std::move(cut_cells);
  }
  return best;
}

// The title is shown whole, or cut at its end.
void shrink(TextColumn& column, std::size_t width) {
  column.width = width;
  const std::u32string title = cut(column.cells.front(), width);
  column.cells = shortened({column.cells.begin() + 1, column.cells.end()}, width);
  column.cells.insert(column.cells.begin(), title);
}

std::vector<TextColumn> text_columns(const Table& table) {
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& shown = table.columns[i];
    if (shown.is_wide) continue;
    TextColumn column{shown.is_number, shown.is_sentence, {printable_characters(shown.title)}, 0};
    for (const std::vector<std::string>& row : table.rows)
      column.cells.push_back(printable_characters(row.at(i)));
    for (const std::u32string& cell : column.cells) column.width = std::max(column.width, cell.size());
    columns.push_back(std::move(column));
  }
  return columns;
}

struct LeftOut {
  std::vector<std::string> constants;  // with their values
  std::vector<std::string> others;
};

// Takes columns away until the rest fits, or only those that have to stay are left.
LeftOut leave_out(Table& table, std::size_t width) {
  LeftOut left_out;
  for (const bool constants : {true, false}) {
    for (const std::string_view title : table.dispensable) {
      if (least_width(text_columns(table)) <= width) return left_out;
      if (!constants) {
        if (table.remove(title)) left_out.others.emplace_back(title);
      } else if (const auto content = table.remove_constant(title); content && !content->empty()) {
        left_out.constants.push_back(fmt::format("{} {}", title, *content));
      }
    }
  }
  return left_out;
}

void narrow(std::vector<TextColumn>& columns, std::size_t width) {
  for (const bool sentences : {true, false}) {
    const std::size_t narrowest = sentences ? kReadable : kNarrowest;
    while (total_width(columns) > width) {
      TextColumn* widest = nullptr;
      for (TextColumn& column : columns) {
        if (!column.is_number && column.is_sentence == sentences && column.width > narrowest &&
            (widest == nullptr || column.width > widest->width))
          widest = &column;
      }
      if (widest == nullptr) break;
      --widest->width;
    }
  }
}

std::string below(const LeftOut& left_out, std::size_t width) {
  std::string text;
  if (!left_out.constants.empty()) {
    text += paragraph(fmt::format("same in every row: {}", format::joined(left_out.constants)), width);
  }
  if (!left_out.others.empty()) {
    text += paragraph(
        fmt::format("not shown: {}; use a wider terminal or a pipe", format::joined(left_out.others)), width);
  }
  return text;
}

// Whether the blank at `place` is between a number and its unit: `3.2 ms`, `96 %`, `(1.5 TFLOP/s)`.
bool is_before_unit(const std::u32string& text, std::size_t place) {
  constexpr std::u32string_view kDigits = U"0123456789";
  constexpr std::u32string_view kPrefixes = U"nµmkKMGTP";
  constexpr std::array<std::u32string_view, 14> kUnits = {
      U"%", U"s",    U"B",      U"iB",        U"B/s",    U"Hz",   U"W",
      U"J", U"FLOP", U"FLOP/s", U"FLOP/byte", U"FLOP/J", U"OP/s", U"OP/byte"};
  if (place == 0 || kDigits.find(text[place - 1]) == kDigits.npos) return false;
  std::u32string_view word = std::u32string_view(text).substr(place + 1);
  word = word.substr(0, word.find_first_of(U" ,.;:)"));
  const auto is_unit = [&] { return std::ranges::find(kUnits, word) != kUnits.end(); };
  if (word.empty() || is_unit()) return !word.empty();
  if (kPrefixes.find(word.front()) == kPrefixes.npos) return false;
  word.remove_prefix(1);
  return is_unit();
}

// Where a line of at most `width` ends: at a blank, if possible at none that parts a number from its unit.
std::size_t line_end(const std::u32string& text, std::size_t width) {
  const std::size_t last = text.rfind(U' ', width);
  std::size_t end = last;
  while (end != std::u32string::npos && end > 0 && is_before_unit(text, end)) end = text.rfind(U' ', end - 1);
  return end == std::u32string::npos || end == 0 ? last : end;
}

// The next line of a text, at most `width` long, which is taken from it. A word that is longer is broken,
// after a part of its name if there is one.
std::u32string next_line(std::u32string& rest, std::size_t width) {
  if (rest.size() <= width) return std::exchange(rest, {});
  std::size_t end = line_end(rest, width);
  std::size_t next = end + 1;
  if (end == std::u32string::npos || end == 0) {
    const std::size_t part = rest.find_last_of(U"_:,/", width - 1);
    end = next = part == std::u32string::npos || part < width / 2 ? width : part + 1;
  }
  std::u32string line = rest.substr(0, end);
  rest.erase(0, next);
  return line;
}

// A row; more lines follow if a sentence needs them.
std::string lines_of(const std::vector<TextColumn>& columns, std::size_t row, std::size_t width,
                     std::string_view indent) {
  std::vector<std::u32string> rest;
  for (const TextColumn& column : columns) rest.push_back(column.cells[row]);
  std::string lines;
  for (bool is_more = true; is_more;) {
    is_more = false;
    std::u32string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const TextColumn& column = columns[i];
      const std::u32string cell =
          column.is_sentence ? next_line(rest[i], column.width) : cut(rest[i], column.width);
      if (!column.is_sentence) rest[i].clear();
      is_more = is_more || !rest[i].empty();
      const std::u32string padding(column.width - cell.size(), U' ');
      line += column.is_number ? padding + cell : cell + padding;
      line += std::u32string(kGap, U' ');
    }
    line.erase(line.find_last_not_of(U' ') + 1);
    lines += fmt::format("{}{}\n", indent, encode_utf8(cut(line, width)));
  }
  return lines;
}

std::optional<std::ptrdiff_t> column_place(const std::vector<TableColumn>& columns, std::string_view title) {
  const auto found = std::ranges::find(columns, title, &TableColumn::title);
  return found == columns.end() ? std::nullopt : std::optional(found - columns.begin());
}

template <typename Is>
bool all_rows(const Table& table, std::ptrdiff_t place, Is is) {
  return std::ranges::all_of(table.rows,
                             [&](const auto& row) { return is(row[static_cast<std::size_t>(place)]); });
}

constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string_view block(double value, double low, double high) {
  if (!(high > low)) return kBlocks.front();
  const double level = (value - low) / (high - low) * static_cast<double>(kBlocks.size() - 1);
  return kBlocks.at(static_cast<std::size_t>(std::lround(level)));
}

}  // namespace

std::string text_table(Table table, std::size_t width, std::string_view indent) {
  if (table.rows.empty()) return {};
  const LeftOut left_out = leave_out(table, width);
  std::vector<TextColumn> columns = text_columns(table);
  narrow(columns, width);
  for (TextColumn& column : columns) {
    const auto is_cut = [&](const std::u32string& cell) { return cell.size() > column.width; };
    if (!column.is_sentence && std::ranges::any_of(column.cells, is_cut)) {
      shrink(column, column.width);
    }
  }
  std::string text;
  for (std::size_t row = 0; row <= table.rows.size(); ++row) {
    text += lines_of(columns, row, width, indent);
  }
  return text + below(left_out, width);
}

std::string sentence(const std::string& text, std::size_t width) {
  return encode_utf8(cut(printable_characters(text), width)) + "\n";
}

std::string paragraph(const std::string& text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  const std::size_t widest = std::min(width, kWidestParagraph);
  const std::size_t room = widest > indent ? widest - indent : 1;
  std::u32string rest = printable_characters(text);
  std::string lines;
  do {
    lines += margin + encode_utf8(next_line(rest, room)) + "\n";
  } while (!rest.empty());
  return lines;
}

void Table::add(std::vector<std::string> row, std::size_t most) {
  if (rows.size() < most) {
    rows.push_back(std::move(row));
  } else {
    ++left_out;
  }
}

std::vector<std::string> Table::remarks() const {
  std::vector<std::string> texts = notes;
  if (!method.empty()) texts.insert(texts.begin(), method);
  return texts;
}

bool Table::remove(std::string_view unwanted) {
  const auto place = column_place(columns, unwanted);
  if (!place) return false;
  columns.erase(columns.begin() + *place);
  for (std::vector<std::string>& row : rows) row.erase(row.begin() + *place);
  return true;
}

std::optional<std::string> Table::remove_constant(std::string_view unwanted) {
  const auto place = column_place(columns, unwanted);
  if (!place || rows.size() < 2) return std::nullopt;
  std::string content = rows.front()[static_cast<std::size_t>(*place)];
  if (!all_rows(*this, *place, [&](const std::string& cell) { return cell == content; })) return std::nullopt;
  remove(unwanted);
  return content;
}

void Table::remove_empty() {
  for (auto place = std::ssize(columns); place-- > 0;) {
    if (all_rows(*this, place,
                 [](const std::string& cell) { return cell.empty() || cell == format::kUnavailable; })) {
      remove(std::string(columns[static_cast<std::size_t>(place)].title));
    }
  }
}

std::string sparkline(std::span<const std::optional<double>> values, std::size_t width) {
  std::vector<double> known;
  for (const auto& value : values) {
    if (value) known.push_back(*value);
  }
  if (known.empty()) return std::string(std::min(values.size(), width), ' ');
  const double middle = median(known);
  const auto [low, largest] = std::ranges::minmax(known);
  const double high = std::max(largest, low + kLeastSparklineRange * largest);
  const std::size_t blocks = std::min(values.size(), width);
  std::string line;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::optional<double> shown;
    const std::size_t first = i * values.size() / blocks;
    const std::size_t end = (i + 1) * values.size() / blocks;
    for (const auto& value : values.subspan(first, end - first)) {
      if (value && (!shown || std::abs(*value - middle) > std::abs(*shown - middle))) shown = value;
    }
    line += shown ? block(*shown, low, high) : " ";
  }
  return line;
}

}  // namespace rooflinectl
