// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// The longest name of a plan or an experiment.
inline constexpr std::size_t kMaxNameLength = 64;

/// Whether `name` is fit for a plan or an experiment, and so for a file: 1 to `kMaxNameLength` letters,
/// digits, `_` and `-`.
bool is_plain_name(std::string_view name);

/// Whether `name` is one of `names`.
bool contains(const std::vector<std::string>& names, std::string_view name);

/// Orders names with their numbers by value: `reduce_v2…` before `reduce_v10…`.
bool natural_less(std::string_view a, std::string_view b);

/// Whether `name` matches `glob` as a whole: `*` stands for any characters, `?` for exactly one, `[a-f]` for
/// one of these (fnmatch(3)).
bool matches_glob(std::string_view glob, std::string_view name);

/// Whether `text` is `name` but for its case and one or two letters inserted, left out, replaced or swapped.
bool is_misspelt(std::string_view text, std::string_view name);

/// The one of `names` that `text` was probably meant to be: fewest letters inserted, left out, replaced or
/// swapped with their neighbour, but no more than half of the longer one (or two), or only letters added at
/// its end. `text` may be a glob. Nothing if none is close.
std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names);

}  // namespace rooflinectl
