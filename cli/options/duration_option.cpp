// SPDX-License-Identifier: Apache-2.0
#include "cli/options/duration_option.h"

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

}  // namespace rooflinectl
