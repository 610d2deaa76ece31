// SPDX-License-Identifier: Apache-2.0
#include "core/text/written_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace rooflinectl {
namespace {

/// Prefix and the power of two that it stands for.
constexpr std::array<std::pair<std::string_view, unsigned>, 3> kBinaryPrefixes = {
    {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}}};
/// Prefix and the number that it stands for.
constexpr std::array<std::pair<std::string_view, double>, 4> kDecimalPrefixes = {
    {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};
/// Unit and its length in seconds; `ms` before `s`, which it ends in.
constexpr std::array<std::pair<std::string_view, double>, 3> kTimeUnits = {
    {{"ms", 1e-3}, {"min", 60}, {"s", 1}}};

std::string_view without_trailing_spaces(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The number before `unit`, or nothing if `text` does not end in it.
std::optional<double> number_with_unit(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  const auto number =
      parse_number<double>(without_trailing_spaces(text.substr(0, text.size() - unit.size())));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::uint64_t> shifted(std::string_view digits, unsigned bits) {
  const auto number = parse_number<std::uint64_t>(digits);
  if (!number || bits >= 64 || *number > (kMaxElements >> bits)) return std::nullopt;
  return *number << bits;
}

/// The value of `1e6`, or of `1.5` with the factor of a prefix, if that is a whole number.
std::optional<std::uint64_t> scaled(std::string_view text, double factor) {
  const auto number = parse_number<double>(text);
  if (!number) return std::nullopt;
  const double elements = *number * factor;
  const bool is_whole =
      elements >= 0 && elements <= static_cast<double>(kMaxElements) && elements == std::floor(elements);
  return is_whole ? std::optional(static_cast<std::uint64_t>(elements)) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_elements(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = parse_number<unsigned>(text.substr(2));
    return exponent ? shifted("1", *exponent) : std::nullopt;
  }
  for (const auto& [prefix, bits] : kBinaryPrefixes) {
    if (text.ends_with(prefix)) return shifted(text.substr(0, text.size() - prefix.size()), bits);
  }
  for (const auto& [prefix, factor] : kDecimalPrefixes) {
    if (text.ends_with(prefix)) return scaled(text.substr(0, text.size() - prefix.size()), factor);
  }
  return text.find('e') == std::string_view::npos ? shifted(text, 0) : scaled(text, 1);
}

std::string elements_text(std::uint64_t n) {
  constexpr std::uint64_t kSmallestPowerShown = 1024;
  const bool is_power = n >= kSmallestPowerShown && std::has_single_bit(n);
  return is_power ? fmt::format("2^{}", std::countr_zero(n)) : std::to_string(n);
}

std::optional<double> parse_percentage(std::string_view text) {
  const auto percent = number_with_unit(text, "%");
  if (!percent || *percent <= 0 || *percent >= 100) return std::nullopt;
  return *percent / 100;
}

std::optional<double> parse_duration_s(std::string_view text) {
  for (const auto& [unit, seconds] : kTimeUnits) {
    const auto number = number_with_unit(text, unit);
    if (!number) continue;
    const double duration_s = *number * seconds;
    return duration_s > 0 && duration_s <= 3600 ? std::optional(duration_s) : std::nullopt;
  }
  return std::nullopt;
}

std::string number_ranges(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last == first + 1) last = first;  // two do not make a range
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", numbers[first])
                          : fmt::format("{}–{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

namespace {

bool is_word(char c) {
  return is_of_identifier(c) || c == '.';
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
