// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/text/mistakes.h"
#include "core/text/written_number.h"
#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

namespace {

/// What a number counts, and how many of that it stands for.
struct Unit {
  std::string base;
  double factor = 1;
};

/// `Mbyte`, `MB`, `usecond`, `µs`, `Ghz`. ncu has spelled units in more than one way, from version to version
/// and by its option --print-units.
std::optional<Unit> simple_unit(std::string_view text) {
  static const std::map<std::string_view, std::vector<std::string_view>> bases = {
      {"byte", {"byte", "bytes", "B"}},
      {"s", {"second", "seconds", "sec", "s"}},
      {"hz", {"hz", "Hz"}},
      {"cycle", {"cycle", "cycles"}},
      {"inst", {"inst", "instruction", "instructions"}},
      {"sector", {"sector", "sectors"}},
      {"request", {"request", "requests"}},
      {"branch", {"branch", "branches"}},
      {"wavefront", {"wavefront", "wavefronts"}},
      {"thread", {"thread", "threads"}},
      {"warp", {"warp", "warps"}},
      {"register", {"register", "registers"}},
      {"block", {"block", "blocks"}}};
  static const std::map<std::string_view, double> prefixes = {
      {"", 1},     {"n", 1e-9},    {"u", 1e-6},    {"\u00b5", 1e-6}, {"\u03bc", 1e-6},
      {"m", 1e-3}, {"K", 1e3},     {"k", 1e3},     {"M", 1e6},       {"G", 1e9},
      {"T", 1e12}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}};
  if (text.empty() || text == "%") return Unit{std::string(text)};
  for (const auto& [base, spellings] : bases) {
    for (const std::string_view spelling : spellings) {
      if (!text.ends_with(spelling)) continue;
      const auto prefix = prefixes.find(text.substr(0, text.size() - spelling.size()));
      if (prefix != prefixes.end()) return Unit{std::string(base), prefix->second};
    }
  }
  return std::nullopt;
}

/// The same and ratios of them: `Gbyte/s`, `cycle/nsecond`, which are hertz. Nothing for a unit that is not
/// known.
std::optional<Unit> unit_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto above = simple_unit(text.substr(0, slash));
  if (slash == std::string_view::npos || !above) return above;
  const auto below = simple_unit(text.substr(slash + 1));
  if (!below || below->base.empty()) return std::nullopt;
  const bool is_clock = above->base == "cycle" && below->base == "s";
  return Unit{is_clock ? "hz" : above->base + "/" + below->base, above->factor / below->factor};
}

/// The unit that a metric must have according to its name; nothing if the name does not tell.
std::optional<std::string_view> base_of_metric(std::string_view metric) {
  if (metric.find("__time_duration") != std::string_view::npos) return "s";
  if (metric.find("bytes") != std::string_view::npos && metric.ends_with(".sum")) return "byte";
  return std::nullopt;
}

/// Whether the commas of `whole`, the digits before the point, separate thousands: `1,073,838,336`.
bool has_thousands(std::string_view whole) {
  const std::size_t first = whole.find(',');
  if (first == std::string_view::npos) return true;
  if (first == 0 || first > 3 || whole.front() == '0' || whole.size() % 4 != first % 4) return false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool separates = i >= first && (i - first) % 4 == 0;
    if (separates != (whole[i] == ',')) return false;
  }
  return true;
}

/// Reads what is written as in English, `1,073,838,336` and `70.12`, and nothing else.
std::optional<double> number_from(std::string_view printed) {
  const std::string_view whole = printed.substr(0, printed.find_first_not_of("0123456789,"));
  if (whole.empty() || !is_digit(whole.back()) || !has_thousands(whole)) return std::nullopt;
  std::string digits(printed);
  std::erase(digits, ',');
  if (digits.size() != printed.size() - static_cast<std::size_t>(std::ranges::count(whole, ','))) {
    return std::nullopt;  // a comma after the point
  }
  return parse_number<double>(digits);
}

/// `printed` without the spaces and apostrophes that some languages put between thousands.
std::string without_spaces(std::string_view printed) {
  std::string text(printed);
  for (const std::string_view space : {"\u00a0", "\u202f", "\u2019", " ", "'"}) {
    for (std::size_t at = 0; (at = text.find(space, at)) != std::string::npos;) {
      const bool separates = at > 0 && is_digit(text[at - 1]) && at + space.size() < text.size() &&
                             is_digit(text[at + space.size()]);
      if (separates) {
        text.erase(at, space.size());
      } else {
        ++at;
      }
    }
  }
  return text;
}

/// `printed` as it is written in English.
std::string in_english(std::string_view printed, NumberNotation notation) {
  std::string text = without_spaces(printed);
  if (notation == NumberNotation::continental) {
    for (char& c : text) c = c == ',' ? '.' : c == '.' ? ',' : c;
  }
  return text;
}

NcuValue unavailable(std::string reason) {
  return {CounterValue::unavailable(std::move(reason))};
}

}  // namespace

std::optional<NumberNotation> notation_of(std::string_view printed) {
  const std::string text = without_spaces(printed);
  if (text.empty() || text.find_first_not_of("0123456789.,") != std::string::npos) return std::nullopt;
  const std::size_t last = text.find_last_of(".,");
  if (last == std::string::npos) return std::nullopt;
  const char mark = text[last];
  const bool is_repeated = std::ranges::count(text, mark) > 1;
  const bool are_both = text.find(mark == '.' ? ',' : '.') != std::string::npos;
  constexpr std::size_t kThousand = 3;
  const bool may_be_thousands =
      text.size() - last - 1 == kThousand && last > 0 && last <= kThousand && text.front() != '0';
  if (!are_both && !is_repeated && may_be_thousands) return std::nullopt;
  if (are_both && is_repeated) return std::nullopt;  // no number at all
  const bool is_decimal_point = (mark == '.') != is_repeated;
  return is_decimal_point ? NumberNotation::english : NumberNotation::continental;
}

NcuValue ncu_value(std::string_view metric, std::string_view written, std::string_view unit_text,
                   NumberNotation notation) {
  constexpr double kMost = 1e24;  // more than a kernel counts in a century
  const std::string printed = in_english(written, notation);
  const auto number = number_from(printed);
  if (!number) {
    const bool has_digits = std::ranges::any_of(printed, is_digit);
    return unavailable(fmt::format("ncu reports {}{}", in_quotes(written),
                                   has_digits ? ", which cannot be read as a number unambiguously" : ""));
  }
  const auto unit = unit_from(unit_text);
  if (!unit) return unavailable(fmt::format("ncu reports it in {}, an unknown unit", in_quotes(unit_text)));
  const auto base = base_of_metric(metric);
  if (base && unit->base != *base) {
    return unavailable(unit_text.empty() ? fmt::format("ncu reports {} without a unit", in_quotes(written))
                                         : fmt::format("ncu reports it in {}", in_quotes(unit_text)));
  }
  const double value = *number * unit->factor;
  if (value > kMost || (value > 0 && value < 1 / kMost)) {
    return unavailable(fmt::format("ncu reports {}, which cannot be a counted value", in_quotes(written)));
  }
  const std::size_t point = printed.find('.');
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(printed.size() - point - 1);
  // A whole number of the smallest unit is the count itself.
  const bool exact = decimals == 0 && unit->factor <= 1;
  return {CounterValue::measured(value), exact ? 0 : 0.5 * std::pow(10, -decimals) * unit->factor};
}

}  // namespace rooflinectl
