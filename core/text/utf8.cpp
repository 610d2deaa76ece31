// SPDX-License-Identifier: Apache-2.0
#include "core/text/utf8.h"

#include <utf8.h>

#include <algorithm>
#include <iterator>

namespace rooflinectl {

std::u32string decode_utf8(std::string_view text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::u32string result;
  const auto* const end = text.data() + text.size();
  for (const auto* rest = text.data(); rest != end; ++rest) {
    const auto* const invalid = utf8::find_invalid(rest, end);
    utf8::unchecked::utf8to32(rest, invalid, std::back_inserter(result));
    if (invalid == end) break;
    result += kReplacement;
    rest = invalid;
  }
  return result;
}

std::size_t valid_utf8_bytes(std::string_view text) {
  const auto* const end = text.data() + text.size();
  return static_cast<std::size_t>(utf8::find_invalid(text.data(), end) - text.data());
}

std::size_t count_characters(std::string_view text) {
  const auto begins_one = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_one));
}

std::string encode_utf8(std::u32string_view text) {
  std::string result;
  utf8::unchecked::utf32to8(text.begin(), text.end(), std::back_inserter(result));
  return result;
}

}  // namespace rooflinectl
