// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "reports/text/table.h"

/// Tables and text for a terminal, where every character is as wide as any other. Names come from files:
/// control characters are shown as `?`.
namespace rooflinectl {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// The columns, of which the first is not a number, as lines of at most `width` characters, each after
/// `indent`. If they are too wide, those of `table.dispensable` are left out: first what is the same in every
/// row, then in this order; a line below the table names them. Then texts are shortened, the widest column
/// first: the middle is cut out, at a place that leaves different cells different. Empty without rows.
std::string text_table(Table table, std::size_t width = kUnlimited, std::string_view indent = {});

/// Lines are no longer than this where a reader has to find the next one.
inline constexpr std::size_t kWidestParagraph = 120;

/// One line; what is beyond `width` is cut off.
std::string sentence(const std::string& text, std::size_t width);

/// On as many lines of at most `width`, and at most `kWidestParagraph`, characters as it takes, each after
/// `indent` spaces, broken at spaces; a word that is longer than a line is broken too.
std::string paragraph(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace rooflinectl
