// SPDX-License-Identifier: Apache-2.0
#include "core/text/typeset.h"

#include <array>

#include "core/text/characters.h"

namespace rooflinectl {

namespace {

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

}  // namespace

std::string typeset(std::string_view text) {
  constexpr std::string_view kPower = "2^";
  constexpr std::array<std::string_view, 10> kSuperscripts = {"⁰", "¹", "²", "³", "⁴",
                                                              "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool starts_power = text.substr(i).starts_with(kPower) && i + 2 < text.size() &&
                              is_digit(text[i + 2]) && (i == 0 || !is_word(text[i - 1]));
    if (!starts_power) {
      result += text[i++];
      continue;
    }
    result += '2';
    for (i += kPower.size(); i < text.size() && is_digit(text[i]); ++i) {
      result += kSuperscripts.at(static_cast<std::size_t>(text[i] - '0'));
    }
  }
  return result;
}

}  // namespace rooflinectl
