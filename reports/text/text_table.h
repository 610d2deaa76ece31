// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Tables and text for a terminal, where every character is as wide as any other. Names come from files:
/// control characters are shown as `?`.
namespace rooflinectl {

struct TextColumn {
  std::string_view title;
  bool is_number = false;             ///< stands at the right
  std::vector<std::u32string> cells;  ///< the title first
  std::size_t width = 0;
};

TextColumn text_column(std::string_view title, bool is_number, const std::vector<std::string>& texts);

/// The columns, of which the first is not a number, as lines of at most `width` characters. Where they are
/// too wide, those with the titles `dispensable` are left out: first what is the same in every row, then in
/// this order; a line below the table names them. Then texts are shortened, the widest column first: the
/// middle is cut out, at a place that leaves different cells different.
std::string text_table(std::vector<TextColumn> columns, std::size_t width,
                       const std::vector<std::string_view>& dispensable);

/// `rows`, the first of which has the headings, as they are: columns of text, as wide as they need to be,
/// each line after `indent`.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::string_view indent = {});

/// Lines are no longer than this where a reader has to find the next one.
inline constexpr std::size_t kWidestParagraph = 120;

/// One line; what is beyond `width` is cut off.
std::string sentence(const std::string& text, std::size_t width);

/// On as many lines of at most `width`, and at most `kWidestParagraph`, characters as it takes, each after
/// `indent` spaces, broken at spaces; a word that is longer than a line is broken too.
std::string paragraph(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace rooflinectl
