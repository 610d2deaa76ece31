// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markup.h"

#include <fmt/format.h>

#include "core/text/typeset.h"
#include "core/text/utf8.h"

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

}  // namespace rooflinectl
