// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// Whether `name` matches `glob`: `*` stands for any characters, `?` for exactly one.
bool matches_glob(std::string_view glob, std::string_view name);

/// The one of `names` that `text` was probably meant to be: fewest letters inserted, left out, replaced or
/// swapped with their neighbour, but no more than half of the longer one (or two). `text` may be a glob.
/// Nothing if none is near.
std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names);

}  // namespace rooflinectl
