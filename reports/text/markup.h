// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/text/text_table.h"

namespace rooflinectl {

/// `text` for use in XML and HTML, between tags and in quoted attributes. Characters that XML does not allow
/// become U+FFFD.
std::string escape_markup(std::string_view text);

/// The columns and rows as a `<table>` with the class `name`, in an element that scrolls. `row_classes` has
/// the class of each row, or none.
std::string html_table(const Table& table, std::string_view name,
                       const std::vector<std::string>& row_classes = {});

/// The bytes in letters, digits, `+` and `/` (RFC 4648), padded with `=`, in one line.
std::string base64(std::string_view bytes);

/// What fills the places in a page's template.
using Filling = std::map<std::string, std::string, std::less<>>;

/// Replaces each `<!--rooflinectl:name-->` of `page`; what is inserted is not searched again. Each name must
/// be in `parts`.
std::string filled(std::string_view page, const Filling& parts);

}  // namespace rooflinectl

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
