// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// `text` with `2²⁸` for each `2^28`: for pictures, the page and Markdown, whose fonts have the digits.
/// Terminals, CSV and JSON keep `2^28`, which can be typed.
std::string typeset(std::string_view text);

}  // namespace rooflinectl
