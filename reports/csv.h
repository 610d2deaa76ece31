// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Fields of a CSV file (RFC 4180).
namespace rooflinectl::csv {

/// The shortest text that reads back as the same number; empty where there is none.
std::string number(const std::optional<double>& value);

/// `text` in quotes, those within it doubled.
std::string quoted(std::string_view text);

}  // namespace rooflinectl::csv
