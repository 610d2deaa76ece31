// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/text/text_table.h"

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

/// Its head and rows, and how many more there would be.
std::string table(const Table& table);

/// The same below its title, and above its method and notes; empty without rows and notes.
std::string titled_table(const Table& table);

}  // namespace rooflinectl::markdown
