// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markup.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl {
namespace {

bool is_xml_character(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

std::string_view number_class(const TableColumn& column) {
  return column.is_number ? R"( class="number")" : "";
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::u32string escaped;
  for (const char32_t c : decode_utf8(text)) {
    switch (c) {
      case '&':
        escaped += U"&amp;";
        break;
      case '<':
        escaped += U"&lt;";
        break;
      case '>':
        escaped += U"&gt;";
        break;
      case '"':
        escaped += U"&quot;";
        break;
      case '\'':
        escaped += U"&#39;";
        break;
      default:
        escaped += is_xml_character(c) ? c : U'\xfffd';
    }
  }
  return encode_utf8(escaped);
}

std::string html_table(const Table& table, std::string_view name,
                       const std::vector<std::string_view>& row_classes) {
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
