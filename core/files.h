// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rooflinectl {

/// The whole content of a file. Throws Error(usage) naming the file if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Writes `content` to a new file beside `path` and renames it to `path`: a reader sees the old content or
/// the new, never half of it. Throws Error(environment) naming the file if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace rooflinectl
