// SPDX-License-Identifier: Apache-2.0
#include "cli/options/percentage_option.h"

#include <fmt/format.h>

#include <charconv>

namespace rooflinectl {

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
