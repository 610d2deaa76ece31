// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markdown.h"

#include <fmt/format.h>

#include "core/text/printable.h"
#include "core/text/typeset.h"

namespace rooflinectl::markdown {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : typeset(printable(text))) {
    if (std::string_view("\\`*_{}[]<>|#&~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", escaped(cell));
  return row + "\n";
}

std::string list(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& item : texts) text += fmt::format("- {}\n", escaped(item));
  return text.empty() ? text : fmt::format("\n{}", text);
}

std::string table_rule(const std::vector<bool>& is_number) {
  std::string rule = "|";
  for (const bool number : is_number) rule += number ? "---:|" : "---|";
  return rule + "\n";
}

}  // namespace rooflinectl::markdown
