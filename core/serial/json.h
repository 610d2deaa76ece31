// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rooflinectl::serial {

using Json = nlohmann::ordered_json;

/// Parses `text`; throws Error(usage) naming `document` if it is not a JSON object.
Json parse_object(std::string_view text, std::string_view document);

/// The text of `value`: one line, or indented by `indent` spaces. Bytes that are not UTF-8, which JSON cannot
/// hold, become U+FFFD.
std::string to_text(const Json& value, int indent = -1);

}  // namespace rooflinectl::serial
