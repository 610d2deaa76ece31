// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Tables and text for a terminal, where every character is as wide as any other. Names come from files:
/// control characters are shown as `?`.
namespace rooflinectl {

struct TableColumn {
  std::string title;
  bool is_number = false;    ///< stands at the right
  bool is_wide = false;      ///< a text that a terminal has no room for
  bool is_sentence = false;  ///< continues on the next line instead of being cut, as names of kernels do
};

/// The usual kinds of columns.
namespace column {

inline TableColumn text(std::string title) {
  return {.title = std::move(title)};
}
inline TableColumn number(std::string title) {
  return {.title = std::move(title), .is_number = true};
}
inline TableColumn sentence(std::string title) {
  return {.title = std::move(title), .is_sentence = true};
}

}  // namespace column

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

  /// Adds `row`; counts it as left out if there are `most` rows.
  void add(std::vector<std::string> row, std::size_t most);

  /// What stands below it where there is room: the method, then the notes.
  std::vector<std::string> remarks() const;

  /// Takes a column with this title away. Returns whether there was one.
  bool remove(std::string_view title);

  /// Takes the column away if two rows or more, and all, have the same in it, which is returned.
  std::optional<std::string> remove_constant(std::string_view title);

  /// Takes the columns away in which no row has anything.
  void remove_empty();
};

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// The columns as lines of at most `width` characters, each after `indent`. If they are too wide, those of
/// `table.dispensable` are left out: first what is the same in every row, then in this order; a line below
/// the table names them. Sentences, and names of kernels, are broken into lines. Then other texts are
/// shortened, the widest column first: the middle is cut out, at a place that leaves different cells
/// different. Empty without rows.
std::string text_table(Table table, std::size_t width = kUnlimited, std::string_view indent = {});

/// Lines are no longer than this where a reader has to find the next one.
inline constexpr std::size_t kWidestParagraph = 120;

/// One line; what is beyond `width` is cut off.
std::string sentence(const std::string& text, std::size_t width);

/// On as many lines of at most `width`, and at most `kWidestParagraph`, characters as it takes, each after
/// `indent` spaces, broken at spaces; a word that is longer than a line is broken too.
std::string paragraph(const std::string& text, std::size_t width, std::size_t indent = 0);

/// A sparkline's height stands for at least this part of its largest value, so that noise stays flat.
inline constexpr double kLeastSparklineRange = 0.1;

/// `▁▁▅▁▂▁█`: a block for each value, the lowest for the smallest, a space where there is no value. Where
/// there are more values than `width`, each block covers several of them, and shows the one that is farthest
/// from the median of all.
std::string sparkline(std::span<const std::optional<double>> values, std::size_t width);

}  // namespace rooflinectl
