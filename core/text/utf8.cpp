// SPDX-License-Identifier: Apache-2.0
#include "core/text/utf8.h"

#include <utf8.h>

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

std::string encode_utf8(std::u32string_view text) {
  std::string result;
  utf8::unchecked::utf32to8(text.begin(), text.end(), std::back_inserter(result));
  return result;
}

}  // namespace rooflinectl
