// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace rooflinectl {

/// The characters of UTF-8 text; each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

/// The character at the start of `text`, which is not empty, and the bytes it takes; U+FFFD and one byte
/// where they are no valid sequence.
std::pair<char32_t, std::size_t> first_utf8_character(std::string_view text);

std::string encode_utf8(std::u32string_view text);

}  // namespace rooflinectl
