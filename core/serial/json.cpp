// SPDX-License-Identifier: Apache-2.0
#include "core/serial/json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/text/printable.h"

namespace rooflinectl::serial {

Json parse_object(std::string_view text, std::string_view document) {
  Json value;
  try {
    value = Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      throw Error(ErrorKind::usage, fmt::format("{}: the file is empty", document));
    }
    throw Error(ErrorKind::usage, fmt::format("{}: not valid JSON at byte {}", document, error.byte),
                "the file may be truncated");
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::usage, fmt::format("{}: not valid JSON: a number is too large", document));
  }
  if (!value.is_object()) throw Error(ErrorKind::usage, fmt::format("{}: expected a JSON object", document));
  return value;
}

std::string to_text(const Json& value) {
  return printable_json(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string to_lines(const Json& object) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}{}:", separator, to_text(key));
    separator = ",\n";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += to_text(value);
      continue;
    }
    const char* element_separator = "[\n";
    for (const Json& element : value) {
      text += element_separator + to_text(element);
      element_separator = ",\n";
    }
    text += "]";
  }
  return text + "\n}\n";
}

double rounded(double value, int digits) {
  if (value == std::floor(value)) return value;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

}  // namespace rooflinectl::serial
