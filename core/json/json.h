// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rooflinectl::serial {

using Json = nlohmann::ordered_json;

/// More letters than a word has for which JSON has none: `-Infinity`, `undefined`.
inline constexpr std::size_t kLongestWord = 32;

/// Parses `text`; throws Error(usage) naming `document` if it is not a JSON object, or has a member twice.
Json parse_object(std::string_view text, std::string_view document);

/// Throws Error(usage): `document` is not JSON. `error` is what the parser made of its `byte`, counted
/// from 1. What it read last is the end of `read`, at least its last word, and goes on in `rest`, at least to
/// the end of the word; nothing if it met the end of the document.
[[noreturn]] void refuse_as_not_json(std::string_view document, const Json::exception& error,
                                     std::size_t byte, std::string_view read,
                                     const std::optional<std::string>& rest);

/// `text` with an empty list or object in place of each that is the value of a member in `names`. Their
/// content is skipped, which takes a small part of the time of parsing it. Text that is not JSON stays
/// invalid.
std::string emptied(std::string_view text, const std::set<std::string_view>& names);

/// The text of `value`, one line. Bytes that are not UTF-8, which JSON cannot hold, become U+FFFD.
std::string to_text(const Json& value);

/// The text of `value` as a document that people read too: indented, each member and element on a line of its
/// own. The same holds for its bytes.
std::string to_document(const Json& value);

/// The text of `object` with each member, and each element of a list of objects, on a line of its own, so
/// that `grep` and `diff` find them.
std::string to_lines(const Json& object);

/// `value` with this many significant digits. Whole numbers stay as they are: they count something.
double rounded(double value, int digits);

/// What the JSON `text` holds. An object that has a member twice, of which Json::parse would keep the last
/// without a word, is refused: Error(usage) names `document`, the place and the member. Otherwise throws as
/// Json::parse.
Json parsed(std::string_view text, std::string_view document);

}  // namespace rooflinectl::serial
