// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooflinectl {

/// SHA-256 of `text` in 64 hexadecimal digits, as `sha256sum` prints it.
std::string sha256(std::string_view text);

/// The longest name of a kernel in a run.
inline constexpr std::size_t kMaxSubjectLength = 4'096;

/// `name`, or its beginning and a hash of all of it where it is longer than `length`.
std::string cut_name(std::string_view name, std::size_t length);

}  // namespace rooflinectl
