// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Fields of a CSV file (RFC 4180).
namespace rooflinectl::csv {

/// The shortest text that reads back as the same number; empty where there is none.
std::string number(const std::optional<double>& value);

/// `text`, printable and on one line, in quotes where it needs them. A spreadsheet shows it and never runs
/// it: an apostrophe goes before a `=`, `+`, `-` or `@` that does not begin a number.
std::string field(std::string_view text);

/// The `fields` as a line of the file.
std::string row(const std::vector<std::string>& fields);

}  // namespace rooflinectl::csv
