// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// The characters of UTF-8 text; each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

std::string encode_utf8(std::u32string_view text);

}  // namespace rooflinectl
