// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markdown.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "core/text/characters.h"
#include "core/text/printable.h"
#include "core/text/typeset.h"

namespace rooflinectl::markdown {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether `text` begins with a unit as `reports/text/format.h` writes it: `%`, `ms`, `TB/s`, `MiB`.
bool starts_with_unit(std::string_view text) {
  constexpr std::array<std::string_view, 12> kPrefixes = {"",  "k", "M", "G",  "T",  "P",
                                                          "m", "µ", "n", "Ki", "Mi", "Gi"};
  constexpr std::array<std::string_view, 8> kUnits = {"%", "s", "B", "FLOP", "OP", "W", "J", "Hz"};
  for (const std::string_view prefix : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const std::string_view unit = text.substr(prefix.size());
    for (const std::string_view known : kUnits) {
      const bool ends =
          unit.size() == known.size() || (unit.size() > known.size() && !is_letter(unit[known.size()]));
      if (unit.starts_with(known) && ends) return true;
    }
  }
  return false;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  const std::string shown = typeset(printable(text));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (c == ' ' && i > 0 && is_digit(shown[i - 1]) &&
        starts_with_unit(std::string_view(shown).substr(i + 1))) {
      result += "\u00a0";
      continue;
    }
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
