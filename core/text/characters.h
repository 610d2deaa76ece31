// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// Whether `c` is one of 0 to 9, in every locale.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `c`, or the small letter that it is the capital of, in every locale.
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace rooflinectl
