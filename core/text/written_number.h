// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rooflinectl {

/// The number that the whole of `text` spells.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

/// A number of elements as people write it: `2^28`, `32Mi` (also `Ki`, `Gi`: powers of 1024), `1.5M` (also
/// `k`, `K`, `G`: powers of 1000), `1e6`, `1000000`, `0`. Nothing if `text` is none of these, or more than
/// `kMaxElements`.
std::optional<std::uint64_t> parse_elements(std::string_view text);

/// `2^28` for a power of two from 1024 on, else `1000003`: what `parse_elements` reads.
std::string elements_text(std::uint64_t n);

/// More than the memory of any GPU holds, and far from overflowing a number of bytes.
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

/// A percentage, `0.5 %`, as a ratio. Nothing unless it lies between 0 and 100 %, both excluded.
std::optional<double> parse_percentage(std::string_view text);

/// A duration, `2 s`, `500 ms` or `1 min`, in seconds. Nothing unless it lies between 0 (excluded) and an
/// hour.
std::optional<double> parse_duration_s(std::string_view text);

/// Whether `c` is one of 0 to 9, in every locale.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether an identifier may begin with `c`.
constexpr bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether an identifier may have `c`.
constexpr bool is_of_identifier(char c) {
  return begins_identifier(c) || is_digit(c);
}

/// `c`, or the small letter that it is the capital of, in every locale.
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Numbers as a reader lists them: `0–3, 7, 9` for 0, 1, 2, 3, 7, 9; ascending, each once.
std::string number_ranges(std::vector<int> numbers);

/// `text` with `2²⁸` for each `2^28`: for pictures, the page and Markdown, whose fonts have the digits.
/// Terminals, CSV and JSON keep `2^28`, which can be typed.
std::string typeset(std::string_view text);

}  // namespace rooflinectl
