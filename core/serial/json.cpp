// SPDX-License-Identifier: Apache-2.0
#include "core/serial/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/text/printable.h"

namespace rooflinectl::serial {

namespace {

/// What is between the quote at `begin` and the one that ends the string; the rest of the text if there is no
/// such quote.
std::string_view string_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(begin + 1, std::min(end, text.size()) - begin - 1);
}

/// The place behind the list or object that begins at `begin`; `npos` where it has no end, or is neither.
std::size_t end_of_nested(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"')
      i += string_at(text, i).size() + 1;
    else if (text[i] == '[' || text[i] == '{')
      ++depth;
    else if ((text[i] == ']' || text[i] == '}') && --depth == 0)
      return i + 1;
    if (depth == 0) break;
  }
  return std::string_view::npos;
}

/// On one line if `indent` is -1.
std::string indented(const Json& value, int indent) {
  return printable_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

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

std::string emptied(std::string_view text, const std::set<std::string_view>& names) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string result;
  std::size_t copied = 0;
  for (std::size_t quote = text.find('"'); quote < text.size(); quote = text.find('"', quote)) {
    const std::string_view name = string_at(text, quote);
    quote += name.size() + 2;
    const std::size_t colon = text.find_first_not_of(kSpace, quote);
    if (colon >= text.size() || text[colon] != ':' || !names.contains(name)) continue;
    const std::size_t value = text.find_first_not_of(kSpace, colon + 1);
    const std::size_t end = value < text.size() ? end_of_nested(text, value) : value;
    if (end > text.size()) continue;
    result.append(text.substr(copied, value + 1 - copied));
    copied = end - 1;
    quote = end;
  }
  if (copied < text.size()) result.append(text.substr(copied));
  return result;
}

std::string to_text(const Json& value) {
  return indented(value, -1);
}

std::string to_document(const Json& value) {
  return indented(value, 1) + "\n";
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
