// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/json/json.h"

namespace rooflinectl::serial {

/// What the JSON `text` holds. An object that has a member twice, of which Json::parse would keep the last
/// without a word, is refused: Error(usage) names `document`, the place and the member. Otherwise throws as
/// Json::parse.
Json parsed(std::string_view text, std::string_view document);

}  // namespace rooflinectl::serial
