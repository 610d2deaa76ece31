// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace rooflinectl::serial {

using Json = nlohmann::ordered_json;

/// Parses `text`; throws Error(usage) naming `document` if it is not a JSON object.
Json parse_object(std::string_view text, std::string_view document);

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

}  // namespace rooflinectl::serial
