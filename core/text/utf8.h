// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooflinectl {

/// The characters of UTF-8 text; each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

/// How many bytes at the start of `text` are valid: all, or those before the first that is not.
std::size_t valid_utf8_bytes(std::string_view text);

/// The characters of valid UTF-8 text.
std::size_t count_characters(std::string_view text);

std::string encode_utf8(std::u32string_view text);

}  // namespace rooflinectl
