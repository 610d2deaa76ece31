// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <cstddef>

#include "core/text/printable.h"
#include "core/text/utf8.h"

namespace rooflinectl {

void Table::add(const std::vector<std::string>& cells) {
  std::vector<std::u32string>& row = rows_.emplace_back();
  for (const std::string& cell : cells) row.push_back(printable_characters(cell));
}

std::string Table::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::u32string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += row[column] + std::u32string(widths[column] + 2 - row[column].size(), U' ');
    }
    line.erase(line.find_last_not_of(U' ') + 1);
    text += indent + encode_utf8(line) + "\n";
  }
  return text;
}

}  // namespace rooflinectl
