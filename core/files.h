// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace rooflinectl {

/// The largest file that is read: room for some 70 000 points with all their samples.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// The whole content of a file. Throws Error(usage) naming the file if it cannot be read or, before its
/// content takes the memory, if it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = kMaxFileBytes);

/// Writes `content` to a new file beside `path` and renames it to `path`: a reader sees the old content or
/// the new, never half of it. Throws Error(environment) naming the file, with `hint`, if it cannot be
/// written.
void write_file(const std::filesystem::path& path, std::string_view content,
                const char* hint = "choose another folder with --output");

}  // namespace rooflinectl
