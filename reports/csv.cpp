// SPDX-License-Identifier: Apache-2.0
#include "reports/csv.h"

#include <fmt/format.h>

namespace rooflinectl::csv {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c;
    if (c == '"') result += '"';
  }
  return result + '"';
}

}  // namespace rooflinectl::csv
