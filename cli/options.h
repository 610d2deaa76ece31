// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/commands.h"

namespace rooflinectl {

/// Seconds of `20us`, `0.5ms`, `10s`, `5m` or `2h`; nothing for any other text.
std::optional<double> seconds_from(const std::string& text);

/// Nanoseconds of such a text; nothing for any other text, or if it is below `shortest_ns` or above
/// `kLongestInterval`.
std::optional<std::uint64_t> interval_from(const std::string& text, std::uint64_t shortest_ns);

/// Adds an option that takes percent, `5`, `5%` or `0.5 %`, and sets `ratio`, 0.05, whose value is the
/// default. Nothing below 0 or above 1000 % is taken.
void add_percentage_option(CLI::App& command, const std::string& name, double& ratio,
                           const std::string& description);

}  // namespace rooflinectl
