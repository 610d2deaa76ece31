// SPDX-License-Identifier: Apache-2.0
#include "core/text/printable.h"

#include <fmt/format.h>
#include <utf8.h>

#include <algorithm>
#include <iterator>

namespace rooflinectl {

namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// Line and paragraph separators end a line; the others change the direction of the text around them, so that
/// it does not read as it is (Unicode Technical Report 36, section 2.5).
bool changes_layout(char32_t c) {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_printable(char32_t c) {
  return !is_control(c) && !changes_layout(c);
}

/// What is shown in the place of `c`.
char32_t shown(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return U' ';
  return is_printable(c) ? c : U'?';
}

/// Most text is ASCII without control characters, and large: it is not taken apart.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); });
}

}  // namespace

std::u32string printable_characters(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  std::ranges::transform(characters, characters.begin(), shown);
  return characters;
}

std::string printable(std::string_view text) {
  return encode_utf8(printable_characters(text));
}

std::string printable_lines(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::u32string characters = decode_utf8(text);
  std::ranges::transform(characters, characters.begin(),
                         [](char32_t c) { return c == U'\n' ? c : shown(c); });
  return encode_utf8(characters);
}

std::string printable_json(std::string json) {
  if (is_plain(json)) return json;
  std::u32string result;
  for (const char32_t character : decode_utf8(json)) {
    if (is_printable(character) || character == U'\n') {
      result += character;
    } else {
      const std::string escaped = fmt::format("\\u{:04x}", static_cast<unsigned>(character));
      result.append(escaped.begin(), escaped.end());
    }
  }
  return encode_utf8(result);
}

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
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_one));
}

std::string encode_utf8(std::u32string_view text) {
  std::string result;
  utf8::unchecked::utf32to8(text.begin(), text.end(), std::back_inserter(result));
  return result;
}

}  // namespace rooflinectl
