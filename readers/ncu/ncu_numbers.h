// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

/// How numbers are written: ncu prints them according to its user's language. Spaces and apostrophes separate
/// thousands in both.
enum class NumberNotation {
  english,      ///< `1,234.5`
  continental,  ///< `1.234,5`
};

/// How a number is written; nothing for a text that is not a number, and for what both have: `1,234`,
/// `1.234`, `12`.
std::optional<NumberNotation> notation_of(std::string_view printed);

/// The value of a metric that ncu prints in units of any size. Unavailable, with the reason, where its unit
/// is not known or does not fit its name, or its number can be read in two ways.
NcuValue ncu_value(std::string_view metric, std::string_view written, std::string_view unit_text,
                   NumberNotation notation);

}  // namespace rooflinectl
