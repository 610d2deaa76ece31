// SPDX-License-Identifier: Apache-2.0
#include "core/text/utf8.h"

#include <array>

namespace rooflinectl {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// Bytes that follow the first one of a sequence, or nothing if `first` cannot begin one.
int continuation_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  if (first >= 0xf0 && first < 0xf5) return 3;
  return -1;
}

bool is_character(char32_t value, int following) {
  constexpr std::array<char32_t, 4> kSmallest = {0, 0x80, 0x800, 0x10000};
  return value >= kSmallest[static_cast<std::size_t>(following)] && value <= 0x10ffff &&
         !(value >= 0xd800 && value < 0xe000);
}

void append(std::string& text, char32_t c) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6);
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3f));
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

}  // namespace

std::pair<char32_t, std::size_t> first_utf8_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const int following = continuation_bytes(first);
  const auto length = static_cast<std::size_t>(following) + 1;
  if (following < 0 || length > text.size()) return {kReplacement, 1};
  if (following == 0) return {first, 1};
  char32_t value = first & (0x3fU >> following);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return {kReplacement, 1};
    value = value << 6 | (byte & 0x3fU);
  }
  if (!is_character(value, following)) return {kReplacement, 1};
  return {value, length};
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string result;
  while (!text.empty()) {
    const auto [character, length] = first_utf8_character(text);
    result += character;
    text.remove_prefix(length);
  }
  return result;
}

std::string encode_utf8(std::u32string_view text) {
  std::string result;
  for (const char32_t c : text) append(result, c);
  return result;
}

}  // namespace rooflinectl
