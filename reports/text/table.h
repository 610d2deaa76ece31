// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

struct TableColumn {
  std::string title;
  bool is_number = false;  ///< stands at the right
  bool is_wide = false;    ///< a text that a terminal has no room for
};

/// A table of whatever kind, as text, before a format is known: `text_table` shows it in a terminal,
/// `markdown::table` in Markdown, `html_table` in a page without scripts, `page::table` in one with them.
struct Table {
  std::string title = {};
  std::vector<TableColumn> columns = {};
  std::vector<std::vector<std::string>> rows = {};  ///< a cell for each column
  std::size_t left_out = 0;                         ///< rows that would have been too many
  std::string method = {};                          ///< how the numbers came about; not in a terminal
  std::vector<std::string> notes = {};              ///< what there is to say below it, a sentence each
  std::vector<std::string_view> dispensable = {};   ///< columns that a narrow terminal does without, the
                                                    ///< least important first

  bool empty() const { return rows.empty() && notes.empty(); }

  /// What stands below it where there is room: the method, then the notes.
  std::vector<std::string> remarks() const;

  /// Takes a column with this title away. Returns whether there was one.
  bool remove(std::string_view title);

  /// Takes the column away if two rows or more, and all, have the same in it, which is returned.
  std::optional<std::string> remove_constant(std::string_view title);

  /// Takes the columns away in which no row has anything.
  void remove_empty();
};

}  // namespace rooflinectl
