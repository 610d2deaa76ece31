// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/program/timeline.h"

namespace rooflinectl {

std::optional<double> seconds_from(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = units.find(text.substr(number));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + number, value);
  if (unit == units.end() || error != std::errc() || end != text.data() + number) return std::nullopt;
  return value * unit->second;
}

std::optional<std::uint64_t> interval_from(const std::string& text, std::uint64_t shortest_ns) {
  const auto seconds = seconds_from(text);
  if (!seconds) return std::nullopt;
  const double interval_ns = std::round(*seconds * 1e9);
  if (interval_ns < static_cast<double>(shortest_ns) || interval_ns > kLongestInterval) return std::nullopt;
  return static_cast<std::uint64_t>(interval_ns);
}

void add_percentage_option(CLI::App& command, const std::string& name, double& ratio,
                           const std::string& description) {
  constexpr double kMostPercent = 1000;
  const auto read = [name, &ratio](const std::string& text) {
    std::string_view number = text;
    if (number.ends_with('%')) number.remove_suffix(1);
    number = number.substr(0, number.find_last_not_of(' ') + 1);
    double percent = 0;
    const char* const end = number.data() + number.size();
    const auto [stopped, error] = std::from_chars(number.data(), end, percent);
    const bool is_number = error == std::errc() && stopped == end && !number.empty();
    if (!is_number || !(percent >= 0 && percent <= kMostPercent)) {
      throw CLI::ValidationError(name, fmt::format("'{}' is not a percentage, such as 5 or 0.5", text));
    }
    ratio = percent / 100;
  };
  command.add_option_function<std::string>(name, read, description)
      ->default_str(fmt::format("{:g}", ratio * 100))
      ->type_name("PERCENT");
}

}  // namespace rooflinectl
