// SPDX-License-Identifier: Apache-2.0
#include "core/plan/tuning_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/text/expression.h"
#include "core/text/mistakes.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

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
    const bool are_numbers = std::ranges::all_of(
        axis.values, [](const auto& value) { return std::holds_alternative<std::uint64_t>(value); });
    if (axis.name != name || !are_numbers) continue;
    const auto [least, most] = std::ranges::minmax_element(axis.values);
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

namespace {

constexpr int kMaxListDepth = 20;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Reads one list; all parts are views of its text, so that mistakes have places.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  std::vector<ListValue> read() { return list(text_); }

 private:
  [[noreturn]] void fail(std::string_view part, const std::string& what) const {
    throw ExpressionError(place_of(part), what);
  }

  std::size_t place_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  /// Calls `function` with each place of `part` that is in no brackets and quotes, until it returns true.
  template <typename Function>
  void at_top_level(std::string_view part, Function function) const {
    int depth = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if (c == '\'' || c == '"') {
        const std::size_t end = part.find(c, i + 1);
        if (end == std::string_view::npos) fail(part.substr(i), "a quote that is not closed");
        i = end;
        continue;
      }
      if (c == ']' || c == ')') --depth;
      if (depth < 0) fail(part.substr(i), fmt::format("a '{}' too many", c));
      if (depth == 0 && function(i)) return;
      if (c == '[' || c == '(') ++depth;
    }
    if (depth > 0) fail(part, "a bracket that is not closed");
  }

  std::vector<std::string_view> split(std::string_view part, char separator) const {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    at_top_level(part, [&](std::size_t i) {
      if (part[i] != separator) return false;
      parts.push_back(part.substr(begin, i - begin));
      begin = i + 1;
      return false;
    });
    parts.push_back(part.substr(begin));
    return parts;
  }

  /// Where a word stands by itself.
  std::size_t find_word(std::string_view part, std::string_view word) const {
    std::size_t found = std::string_view::npos;
    at_top_level(part, [&](std::size_t i) {
      const std::size_t end = i + word.size();
      const bool stands_alone = (i == 0 || !is_of_identifier(part[i - 1])) &&
                                part.substr(i).starts_with(word) &&
                                (end == part.size() || !is_of_identifier(part[end]));
      if (stands_alone) found = i;
      return stands_alone;
    });
    return found;
  }

  /// What is between `open`, with which `part` begins, and the bracket at its end.
  std::optional<std::string_view> inside(std::string_view part, std::string_view open) const {
    if (!part.starts_with(open)) return std::nullopt;
    std::size_t close = std::string_view::npos;
    at_top_level(part, [&](std::size_t i) {
      if (part[i] == ']' || part[i] == ')') close = i;
      return close != std::string_view::npos;
    });
    if (close + 1 != part.size()) fail(part.substr(close + 1), "a list is followed by '+' only");
    return part.substr(open.size(), close - open.size());
  }

  std::vector<ListValue> list(std::string_view whole) {
    if (++depth_ > kMaxListDepth) fail(whole, "a list that is nested too deeply");
    std::vector<ListValue> values;
    for (const std::string_view part : split(whole, '+')) add(values, term(without_blanks(part)));
    --depth_;
    return values;
  }

  void add(std::vector<ListValue>& values, std::vector<ListValue> more) const {
    if (values.size() + more.size() > kMostListValues) {
      fail(text_, fmt::format("more than {} values", kMostListValues));
    }
    values.insert(values.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  std::vector<ListValue> term(std::string_view part) {
    if (const auto inner = inside(part, "list(")) return list(*inner);
    if (const auto inner = inside(part, "range(")) return range(*inner);
    if (const auto inner = inside(part, "[")) return in_brackets(*inner);
    if (const auto inner = inside(part, "(")) {
      return split(*inner, ',').size() > 1 ? items(*inner) : list(*inner);
    }
    fail(part, fmt::format("{} is no list, such as [1, 2, 4] or range(1, 9)", in_quotes(part)));
  }

  std::vector<ListValue> range(std::string_view inner) const {
    std::vector<double> limits;
    for (const std::string_view part : split(inner, ',')) limits.push_back(number(part));
    if (limits.size() == 1) limits.insert(limits.begin(), 0);
    if (limits.size() == 2) limits.push_back(1);
    const bool are_whole =
        std::ranges::all_of(limits, [](double limit) { return limit == std::floor(limit); });
    if (limits.size() != 3 || !are_whole || limits[2] == 0) {
      fail(inner, "range takes one to three whole numbers, the last of which, the step, is not 0");
    }
    const double count = std::max(0.0, std::ceil((limits[1] - limits[0]) / limits[2]));
    if (count > static_cast<double>(kMostListValues)) {
      fail(inner, fmt::format("more than {} values", kMostListValues));
    }
    std::vector<ListValue> values;
    for (int i = 0; i < static_cast<int>(count); ++i) values.emplace_back(limits[0] + i * limits[2]);
    return values;
  }

  std::vector<ListValue> in_brackets(std::string_view inner) {
    const std::size_t loop = find_word(inner, "for");
    if (loop == std::string_view::npos) return items(inner);
    const std::string_view element = inner.substr(0, loop);
    const std::string_view rest = inner.substr(loop + 3);
    if (find_word(rest, "for") != std::string_view::npos) fail(rest, "a second 'for'");
    const std::size_t in = find_word(rest, "in");
    if (in == std::string_view::npos) fail(rest, "'for' without 'in'");
    const std::string name(without_blanks(rest.substr(0, in)));
    const std::string_view behind = rest.substr(in + 2);
    const std::size_t filter = find_word(behind, "if");
    const bool has_filter = filter != std::string_view::npos;
    std::vector<ListValue> values;
    for (const ListValue& value : list(behind.substr(0, filter))) {
      if (!std::holds_alternative<double>(value)) fail(behind, "'for' goes through numbers only");
      variables_[name] = std::get<double>(value);
      if (has_filter && number(behind.substr(filter + 2)) == 0) continue;
      values.push_back(item(element));
    }
    variables_.erase(name);
    return values;
  }

  std::vector<ListValue> items(std::string_view inner) const {
    std::vector<ListValue> values;
    std::vector<std::string_view> parts = split(inner, ',');
    if (without_blanks(parts.back()).empty()) parts.pop_back();
    for (const std::string_view part : parts) values.push_back(item(part));
    return values;
  }

  ListValue item(std::string_view part) const {
    const std::string_view value = without_blanks(part);
    const bool is_quoted = value.size() >= 2 && (value.front() == '\'' || value.front() == '"') &&
                           value.find(value.front(), 1) == value.size() - 1;
    if (is_quoted) return std::string(value.substr(1, value.size() - 2));
    return number(value);
  }

  double number(std::string_view part) const {
    const std::string_view value = without_blanks(part);
    const std::size_t power = value.find('^');
    if (power != std::string_view::npos) fail(value.substr(power), "a power is '**' in Python");
    try {
      return Expression(value).value([this](std::string_view name) { return lookup(name); });
    } catch (const ExpressionError& error) {
      throw ExpressionError(place_of(value) + error.place(), error.what(), error.unknown_name());
    }
  }

  std::optional<double> lookup(std::string_view name) const {
    if (name == "True") return 1;
    if (name == "False") return 0;
    const auto variable = variables_.find(name);
    return variable == variables_.end() ? std::nullopt : std::optional(variable->second);
  }

  std::string_view text_;
  int depth_ = 0;
  std::map<std::string, double, std::less<>> variables_;
};

}  // namespace

std::vector<ListValue> python_list(std::string_view text) {
  return ListReader(text).read();
}

}  // namespace rooflinectl
