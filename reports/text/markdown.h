// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// GitHub-flavoured Markdown. Names come from files: they are text, never markup.
namespace rooflinectl::markdown {

/// `text` on one line, which renders as it is: no markup, and nothing that GitHub links, typesets or mentions
/// somebody for (`#1`, `GH-1`, `$x$`, `@name`, `https://…`). Powers of two as `2²⁸`, and no line break
/// between a number and its unit.
std::string escaped(std::string_view text);

/// `| cell | cell |`, escaped.
std::string table_row(const std::vector<std::string>& cells);

/// A list with an empty line before it; empty if there are no texts.
std::string list(const std::vector<std::string>& texts);

/// `|---:|` for each number, `|---|` for all other columns.
std::string table_rule(const std::vector<bool>& is_number);

/// The head of a table whose columns have a `title` and are numbers or not (`is_number`).
template <typename Columns>
std::string table_head(const Columns& columns) {
  std::vector<std::string> titles;
  std::vector<bool> is_number;
  for (const auto& column : columns) {
    titles.emplace_back(column.title);
    is_number.push_back(column.is_number);
  }
  return table_row(titles) + table_rule(is_number);
}

}  // namespace rooflinectl::markdown
