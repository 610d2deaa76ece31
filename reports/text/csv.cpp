// SPDX-License-Identifier: Apache-2.0
#include "reports/text/csv.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/text/printable.h"
#include "reports/text/format.h"

namespace rooflinectl::csv {

namespace {

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

/// A spreadsheet takes text that begins like this for a formula, which may read files and start programs.
bool is_run_by_spreadsheets(const std::string& text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string field(std::string_view text) {
  std::string shown = printable(text);
  if (is_run_by_spreadsheets(shown)) shown.insert(0, 1, '\'');
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string result = "\"";
  for (const char c : shown) {
    result += c;
    if (c == '"') result += '"';
  }
  return result + '"';
}

std::string row(const std::vector<std::string>& fields) {
  return format::joined(fields, ",", field) + "\r\n";
}

}  // namespace rooflinectl::csv
