// SPDX-License-Identifier: Apache-2.0
#include "core/serial/json.h"

#include <fmt/format.h>

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

std::string to_text(const Json& value, int indent) {
  return printable_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace rooflinectl::serial
