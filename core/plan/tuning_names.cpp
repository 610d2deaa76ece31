// SPDX-License-Identifier: Apache-2.0
#include "core/plan/tuning_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text/expression.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The value of `ProblemSize`, or of `ProblemSize[1]`, behind which `place` goes.
std::string problem_size_at(const std::vector<std::string>& sizes, std::string_view text,
                            std::size_t& place) {
  std::size_t dimension = 0;
  if (text.substr(place).starts_with('[')) {
    const char* const begin = text.data() + place + 1;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), dimension);
    if (error != std::errc() || end == text.data() + text.size() || *end != ']') {
      throw ExpressionError(place, "expected a number in [ ]");
    }
    place = static_cast<std::size_t>(end - text.data()) + 1;
  }
  if (dimension < sizes.size()) return fmt::format("({})", sizes[dimension]);
  throw ExpressionError(place, fmt::format("'ProblemSize' has {} dimensions", sizes.size()));
}

/// `max(filter_width)` of a parameter, as if that were the list of its values.
std::optional<std::string> extreme_value(const std::vector<yaml::KernelAxis>& axes, std::string_view text,
                                         std::string_view function, std::size_t& place) {
  if (function != "max" && function != "min") return std::nullopt;
  if (!text.substr(place).starts_with('(')) return std::nullopt;
  const std::string_view name = identifier_at(text, place + 1);
  const std::size_t end = place + 1 + name.size();
  if (name.empty() || !text.substr(end).starts_with(')')) return std::nullopt;
  for (const yaml::KernelAxis& axis : axes) {
    const bool are_numbers = std::all_of(axis.values.begin(), axis.values.end(), [](const auto& value) {
      return std::holds_alternative<std::uint64_t>(value);
    });
    if (axis.name != name || !are_numbers) continue;
    const auto [least, most] = std::minmax_element(axis.values.begin(), axis.values.end());
    place = end + 1;
    return fmt::format("{}", std::get<std::uint64_t>(function == "max" ? *most : *least));
  }
  return std::nullopt;
}

}  // namespace

std::string_view identifier_at(std::string_view text, std::size_t place) {
  std::size_t end = place;
  while (end < text.size() && (begins_identifier(text[end]) || (end > place && is_digit(text[end])))) ++end;
  return text.substr(place, end - place);
}

std::string TuningNames::translated(std::string_view text, const std::vector<yaml::KernelAxis>& axes) const {
  std::string result;
  for (std::size_t place = 0; place < text.size();) {
    const std::string_view name = identifier_at(text, place);
    if (name.empty()) {
      if (text[place] == '^') throw ExpressionError(place, "a power is '**' in Python");
      result += text[place++];
      // Of a number such as `1e5`.
      while (is_digit(result.back()) && place < text.size() && begins_identifier(text[place])) {
        result += text[place++];
      }
      continue;
    }
    place += name.size();
    if (name == "ProblemSize") {
      result += problem_size_at(problem_size, text, place);
    } else if (const auto extreme = extreme_value(axes, text, name, place)) {
      result += *extreme;
    } else {
      const auto constant = constants.find(std::string(name));
      result += constant == constants.end() ? std::string(name) : fmt::format("({})", constant->second);
    }
  }
  return result;
}

}  // namespace rooflinectl
