// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "core/text/printable.h"
#include "core/text/written_number.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

bool is_xml_character(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

struct Special {
  char32_t character;
  std::u32string_view reference;
};

constexpr Special kSpecial[] = {
    {U'&', U"&amp;"}, {U'<', U"&lt;"}, {U'>', U"&gt;"}, {U'"', U"&quot;"}, {U'\'', U"&#39;"}};

std::string_view number_class(const TableColumn& column) {
  return column.is_number ? R"( class="number")" : "";
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::u32string escaped;
  for (const char32_t c : decode_utf8(text)) {
    const auto* const special = std::ranges::find(kSpecial, c, &Special::character);
    if (special != std::end(kSpecial)) {
      escaped += special->reference;
    } else {
      escaped += is_xml_character(c) ? c : U'\xfffd';
    }
  }
  return encode_utf8(escaped);
}

std::string html_table(const Table& table, std::string_view name,
                       const std::vector<std::string>& row_classes) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
      "class=\"{}\"><thead><tr>",
      escape_markup(table.title), name);
  for (const TableColumn& column : table.columns) {
    html += fmt::format(R"(<th scope="col"{}>{}</th>)", number_class(column), escape_markup(column.title));
  }
  html += "</tr></thead><tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    html += row_classes.empty() ? "<tr>" : fmt::format(R"(<tr class="{}">)", row_classes[row]);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      html += fmt::format("<td{}>{}</td>", number_class(table.columns[i]),
                          escape_markup(typeset(table.rows[row][i])));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  // Three bytes at a time are four digits; what is missing at the end counts as zero.
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    const std::string_view group = bytes.substr(begin, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < group.size() ? static_cast<std::uint8_t>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

std::string filled(std::string_view page, const Filling& parts) {
  constexpr std::string_view kOpen = "<!--rooflinectl:";
  constexpr std::string_view kClose = "-->";
  std::size_t size = page.size();
  for (const auto& [name, part] : parts) size += part.size();
  std::string result;
  result.reserve(size);
  while (true) {
    const std::size_t open = page.find(kOpen);
    result += page.substr(0, open);
    if (open == std::string_view::npos) return result;
    page.remove_prefix(open + kOpen.size());
    const std::size_t close = page.find(kClose);
    result += parts.find(page.substr(0, close))->second;
    page.remove_prefix(close + kClose.size());
  }
}

}  // namespace rooflinectl

namespace rooflinectl::markdown {
namespace {

// Whether `text` begins with a unit as `reports/text/format.h` writes it: `%`, `ms`, `TB/s`, `MiB`.
bool starts_with_unit(std::string_view text) {
  constexpr std::array<std::string_view, 12> kPrefixes = {"",  "k", "M", "G",  "T",  "P",
                                                          "m", "µ", "n", "Ki", "Mi", "Gi"};
  constexpr std::array<std::string_view, 8> kUnits = {"%", "s", "B", "FLOP", "OP", "W", "J", "Hz"};
  for (const std::string_view prefix : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const std::string_view unit = text.substr(prefix.size());
    for (const std::string_view known : kUnits) {
      if (!unit.starts_with(known)) continue;
      const char next = unit.size() > known.size() ? to_lower(unit[known.size()]) : ' ';
      if (next < 'a' || next > 'z') return true;
    }
  }
  return false;
}

bool is_digit_at(std::string_view text, std::size_t i) {
  return i < text.size() && is_digit(text[i]);
}

// Whether what ends before `i` is `word`, in capitals or not.
bool ends_with_word(std::string_view text, std::size_t i, std::string_view word) {
  if (i < word.size()) return false;
  const std::string_view before = text.substr(i - word.size(), word.size());
  return std::ranges::equal(before, word, {}, to_lower);
}

// Whether GitHub makes more of the character at `i` than text, even behind a backslash: mathematics (`$x$`),
// a mention (`@name`), a reference (`#1`, `GH-1`) or a link (`https://`, `www.`).
bool has_meaning_on_github(std::string_view text, std::size_t i) {
  switch (text[i]) {
    case '$':
    case '@':
      return true;
    case '#':
      return is_digit_at(text, i + 1);
    case '-':
      return ends_with_word(text, i, "gh") && is_digit_at(text, i + 1);
    case ':':
      return text.substr(i).starts_with("://");
    case '.':
      return ends_with_word(text, i, "www");
    default:
      return false;
  }
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
    // Alone in an element, it is no part of what GitHub searches for; who copies the name gets no more than
    // it.
    if (has_meaning_on_github(shown, i)) {
      result += fmt::format("<span>{}</span>", c);
      continue;
    }
    if (std::string_view("\\`*_{}[]<>|#&~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string table_row(const std::vector<std::string>& cells) {
  const auto cell = [](const std::string& text) { return fmt::format(" {} |", escaped(text)); };
  return fmt::format("|{}\n", format::joined(cells, "", cell));
}

std::string list(const std::vector<std::string>& texts) {
  const auto item = [](const std::string& text) { return fmt::format("- {}\n", escaped(text)); };
  return texts.empty() ? "" : "\n" + format::joined(texts, "", item);
}

std::string table(const Table& table) {
  if (table.columns.empty()) return {};
  const std::vector<std::string> titles = format::each(table.columns, &TableColumn::title);
  std::string rule = "|";
  for (const TableColumn& column : table.columns) rule += column.is_number ? "---:|" : "---|";
  const std::string text = table_row(titles) + rule + "\n" + format::joined(table.rows, "", table_row);
  return table.left_out == 0 ? text : text + fmt::format("\n… and {} more.\n", table.left_out);
}

std::string titled_table(const Table& titled) {
  if (titled.empty()) return {};
  return fmt::format("\n**{}**\n\n", escaped(titled.title)) + (titled.rows.empty() ? "" : table(titled)) +
         list(titled.remarks());
}

}  // namespace rooflinectl::markdown
